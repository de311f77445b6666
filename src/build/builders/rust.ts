import { cp, lstat, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { whenThere } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import type { Finding } from "../../source/finding.ts";
import {
  type CargoManifest,
  cargoFile,
  cargoLockAbove,
  cargoLockFile,
  readCargoManifest,
} from "../../source/imports/rust-manifest.ts";
import { manifestFile } from "../../source/read-manifest.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { type Builder, type BuildJob, type BuildOutcome, unfit } from "./builder.ts";
import { findInTheWay, sayInTheWay } from "./in-the-way.ts";
import { findLackingInRust } from "./missing-exports.ts";
import { cargoSettings, runCargo, settingsFile } from "./rust-cargo.ts";
import { copyAssets, dropDelivery, listTargetPaths, prepareCrate } from "./rust-crate.ts";
import { patchOwn, pinOf, type PinnedCrate, writeCrateManifest } from "./rust-crate-manifest.ts";
import { listRaised, mergeLocks, splitResolved } from "./rust-lock-file.ts";
import { checkWithCargo, resolveCrates } from "./rust-resolve-crates.ts";
import { countTests, describeCompileErrors, describeRustFailures } from "./rust-test-output.ts";
import { placeThirdPartyCrates } from "./rust-third-parties.ts";
import { findRustToolchain } from "./rust-toolchain.ts";
import { carryCrates, placeMeshCrates, rustFolder } from "./rust-vendor.ts";
import { judgeRustVersion } from "./rust-version.ts";

/**
 * Cargo, offline, against exactly the crates of the closure: mesh crates and third parties lie in one folder of crates,
 * and there is no other version of anything to choose.
 */
export function createRustBuilder(): Builder {
  return {
    language: "rust",
    version: "3",
    describeToolchain: findRustToolchain,
    keeps: (path) => !/^(target|\.cargo)\/|^rust-toolchain(\.toml)?$/.test(path),
    build,
  };
}

async function build(job: BuildJob): Promise<BuildOutcome> {
  const folder = join(job.root, "module");
  const reading = readCargoManifest((await whenThere(readFile(join(folder, cargoFile), "utf8"))) ?? undefined);
  if (reading.kind === "none") return unfit("compile", `there is no ${cargoFile}`);
  if (reading.kind === "refused") return unfit("compile", `${cargoFile}: ${reading.finding.message}`);
  const { manifest } = reading;
  for (const name of ["settings", "vendor", "target"]) await mkdir(join(job.root, name));
  await writeFile(join(job.root, settingsFile), cargoSettings);
  // Whatever this process's umask is: another user reads it.
  await normaliseModes(job.root);

  job.onStep("fetch");
  const answer = await checkWithCargo(job, folder, manifest);
  if (answer.kind !== "answer") return answer;
  const crates = await placeCrates(job, folder, manifest);
  if (crates.kind !== "crates") return crates;
  const release = join(job.root, "release");
  await prepareCrate(folder, release, listTargetPaths(manifest));
  const locks = await resolveBoth(job, { ...crates, folder, release, manifest });
  if (locks.kind !== "resolved") return locks;

  job.onStep("compile");
  const artifact = join(job.root, "artifact");
  const compiled = await compile(job, { release, artifact, programs: answer.programs, owners: crates.owners });
  if (compiled !== null) return compiled;
  const tested = await runTests(job, folder, crates.owners);
  if (!Array.isArray(tested)) return tested;
  if (answer.hasLibrary) await publish(job, { release, artifact, manifest, pins: crates.pins, lock: locks.release });
  await normaliseModes(artifact);
  return { kind: "built", folder: artifact, findings: [...locks.findings, ...tested] };
}

type Crates =
  | {
      readonly kind: "crates";
      readonly pins: ReadonlyMap<string, PinnedCrate>;
      /** What the manifest for tests has more. */
      readonly patch: string;
      readonly lock: string;
      /** The module's own lock file; empty: it has none. */
      readonly own: string;
      /** Crate's name in code → the module that it is of. */
      readonly owners: ReadonlyMap<string, Name>;
    }
  | BuildOutcome;

async function placeCrates(job: BuildJob, folder: string, manifest: CargoManifest): Promise<Crates> {
  const vendor = join(job.root, "vendor");
  const mesh = await placeMeshCrates(job, vendor, pinOf(manifest));
  if (mesh.kind !== "crates") return mesh;
  const own = await whenThere(readFile(join(folder, cargoLockFile), "utf8"));
  const strangers = manifest.dependencies.filter((dependency) => !mesh.direct.has(dependency.package));
  const [first] = strangers;
  if (first !== undefined && own === null)
    return unfit(
      "compile",
      `${cargoFile}:${first.line}: ${first.key} is no module, and there is no ${cargoLockFile} to fetch it by${cargoLockAbove}`,
    );
  const from = strangers.find(({ table }) => ["git", "path", "registry", "registry-index"].some((key) => key in table));
  if (from !== undefined)
    return unfit("compile", `${cargoFile}:${from.line}: ${from.key} comes neither from a module nor from crates.io`);
  const lock = mergeLocks(own, mesh.locks, manifest.name);
  if (lock.kind === "refused") return unfit("compile", `${cargoLockFile}: ${lock.message}`);
  const placed = await placeThirdPartyCrates(job, lock.crates, vendor);
  if (placed !== null) return placed;
  await normaliseModes(vendor);
  const owners = manifest.dependencies.flatMap((dependency) => {
    const module = mesh.modules.get(dependency.package);
    return module === undefined ? [] : [[dependency.key.replaceAll("-", "_"), module] as const];
  });
  const patch = mesh.usesOwn ? patchOwn(manifest.name) : "";
  return { kind: "crates", pins: mesh.direct, patch, lock: lock.text, own: own ?? "", owners: new Map(owners) };
}

interface Resolve {
  readonly folder: string;
  readonly release: string;
  readonly manifest: CargoManifest;
  readonly pins: ReadonlyMap<string, PinnedCrate>;
  readonly patch: string;
  readonly lock: string;
  readonly own: string;
}

type Resolved =
  | { readonly kind: "resolved"; readonly release: string; readonly findings: readonly Finding[] }
  | BuildOutcome;

/** First with everything, then what is left of that without development: the same third parties in both. */
async function resolveBoth(
  job: BuildJob,
  { folder, release, manifest, pins, patch, lock, own }: Resolve,
): Promise<Resolved> {
  const tested = `${writeCrateManifest(manifest, "test", pins)}${patch}`;
  const all = await resolveCrates(job, folder, { manifest: tested, lock });
  if (all.kind !== "lock") return all;
  const compiled = writeCrateManifest(manifest, "compile", pins);
  const some = await resolveCrates(job, release, { manifest: compiled, lock: all.text });
  if (some.kind !== "lock") return some;
  await normaliseModes(job.root);
  return { kind: "resolved", release: some.text, findings: listRaised(own, all.text).map(sayRaised) };
}

function sayRaised(what: string): Finding {
  const message = `has ${what}, because something that it is built against needs that: say \`cargo update\``;
  return { severity: "warning", file: cargoLockFile, line: 0, message };
}

interface Compile {
  readonly release: string;
  readonly artifact: string;
  readonly programs: readonly string[];
  readonly owners: ReadonlyMap<string, Name>;
}

/** Compiles what is delivered, and copies it away before any test runs. */
async function compile(job: BuildJob, { release, artifact, programs, owners }: Compile): Promise<BuildOutcome | null> {
  const target = join(job.root, "target");
  const result = await runCargo(job, {
    words: ["build", "--release", "--offline", "--locked"],
    step: "compile",
    folder: release,
    access: "read",
    target,
  });
  if (result.kind === "outcome") return result.outcome;
  if (result.code !== 0) return refuseCode(describeCompileErrors(result.log), result.log, owners);
  await mkdir(artifact);
  if (programs.length > 0) await copyAssets(release, artifact);
  else await cp(join(release, manifestFile), join(artifact, manifestFile));
  for (const name of [rustFolder, ...programs.map((program) => `bin/${program}`)]) {
    const own = await findInTheWay(artifact, name);
    if (own !== null) return unfit("compile", sayInTheWay(own, name));
  }
  for (const program of programs) {
    const from = join(target, "release", program);
    // One that a feature has to ask for is not built.
    if ((await whenThere(lstat(from))) === null) continue;
    // The crate's own build scripts write there too: a link would be followed out here, where it leads elsewhere.
    if (!(await isPlainFile(target, from)))
      return unfit("compile", `bin/${program}: what the build made is no plain file: a build script put a link there`);
    await mkdir(dirname(join(artifact, "bin", program)), { recursive: true });
    await cp(from, join(artifact, "bin", program), { dereference: false });
  }
  return null;
}

/** Is it a file, without a link in its own place or above it up to this folder? */
async function isPlainFile(folder: string, path: string): Promise<boolean> {
  const real = await whenThere(realpath(path));
  return real === join(await realpath(folder), relative(folder, path)) && (await lstat(path)).isFile();
}

/** The module's own tests (R11), on its files as they are in git. Findings where all pass. */
async function runTests(
  job: BuildJob,
  folder: string,
  owners: ReadonlyMap<string, Name>,
): Promise<Finding[] | BuildOutcome> {
  const run = { folder, access: "read", target: join(job.root, "target") } as const;
  const words = ["test", "--offline", "--locked", "--no-fail-fast"];
  const compiled = await runCargo(job, { ...run, words: [...words, "--no-run"], step: "compile" });
  if (compiled.kind === "outcome") return compiled.outcome;
  if (compiled.code !== 0)
    return refuseCode(`its tests do not compile:\n${describeCompileErrors(compiled.log)}`, compiled.log, owners);
  job.onStep("test");
  const tested = await runCargo(job, { ...run, words, step: "test" });
  if (tested.kind === "outcome") return tested.outcome;
  if (tested.code !== 0) return unfit("test", describeRustFailures(tested.stdout === "" ? tested.log : tested.stdout));
  if (countTests(tested.stdout) > 0) return [];
  const message = "there are no tests: fit says only that it compiles";
  return [{ severity: "warning", file: "src", line: 0, message }];
}

function refuseCode(message: string, log: string, owners: ReadonlyMap<string, Name>): BuildOutcome {
  const older = judgeRustVersion(log);
  if (older !== null) return older;
  const lacks = findLackingInRust(log, owners);
  return { ...unfit("compile", message), ...(lacks.length === 0 ? {} : { lacks }) };
}

interface Publish {
  readonly release: string;
  readonly artifact: string;
  readonly manifest: CargoManifest;
  readonly pins: ReadonlyMap<string, PinnedCrate>;
  readonly lock: string;
}

/** What dependents compile: the library's source, the mesh crates it was built against, and its third parties by digest. */
async function publish(job: BuildJob, { release, artifact, manifest, pins, lock }: Publish): Promise<void> {
  const into = join(artifact, rustFolder);
  await cp(release, join(into, "crate"), { recursive: true });
  await dropDelivery(join(into, "crate"));
  await writeFile(join(into, "crate", cargoFile), writeCrateManifest(manifest, "publish", pins));
  const { mesh, thirdParties } = splitResolved(lock);
  if (mesh.length > 0) await carryCrates(join(job.root, "vendor"), mesh, join(into, "crates"));
  if (thirdParties !== null) await writeFile(join(into, cargoLockFile), thirdParties);
}
