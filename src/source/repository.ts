import type { ObjectId } from "../core/names.ts";

/** One commit, for people. The subject is data from outside: printed with its control characters taken out. */
export interface CommitInfo {
  readonly id: ObjectId;
  /** Committer's time, ISO 8601 in UTC. */
  readonly at: string;
  /** First line, at most 200 characters. */
  readonly subject: string;
}

export interface BlobReading {
  readonly blob: ObjectId;
  readonly bytes: Buffer;
}

export interface BlobPlace {
  readonly blob: ObjectId;
  readonly bytes: number;
}

export interface TreeEntry {
  /** Git's mode: 100644, 100755, 120000 (link), 160000 (submodule). */
  readonly mode: string;
  readonly type: "blob" | "commit" | "tree";
  readonly id: ObjectId;
  readonly bytes: number;
  /** Relative to the tree that was listed. */
  readonly path: string;
}

/**
 * A bare clone of one repository, and the questions that are asked of it. Everything that needs the remote throws
 * UnavailableError with the repository's address (never its credentials) when there is no answer.
 */
export interface Repository {
  /** Without credentials: fit for messages. */
  readonly url: string;
  readonly dir: string;
  /** The tip of each branch by one look; null where the branch does not exist. */
  lookAtHeads(branches: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, ObjectId | null>>;
  /**
   * Makes sure that these commits are here. Asks the remote only for those that are not. `signal`: kills what asks, and
   * throws its reason.
   */
  fetchCommits(
    wanted: readonly { readonly branch: string; readonly commit: ObjectId }[],
    signal?: AbortSignal,
  ): Promise<void>;
  hasObject(id: ObjectId): Promise<boolean>;
  commitInfo(commit: ObjectId): Promise<CommitInfo>;
  /** Id of the tree at a path of a commit or tree; null where there is none, or it is not a folder. */
  treeAt(commitOrTree: ObjectId, path: string): Promise<ObjectId | null>;
  /** Ids of the folders at these paths of a commit, by one listing of the folders above them; those that are there. */
  foldersAt(commit: ObjectId, paths: readonly string[]): Promise<ReadonlyMap<string, ObjectId>>;
  /**
   * Paths right in these folders ("": the root) that are another thing in one commit than in the other, with the id of the
   * folder that is there in `is`; null: none. By one question. Null for all: a folder is not in both, or a commit is not
   * here any more.
   */
  differingAt(
    commits: { readonly was: ObjectId; readonly is: ObjectId },
    folders: readonly string[],
  ): Promise<ReadonlyMap<string, ObjectId | null> | null>;
  /** Regular files at these paths of a commit, by path; those that are there. */
  blobsAt(commit: ObjectId, paths: readonly string[]): Promise<ReadonlyMap<string, BlobPlace>>;
  /** Every entry below a tree, recursively, in git's order; `paths`: only those at or below them. InputError past `entryLimit`. Many at a time. */
  listTree(tree: ObjectId, entryLimit: number, paths?: readonly string[]): AsyncIterable<readonly TreeEntry[]>;
  /** The blobs, in the order asked for. */
  readBlobs(blobs: readonly ObjectId[]): AsyncIterable<BlobReading>;
}
