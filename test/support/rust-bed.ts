import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { BuildDependency, BuiltModule } from "../../src/build/build-module.ts";
import type { Artifact } from "../../src/core/artifact.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import { type BuildBedOptions, createBuildBed } from "./build-bed.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

/** A build bed for Rust: the compiler is slow where many tests share a machine, so its tests are patient. */
export const rustTimeout = 240_000;

export interface RustBed {
  commit(files: Record<string, string>): Promise<unknown>;
  build(module: string, options?: BuildBedOptions): Promise<BuiltModule>;
  buildFit(module: string, options?: BuildBedOptions): Promise<Artifact>;
  unpack(artifact: Artifact): Promise<string>;
  /** What program `name` of an artifact prints. */
  runProgram(artifact: Artifact, name: string): Promise<string>;
}

export async function createRustBed(): Promise<RustBed> {
  const bed = await createBuildBed();
  const unpack = async (artifact: Artifact): Promise<string> => {
    const into = join(await createTemporaryFolder(), "unpacked");
    await unpackArtifact({ from: await bed.store.openBlob(artifact.blob), into, digest: artifact.digest });
    return into;
  };
  return {
    commit: (files) => bed.origin.commit(files),
    build: (module, options) => bed.build(module, { language: "rust", ...options }),
    buildFit: (module, options) => bed.buildFit(module, { language: "rust", ...options }),
    unpack,
    runProgram: async (artifact, name) => (await run(join(await unpack(artifact), "bin", name))).stdout,
  };
}

export function on(module: string, artifact: Artifact, kind: "build" | "test" = "build"): BuildDependency {
  return { module, kind, artifact };
}

/** The files of a small crate `<module>`, which is quick to compile; more, or others, on top. */
export function rustModule(module: string, files: Record<string, string>, dependencies = ""): Record<string, string> {
  const head = `[package]\nname = "${module}"\nversion = "1.2.3"\nedition = "2021"\n\n[profile.release]\nopt-level = 0\n\n`;
  const all: Record<string, string> = {
    "mesh.yaml": `module: ${module}\nlanguage: rust\n`,
    "Cargo.toml": `${head}${dependencies}`,
    ...files,
  };
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${module}/${path}`, text]));
}
