import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { BuildDependency } from "../../src/build/build-module.ts";
import { listFiles } from "../../src/build/list-files.ts";
import type { Artifact } from "../../src/core/artifact.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import { type BuildBed, type BuildBedOptions, createBuildBed } from "../support/build-bed.ts";
import { rustModule } from "../support/rust-module.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const timeout = 240_000;
const language = "rust" as const;

const lib = `/// One.\npub fn one() -> u32 {\n    1 // why\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_one() {\n        assert_eq!(super::one(), 1);\n    }\n}\n`;
const core = rustModule("rust-core", { "src/lib.rs": lib });
const page = rustModule(
  "page",
  {
    "src/main.rs": `fn main() {\n    println!("{}", rust_core::one() + 1);\n}\n#[test]\nfn adds() {\n    assert_eq!(rust_core::one() + 1, 2);\n}\n`,
  },
  `[dependencies]\nrust-core = { path = "../rust-core" }\n`,
);

async function buildFit(bed: BuildBed, module: string, options: BuildBedOptions = {}): Promise<Artifact> {
  return bed.buildFit(module, { language, ...options });
}

async function unpack(bed: BuildBed, artifact: Artifact): Promise<string> {
  const into = join(await createTemporaryFolder(), "unpacked");
  await unpackArtifact({ from: await bed.store.openBlob(artifact.blob), into, digest: artifact.digest });
  return into;
}

function on(module: string, artifact: Artifact, kind: "build" | "test" = "build"): BuildDependency {
  return { module, kind, artifact };
}

describe("a fit module", () => {
  it(
    "is compiled and tested, and its program runs, built against exactly its closure (R5, R11)",
    { timeout },
    async () => {
      const bed = await createBuildBed();
      await bed.origin.commit({ ...core, ...page });
      const library = await buildFit(bed, "rust-core");
      expect(await listFiles(await unpack(bed, library))).toEqual([
        "mesh.yaml",
        "rust/crate/Cargo.toml",
        "rust/crate/src/lib.rs",
      ]);
      const folder = await unpack(bed, await buildFit(bed, "page", { dependencies: [on("rust-core", library)] }));
      expect(await listFiles(folder)).toEqual(["bin/page", "mesh.yaml"]);
      expect((await run(join(folder, "bin", "page"))).stdout).toBe("2\n");
      expect(await readFile(join(folder, "bin", "page"), "latin1")).not.toContain("/build/");
    },
  );
});
