import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, realpath, symlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { whenThere } from "../core/errors.ts";
import { explainUnwritable } from "./explain-unwritable.ts";
import { chooseKeptPort } from "./ports.ts";
import type { Progress } from "./progress.ts";
import { isRecord, readJson } from "./read-json.ts";
import { isReachableBy, readRunAs } from "./run-as.ts";
import { takeStateLock } from "./state-lock.ts";
import { writeDurably } from "../disk/write-durably.ts";

/** The folders of a one-machine mesh, absolute and free of symbolic links. */
export interface StatePaths {
  readonly root: string;
  /** 0700: passwords and keys. */
  readonly secrets: string;
  readonly temporal: string;
  readonly artifacts: string;
  readonly repositories: string;
  /** The work copy that a person edits. */
  readonly work: string;
  /** The bare repository that it is pushed to. */
  readonly origin: string;
  readonly hosts: string;
  readonly log: string;
  /** Pid files. */
  readonly run: string;
}

/** A state folder that this process alone works on, until `release`. */
export interface OpenState {
  readonly paths: StatePaths;
  /** The port of that name: the one in ports.json, else a free one, written down before it is answered. */
  keepPort(name: string): Promise<number>;
  release(): Promise<void>;
}

export interface StateOptions {
  readonly path: string;
  readonly progress: Progress;
  /** Where state is kept for root when nobody else can get to `path`. */
  readonly elsewhere?: string;
}

/**
 * Makes the folder or completes it, and locks it. Throws InputError when another process has it; where it cannot be written,
 * why not.
 */
export async function openStateFolder(options: StateOptions): Promise<OpenState> {
  try {
    return await makeAndLock(options);
  } catch (error) {
    throw await explainUnwritable(error, resolve(options.path));
  }
}

async function makeAndLock(options: StateOptions): Promise<OpenState> {
  const root = await placeFolder(resolve(options.path), options);
  const paths = listPaths(root);
  for (const path of [paths.run, paths.log, paths.temporal, paths.hosts]) await mkdir(path, { recursive: true });
  await mkdir(paths.secrets, { recursive: true, mode: 0o700 });
  const lock = await takeStateLock(join(paths.run, "lock.json"));
  // One after another: two at once would each write what the other has not seen.
  let last: Promise<number> = Promise.resolve(0);
  const keepNext = (name: string): Promise<number> => {
    const next = (): Promise<number> => keepPort(join(root, "ports.json"), name);
    last = last.then(next, next);
    return last;
  };
  return { paths, keepPort: keepNext, release: () => lock.release() };
}

/** For readers, which need no lock. */
export function listPaths(root: string): StatePaths {
  const at = (name: string): string => join(root, name);
  return {
    root,
    secrets: at("secrets"),
    temporal: at("temporal"),
    artifacts: at("artifacts"),
    repositories: at("repositories"),
    work: at("work"),
    origin: at("origin"),
    hosts: at("hosts"),
    log: at("log"),
    run: at("run"),
  };
}

async function keepPort(path: string, name: string): Promise<number> {
  const kept = new Map(Object.entries((await readJson(path, isPorts)) ?? {}));
  const port = kept.get(name) ?? (await chooseKeptPort([...kept.values()]));
  await writeDurably(path, `${JSON.stringify(Object.fromEntries(kept.set(name, port)), null, 2)}\n`, { mode: 0o644 });
  return port;
}

function isPorts(value: unknown): value is Readonly<Record<string, number>> {
  return isRecord(value) && Object.values(value).every((port) => Number.isInteger(port));
}

/**
 * Servers of a root's mesh run as nobody, who cannot get below /root. State that would lie there is kept elsewhere, with
 * a symbolic link in its place.
 */
async function placeFolder(path: string, options: StateOptions): Promise<string> {
  if ((await whenThere(lstat(path))) !== null) return await realpath(path);
  await mkdir(dirname(path), { recursive: true });
  const user = readRunAs();
  if (user === null || (await isReachableBy(user, await realpath(dirname(path))))) {
    await makeOpenFolder(path);
    return await realpath(path);
  }
  const id = randomBytes(4).toString("hex");
  const place = join(options.elsewhere ?? "/var/lib/mesh-delivery", `${basename(path).replace(/^\./, "")}-${id}`);
  await mkdir(dirname(place), { recursive: true });
  await makeOpenFolder(place);
  await symlink(place, path);
  options.progress(`state: kept in ${place}, since servers run as nobody, who cannot get to ${dirname(path)}`);
  return place;
}

/** Others may enter it, whatever the umask says. */
async function makeOpenFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
}
