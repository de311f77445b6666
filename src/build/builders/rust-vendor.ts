import { createHash } from "node:crypto";
import { cp, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, stringify } from "smol-toml";
import { z } from "zod";
import { whenThere } from "../../core/errors.ts";
import type { Digest, Name } from "../../core/names.ts";
import { cargoFile } from "../../source/imports/rust-manifest.ts";
import { listFiles } from "../list-files.ts";
import { type BuildJob, type BuildOutcome, outstanding } from "./builder.ts";
import { type PinnedCrate, pinToOwn } from "./rust-crate-manifest.ts";

/** Where an artifact keeps what dependents compile. */
export const rustFolder = "rust";
const checksumFile = ".cargo-checksum.json";
const meshVersion = /^0\.0\.0-sha\.[0-9a-f]{12,64}$/;

const crateSchema = z.looseObject({ package: z.looseObject({ name: z.string() }) });

export function isMeshVersion(version: string): boolean {
  return meshVersion.test(version);
}

/**
 * A version made of the artifact's digest: 12 hexadecimal digits, and more only where those are all decimal, because a
 * version's numbers must not begin with a zero.
 */
export function versionOfDigest(digest: Digest): string {
  const hex = digest.slice("sha256:".length);
  let length = 12;
  while (length < hex.length && /^\d+$/.test(hex.slice(0, length))) length += 1;
  return `0.0.0-sha.${hex.slice(0, length)}`;
}

export type MeshCrates =
  | {
      readonly kind: "crates";
      /** By the name of the package: what the module itself is built against. */
      readonly direct: ReadonlyMap<string, PinnedCrate>;
      /** The same, by the modules that they are of. */
      readonly modules: ReadonlyMap<string, Name>;
      /** Some of them use the crate that is built: only its tests can have brought them. */
      readonly usesOwn: boolean;
      /** Lock files of the artifacts: the third parties that their crates need. */
      readonly locks: readonly string[];
    }
  | BuildOutcome;

/**
 * The crates of the closure's artifacts, and those that they were built against, into cargo's folder of crates. `own`: what is
 * built; an earlier build of it, which crates for its tests carry, is left out.
 */
export async function placeMeshCrates(job: BuildJob, vendor: string, own: PinnedCrate): Promise<MeshCrates> {
  const direct = new Map<string, PinnedCrate>();
  const modules = new Map<string, Name>();
  const locks: string[] = [];
  const placed = new Map<string, { readonly version: string; readonly by: string }>();
  let usesOwn = false;
  const claim = (name: string, version: string, by: string): BuildOutcome | null => {
    const known = placed.get(name);
    placed.set(name, known ?? { version, by });
    if (known === undefined || known.version === version) return null;
    const message = `${known.by} has ${name} ${known.version}, and ${by} has ${name} ${version}: one build never mixes two. It is tried again when both were built against one`;
    return outstanding("dependency", message);
  };
  for (const dependency of job.dependencies) {
    const from = join(dependency.folder, rustFolder, "crate");
    const text = await whenThere(readFile(join(from, cargoFile), "utf8"));
    if (text === null)
      throw new Error(`the artifact of ${dependency.module} has no crate, but it is a dependency of ${job.module}`);
    const manifest = crateSchema.parse(parse(text));
    const { name } = manifest.package;
    const version = versionOfDigest(dependency.digest);
    const mixed = claim(name, version, `module ${job.module}`);
    if (mixed !== null) return mixed;
    direct.set(name, { name, version });
    modules.set(name, dependency.module);
    const to = join(vendor, `${name}-${version}`);
    await cp(from, to, { recursive: true });
    await writeFile(join(to, cargoFile), stringify({ ...manifest, package: { ...manifest.package, version } }));
    if (await sealCrate(to, own)) usesOwn = true;
    const lock = await whenThere(readFile(join(dependency.folder, rustFolder, "Cargo.lock"), "utf8"));
    if (lock !== null) locks.push(lock);
  }
  for (const dependency of job.dependencies) {
    const carried = await placeCarried(dependency, { vendor, own, claim });
    if (carried.kind !== "placed") return carried;
    usesOwn ||= carried.usesOwn;
  }
  return { kind: "crates", direct, modules, usesOwn, locks };
}

/** Leaves what cargo checks beside the crate's files. Answers whether the crate uses the one that is built. */
async function sealCrate(folder: string, own: PinnedCrate): Promise<boolean> {
  const pinned = pinToOwn(crateSchema.parse(parse(await readFile(join(folder, cargoFile), "utf8"))), own);
  if (pinned !== null) await writeFile(join(folder, cargoFile), stringify(pinned));
  await writeChecksums(folder, await digestFolder(folder));
  return pinned !== null;
}

interface Carried {
  readonly vendor: string;
  readonly own: PinnedCrate;
  readonly claim: (name: string, version: string, by: string) => BuildOutcome | null;
}

async function placeCarried(
  dependency: BuildJob["dependencies"][number],
  { vendor, own, claim }: Carried,
): Promise<{ readonly kind: "placed"; readonly usesOwn: boolean } | BuildOutcome> {
  let usesOwn = false;
  const carried = join(dependency.folder, rustFolder, "crates");
  for (const folder of (await whenThere(readdir(carried))) ?? []) {
    const split = /^(.+)-(0\.0\.0-sha\.[0-9a-f]+)$/.exec(folder);
    if (split?.[1] === undefined || split[2] === undefined)
      throw new Error(`the artifact of ${dependency.module} carries ${folder}, which is no crate of a mesh`);
    if (split[1] === own.name) continue;
    const mixed = claim(split[1], split[2], `what ${dependency.module} was built against`);
    if (mixed !== null) return mixed;
    const to = join(vendor, folder);
    if ((await whenThere(lstat(to))) !== null) continue;
    await cp(join(carried, folder), to, { recursive: true });
    if (await sealCrate(to, own)) usesOwn = true;
  }
  return { kind: "placed", usesOwn };
}

/** What cargo checks when it reads a crate from a folder: each file, and the digest that the lock file names. */
export async function writeChecksums(folder: string, checksum: string): Promise<void> {
  const files: Record<string, string> = {};
  for (const path of await listFiles(folder))
    if (path !== checksumFile)
      files[path] = createHash("sha256")
        .update(await readFile(join(folder, path)))
        .digest("hex");
  await writeFile(join(folder, checksumFile), JSON.stringify({ files, package: checksum }));
}

async function digestFolder(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const path of await listFiles(folder)) {
    if (path === checksumFile) continue;
    const bytes = await readFile(join(folder, path));
    hash.update(`${createHash("sha256").update(bytes).digest("hex")} ${path}\n`);
  }
  return hash.digest("hex");
}

/** Mesh crates of a build that a library's dependents will need: without cargo's own file beside them. */
export async function carryCrates(vendor: string, folders: readonly string[], into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const folder of folders) {
    await cp(join(vendor, folder), join(into, folder), { recursive: true });
    await rm(join(into, folder, checksumFile), { force: true });
  }
}

export async function moveCrate(from: string, vendor: string, name: string): Promise<void> {
  await rename(from, join(vendor, name));
}
