import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type CargoManifest, cargoFile, cargoLockFile } from "../../source/imports/rust-manifest.ts";
import { listFiles } from "../list-files.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { type BuildJob, type BuildOutcome, buildRoot, unfit } from "./builder.ts";
import { runCargo } from "./rust-cargo.ts";
import { describeCompileErrors } from "./rust-test-output.ts";
import { judgeRustVersion } from "./rust-version.ts";

const metadataSchema = z.looseObject({
  packages: z.array(
    z.looseObject({
      name: z.string(),
      targets: z.array(z.looseObject({ name: z.string(), kind: z.array(z.string()) })),
      dependencies: z.array(
        z.looseObject({
          name: z.string(),
          rename: z.string().nullable(),
          kind: z.string().nullable(),
          optional: z.boolean(),
          target: z.string().nullable(),
        }),
      ),
    }),
  ),
});

export type CargoAnswer =
  | { readonly kind: "answer"; readonly programs: readonly string[]; readonly hasLibrary: boolean }
  | BuildOutcome;

/** So deep that a path to another module's folder stays inside what is ours. */
const deep = "check/1/2/3/4/5/6/7/8/module";
const libraryKinds = new Set(["lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"]);

/**
 * Cargo's own reading of Cargo.toml against ours, by which the edges were made: it is the truth, and where it sees
 * another dependency the module is unfit. Cargo looks at what lies at a path, so an empty crate is put there.
 */
export async function checkWithCargo(job: BuildJob, folder: string, manifest: CargoManifest): Promise<CargoAnswer> {
  const check = join(job.root, deep);
  await mkdir(dirname(check), { recursive: true });
  for (const path of await listFiles(folder)) {
    const to = join(check, path);
    await mkdir(dirname(to), { recursive: true });
    // Only what is there matters, not what it says.
    if (path === cargoFile) await copyFile(join(folder, path), to);
    else await writeFile(to, "");
  }
  for (const { path, package: name } of manifest.dependencies) {
    if (path === null) continue;
    const place = placeBeside(join(job.root, "check"), check, path);
    if (place === null) return unfit("import", `${cargoFile}: ${path} is no folder beside the module's`);
    await mkdir(join(place, "src"), { recursive: true });
    await writeFile(join(place, cargoFile), `[package]\nname = ${JSON.stringify(name)}\nversion = "0.0.0"\n`);
    await writeFile(join(place, "src", "lib.rs"), "");
  }
  await normaliseModes(join(job.root, "check"));
  const words = ["metadata", "--offline", "--no-deps", "--format-version", "1", "--manifest-path"];
  const result = await runCargo(job, {
    stdout: "answer",
    words: [...words, `${buildRoot}/${deep}/${cargoFile}`],
    step: "fetch",
    folder: check,
    access: "read",
    target: null,
  });
  if (result.kind === "outcome") return result.outcome;
  if (result.code !== 0)
    return judgeRustVersion(result.log) ?? unfit("import", `${cargoFile}: ${describeCompileErrors(result.log)}`);
  const own = metadataSchema.parse(JSON.parse(result.stdout)).packages.find((one) => one.name === manifest.name);
  if (own === undefined) return unfit("import", `${cargoFile}: cargo does not find package ${manifest.name}`);
  const difference = findDifference(manifest, own.dependencies.map(describeDeclared));
  if (difference !== null) return unfit("import", `${cargoFile}: ${difference}`);
  return {
    kind: "answer",
    programs: own.targets.filter((target) => target.kind.includes("bin")).map((target) => target.name),
    hasLibrary: own.targets.some((target) => target.kind.some((kind) => libraryKinds.has(kind))),
  };
}

/** Null: in the module's own folder, or outside of `root`. `../module-b` begins like `../module`, and is beside it. */
export function placeBeside(root: string, module: string, path: string): string | null {
  const place = join(module, path);
  const isIn = (folder: string): boolean => place === folder || place.startsWith(`${folder}/`);
  return place !== root && isIn(root) && !isIn(module) ? place : null;
}

interface Declared {
  readonly name: string;
  readonly rename: string | null;
  readonly kind: string | null;
  readonly optional: boolean;
  readonly target: string | null;
}

function describeDeclared({ name, rename, kind, optional, target }: Declared): string {
  const words = [rename === null ? name : `${rename} (package ${name})`, kind === null ? "" : `for ${kind}`];
  return [...words, optional ? "optional" : "", target === null ? "" : `on ${target}`]
    .filter((one) => one !== "")
    .join(" ");
}

/** Null: both read the same. */
export function findDifference(manifest: CargoManifest, cargo: readonly string[]): string | null {
  const ours = manifest.dependencies.map(({ key, package: name, kind, optional, target }) =>
    describeDeclared({
      name,
      rename: key === name ? null : key,
      kind: kind === "normal" ? null : kind,
      optional,
      target,
    }),
  );
  const missed = cargo.find((one) => !ours.includes(one));
  if (missed !== undefined)
    return `cargo reads dependency ${missed}, which the mesh does not: its edges would be wrong`;
  const invented = ours.find((one) => !cargo.includes(one));
  return invented === undefined ? null : `the mesh reads dependency ${invented}, which cargo does not`;
}

/** Lets cargo finish the lock file of a folder: third parties as they are locked, mesh crates from what is there. */
export async function resolveCrates(
  job: BuildJob,
  folder: string,
  files: { readonly manifest: string; readonly lock: string },
): Promise<{ readonly kind: "lock"; readonly text: string } | BuildOutcome> {
  const place = `${folder}-lock`;
  await cp(folder, place, { recursive: true });
  await writeFile(join(place, cargoFile), files.manifest);
  await writeFile(join(place, cargoLockFile), files.lock);
  await normaliseModes(place);
  const words = ["metadata", "--offline", "--format-version", "1", "--manifest-path"];
  const result = await runCargo(job, {
    stdout: "answer",
    words: [...words, `${buildRoot}/module/${cargoFile}`],
    step: "fetch",
    folder: place,
    access: "write",
    target: null,
  });
  if (result.kind === "outcome") return result.outcome;
  if (result.code !== 0) return judgeRustVersion(result.log) ?? unfit("compile", describeCompileErrors(result.log));
  const text = await readFile(join(place, cargoLockFile), "utf8");
  await writeFile(join(folder, cargoFile), files.manifest);
  await writeFile(join(folder, cargoLockFile), text);
  return { kind: "lock", text };
}
