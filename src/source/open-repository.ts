import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { randomUUID } from "node:crypto";
import { branchSchema, type ObjectId, objectIdSchema } from "../core/names.ts";
import { errorCode, InputError, UnavailableError, whenThere } from "../core/errors.ts";
import { askRemote } from "./ask-remote.ts";
import { GitError, runGit } from "./git.ts";
import { listTree, readBlobs, treeAt } from "./git-objects.ts";
import type { CommitInfo, Repository } from "./repository.ts";
import { checkRepositoryUrl } from "./repository-url.ts";

export interface OpenRepository {
  /** A file path, file://, https:// or ssh address. */
  readonly url: string;
  /** Folder of the bare clone; made when it is not there. */
  readonly dir: string;
  readonly signal?: AbortSignal;
  /** Largest clone, in bytes: git knows no such limit, so it is watched while it fetches. */
  readonly cloneBytes?: number;
}

const lookMs = 30_000;
const fetchMs = 10 * 60_000;
const localMs = 60_000;
const headsPerLook = 200;

/** Opens (and at first makes) the bare clone. Does not talk to the remote. InputError for an address we refuse. */
export async function openRepository(options: OpenRepository): Promise<Repository> {
  const url = checkRepositoryUrl(options.url);
  const { dir, signal } = options;
  await initialise(dir);
  const local = { dir, waitMs: localMs, signal };
  return {
    url,
    dir,
    lookAtHeads: (branches) => lookAtHeads(url, branches, signal),
    fetchCommits: (wanted) =>
      fetchCommits({ url, dir, signal, cloneBytes: options.cloneBytes ?? 4 * 1024 ** 3 }, wanted),
    hasObject: (id) => hasObject(dir, id, signal),
    commitInfo: (commit) => commitInfo(dir, commit, signal),
    treeAt: (id, path) => treeAt(local, id, path),
    listTree: (tree, entryLimit) => listTree(local, tree, entryLimit),
    readBlobs: (blobs) => readBlobs(local, blobs),
  };
}

