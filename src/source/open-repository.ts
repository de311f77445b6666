import { type ObjectId, objectIdSchema } from "../core/names.ts";
import { UnavailableError } from "../core/errors.ts";
import { askRemote } from "./ask-remote.ts";
import { discardClone, initialiseClone, isDamage } from "./bare-clone.ts";
import { checkBranch } from "./check-branch.ts";
import { commitInfo } from "./commit-info.ts";
import type { Remote } from "./fetch-commit.ts";
import { fetchCommits, hasObject } from "./fetch-commits.ts";
import type { GitConfig } from "./git.ts";
import { readBlobs } from "./git-blobs.ts";
import { blobsAt, differingAt, foldersAt, listTree, treeAt } from "./git-objects.ts";
import { createObjectSession, type ObjectSession } from "./object-session.ts";
import { readCredentials, type HostCredentials } from "./remote-credentials.ts";
import type { Repository } from "./repository.ts";
import { checkRepositoryUrl } from "./repository-url.ts";

export interface OpenRepository {
  /** A file path, file://, https:// or ssh address. */
  readonly url: string;
  /** Folder of the bare clone; made when it is not there. */
  readonly dir: string;
  readonly signal?: AbortSignal;
  /** Largest clone, in bytes: git knows no such limit, so it is watched while it fetches. */
  readonly cloneBytes?: number;
  /** Most that a source may say when it is asked for its branches. */
  readonly lookBytes?: number;
  readonly credentials?: HostCredentials;
  /** The clone was damaged and is gone: the next fetch makes it anew. */
  readonly onDamaged?: (why: string) => Promise<void>;
  /** The clone could not be made smaller. Where nobody is told, whoever fetched waits for it, and has the error. */
  readonly onUntidy?: (error: unknown) => void;
}

const lookMs = 30_000;
const localMs = 60_000;
/** More are asked for all at once: one question to a source, however many modules follow it. */
const headsPerLook = 200;
const lookBytesLimit = 64 * 1024 * 1024;

/** Opens (and at first makes) the bare clone. Does not talk to the remote. InputError for an address we refuse. */
export async function openRepository(options: OpenRepository): Promise<Repository> {
  const url = checkRepositoryUrl(options.url);
  const { dir, signal } = options;
  await initialiseClone(dir);
  const session = createObjectSession({ dir, waitMs: localMs, signal });
  const local = { dir, waitMs: localMs, signal, session };
  const config = (): Promise<GitConfig> => readCredentials(url, options.credentials ?? {});
  const explain = (error: unknown): Promise<unknown> => explainDamage(error, session, { ...options, url });
  const onUntidy = options.onUntidy && (async (error: unknown) => options.onUntidy?.(await explain(error)));
  const remote = { url, dir, signal, session, config, cloneBytes: options.cloneBytes ?? 4 * 1024 ** 3, onUntidy };
  const whole = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw await explain(error);
    }
  };
  return {
    url,
    dir,
    lookAtHeads: (branches, own) =>
      lookAtHeads({ ...remote, signal: joinSignals(signal, own) }, branches, options.lookBytes ?? lookBytesLimit),
    fetchCommits: (wanted, own) => whole(fetchCommits({ ...remote, signal: joinSignals(signal, own) }, wanted)),
    hasObject: (id) => whole(hasObject(session, id)),
    commitInfo: (commit) => whole(commitInfo(local, commit)),
    treeAt: (id, path) => whole(treeAt(local, id, path)),
    foldersAt: (commit, paths) => whole(foldersAt(local, commit, paths)),
    differingAt: (commits, folders) => whole(differingAt(local, commits, folders)),
    blobsAt: (commit, paths) => whole(blobsAt(local, commit, paths)),
    listTree: (tree, entryLimit, paths) =>
      wholeStream(listTree(local, tree, { entryLimit, paths: paths ?? [] }), explain),
    readBlobs: (blobs) => wholeStream(readBlobs(local, blobs), explain),
  };
}

function joinSignals(all: AbortSignal | undefined, own: AbortSignal | undefined): AbortSignal | undefined {
  return all === undefined || own === undefined ? (all ?? own) : AbortSignal.any([all, own]);
}

/** A damaged clone heals: it is thrown away, and whoever asks again has it made anew (case 4). */
async function explainDamage(
  error: unknown,
  session: ObjectSession,
  { url, dir, onDamaged }: OpenRepository,
): Promise<unknown> {
  if (!isDamage(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  await discardClone(dir);
  session.forget();
  await onDamaged?.(why);
  return new UnavailableError(
    `the clone of repository ${url} was damaged and is made again: ${why.slice(0, 300)}`,
    "Nothing is to be done when it comes alone. When it comes again and again, the disk is to be looked at.",
    { cause: error },
  );
}

async function* wholeStream<T>(
  source: AsyncIterable<T>,
  explain: (error: unknown) => Promise<unknown>,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* source;
  } catch (error) {
    throw await explain(error);
  }
}

/** `--heads`: a forge has a ref for every change that was ever proposed, and none of them is asked for. */
async function lookAtHeads(
  remote: Remote,
  branches: readonly string[],
  lookBytes: number,
): Promise<ReadonlyMap<string, ObjectId | null>> {
  const { url, signal } = remote;
  const heads = new Map<string, ObjectId | null>();
  for (const branch of branches) heads.set(checkBranch(branch), null);
  const refs = heads.size > headsPerLook ? [] : [...heads.keys()].map((branch) => `refs/heads/${branch}`);
  const output = await askRemote(url, {
    args: ["ls-remote", "--quiet", "--heads", "--end-of-options", url, ...refs],
    waitMs: lookMs,
    signal,
    config: await remote.config(),
    outputBytes: lookBytes,
  });
  for (const line of output.toString("utf8").split("\n")) {
    // A pattern also matches at the end of longer names: only whole names count.
    const [id, ref] = line.split("\t");
    if (id === undefined || ref === undefined || !ref.startsWith("refs/heads/")) continue;
    const branch = ref.slice("refs/heads/".length);
    if (heads.has(branch)) heads.set(branch, objectIdSchema.parse(id));
  }
  return heads;
}