/** `--template=`: no hooks come from the machine. Made beside and renamed, so that a half-made clone is never used. */
async function initialise(dir: string): Promise<void> {
  if (await exists(join(dir, "HEAD"))) return;
  await mkdir(dirname(dir), { recursive: true });
  const fresh = `${dir}.${randomUUID()}`;
  await runGit({ args: ["init", "--quiet", "--bare", "--template=", "--end-of-options", fresh], waitMs: localMs });
  try {
    await rename(fresh, dir);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Somebody else made it at the same moment: theirs is as good.
    if (!(await exists(join(dir, "HEAD")))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await whenThere(stat(path))) !== null;
}

async function lookAtHeads(
  url: string,
  branches: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, ObjectId | null>> {
  const heads = new Map<string, ObjectId | null>();
  for (const branch of branches) heads.set(checkBranch(branch), null);
  const asked = [...heads.keys()];
  for (let at = 0; at < asked.length; at += headsPerLook) {
    const refs = asked.slice(at, at + headsPerLook).map((branch) => `refs/heads/${branch}`);
    const output = await askRemote(url, {
      args: ["ls-remote", "--quiet", "--end-of-options", url, ...refs],
      waitMs: lookMs,
      signal,
    });
    for (const line of output.toString("utf8").split("\n")) {
      // A pattern also matches at the end of longer names: only whole names count.
      const [id, ref] = line.split("\t");
      if (id === undefined || ref === undefined || !ref.startsWith("refs/heads/")) continue;
      const branch = ref.slice("refs/heads/".length);
      if (heads.has(branch)) heads.set(branch, objectIdSchema.parse(id));
    }
  }
  return heads;
}

interface Remote {
  readonly url: string;
  readonly dir: string;
  readonly cloneBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** One fetch at a time in one clone: two would fight for its lock on shallow commits. */
const fetching = new Map<string, Promise<void>>();

async function fetchCommits(remote: Remote, wanted: readonly { branch: string; commit: ObjectId }[]): Promise<void> {
  const before = fetching.get(remote.dir) ?? Promise.resolve();
  // Whether the one before us came to an end well is its own caller's matter.
  const mine = before.then(
    () => fetchMissing(remote, wanted),
    () => fetchMissing(remote, wanted),
  );
  fetching.set(remote.dir, mine);
  try {
    await mine;
  } finally {
    if (fetching.get(remote.dir) === mine) fetching.delete(remote.dir);
  }
}

async function fetchMissing(remote: Remote, wanted: readonly { branch: string; commit: ObjectId }[]): Promise<void> {
  for (const { branch, commit } of wanted) {
    checkBranch(branch);
    objectIdSchema.parse(commit);
    if ((await describeTooLarge(remote)) === null && (await hasObject(remote.dir, commit, remote.signal))) continue;
    try {
      await fetchOne(remote, ["--depth=1"], `+${commit}:refs/mesh/commits/${commit}`);
    } catch (error) {
      if (!(error instanceof UnavailableError) || !refusesIds(error.cause)) throw error;
      // This server hands out branches only: then the branch, whole, as the commit may not be its tip any more.
      await fetchOne(remote, [], `+refs/heads/${branch}:refs/mesh/branches/${branch}`);
    }
    const tooLarge = await describeTooLarge(remote);
    if (tooLarge !== null)
      throw new UnavailableError(`repository ${remote.url} ${tooLarge}`, "Move what is not source out of it.");
    if (!(await hasObject(remote.dir, commit, remote.signal))) {
      throw new UnavailableError(
        `repository ${remote.url} has no commit ${commit} (of branch ${branch}) any more`,
        "It was probably overwritten by a forced push: the next look finds the new tip.",
      );
    }
  }
}

async function fetchOne(remote: Remote, depth: readonly string[], refspec: string): Promise<void> {
  const flags = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance"];
  await askRemote(remote.url, {
    dir: remote.dir,
    args: ["fetch", ...flags, ...depth, "--end-of-options", remote.url, refspec],
    waitMs: fetchMs,
    signal: remote.signal,
    watch: () => describeTooLarge(remote),
  });
}

function refusesIds(cause: unknown): boolean {
  return cause instanceof GitError && /not our ref|unadvertised object|couldn't find remote ref/.test(cause.stderr);
}

async function describeTooLarge(remote: Remote): Promise<string | null> {
  const bytes = await packBytes(remote.dir);
  return bytes > remote.cloneBytes
    ? `was stopped: the clone is larger than the limit of ${remote.cloneBytes} bytes`
    : null;
}

async function packBytes(dir: string): Promise<number> {
  const folder = join(dir, "objects", "pack");
  let bytes = 0;
  for (const name of await readdir(folder)) {
    try {
      bytes += (await stat(join(folder, name))).size;
    } catch (error) {
      // Renamed between the two calls.
      if (errorCode(error) !== "ENOENT") throw error;
    }
  }
  return bytes;
}

async function hasObject(dir: string, id: ObjectId, signal: AbortSignal | undefined): Promise<boolean> {
  const output = await runGit({
    dir,
    args: ["cat-file", "--batch-check"],
    input: [`${id}\n`],
    waitMs: localMs,
    signal,
  });
  return !output.toString("utf8").endsWith("missing\n");
}

async function commitInfo(dir: string, commit: ObjectId, signal: AbortSignal | undefined): Promise<CommitInfo> {
  const output = await runGit({
    dir,
    args: [
      "log",
      "-1",
      "--no-show-signature",
      "--encoding=UTF-8",
      "--format=%ct%x00%<(250,trunc)%s",
      "--end-of-options",
      commit,
    ],
    waitMs: localMs,
    signal,
  });
  const [seconds = "", subject = ""] = output.toString("utf8").split("\0");
  const time = Number(seconds);
  return {
    id: commit,
    // A commit may claim any time; one that no calendar has is shown as the beginning.
    at: new Date(Number.isSafeInteger(time) && Math.abs(time) < 8e12 ? time * 1000 : 0).toISOString(),
    subject: cleanSubject(subject),
  };
}

function cleanSubject(text: string): string {
  // Control characters and marks that turn text around: a subject is printed on terminals and pages.
  const plain = text.replaceAll(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, " ").trim();
  return plain.slice(0, 200).toWellFormed().trimEnd();
}

function checkBranch(branch: string): string {
  const parsed = branchSchema.safeParse(branch);
  if (!parsed.success)
    throw new InputError(
      `not a branch that can be followed: ${JSON.stringify(branch.slice(0, 100))}`,
      parsed.error.issues[0]?.message ?? "",
    );
  return parsed.data;
}
