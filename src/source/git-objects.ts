import { isAscii, isUtf8 } from "node:buffer";
import { InputError } from "../core/errors.ts";
import { type ObjectId, objectIdSchema, treePathSchema } from "../core/names.ts";
import { DamagedCloneError } from "./bare-clone.ts";
import { runGit, streamGit } from "./git.ts";
import type { ObjectSession } from "./object-session.ts";
import { knownFolder } from "./kept-objects.ts";
import { listDifferingAt, readBlobsAt, readFoldersAt, walkFolders } from "./read-objects.ts";
import type { BlobPlace, TreeEntry } from "./repository.ts";

/** Reads from a clone on this machine: by object id only, never through a work tree. */
export interface Local {
  readonly dir: string;
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
  readonly session: ObjectSession;
}

export async function treeAt(local: Local, id: ObjectId, path: string): Promise<ObjectId | null> {
  objectIdSchema.parse(id);
  treePathSchema.parse(path);
  const known = knownFolder(local.session, { of: id, path: path === "." ? "" : path });
  if (known !== null) return known;
  const [found = null] = await local.session.describe([path === "." ? `${id}^{tree}` : `${id}:${path}`]);
  if (found === null) await expectAbsent(local, id, path);
  return found?.type === "tree" ? found.id : null;
}

/** Git says *missing* of a path that is not there and of an object that was lost: the tree above it tells which. */
async function expectAbsent(local: Local, id: ObjectId, path: string): Promise<void> {
  if (path === ".") throw new DamagedCloneError(`clone ${local.dir} has no tree of ${id}`);
  const listed = await runGit({
    ...local,
    args: ["--literal-pathspecs", "ls-tree", "-z", "--full-tree", "--end-of-options", id, path],
  });
  if (listed.length > 0) throw new DamagedCloneError(`clone ${local.dir} lists ${path} in ${id} and does not have it`);
}

/** As they come from git, many at a time: of hundreds of thousands a promise for each would be half of what they cost. */
export async function* listTree(
  local: Local,
  tree: ObjectId,
  { entryLimit, paths }: { readonly entryLimit: number; readonly paths: readonly string[] },
): AsyncGenerator<readonly TreeEntry[], void, undefined> {
  objectIdSchema.parse(tree);
  for (const path of paths) treePathSchema.parse(path);
  if (paths.length > 0 && paths.length <= walkedAlone && !paths.includes(".")) {
    // What lies inside another of them is listed with that one, and once.
    const outermost = [...new Set(paths)].filter((path) => !paths.some((outer) => path.startsWith(`${outer}/`)));
    const walked = await walkFolders(local.session, tree, { paths: outermost, limit: walkedEntries });
    if (walked !== null) {
      yield walked.slice(0, entryLimit);
      if (walked.length > entryLimit) throw tooLong(tree, entryLimit);
      return;
    }
  }
  let left = entryLimit;
  const args = ["ls-tree", "-r", "-t", "-z", "-l", "--full-tree", "--end-of-options", tree, ...paths];
  for await (const block of listEntries(local, args)) {
    const entries = parseEntries(block);
    yield entries.slice(0, left);
    if (entries.length > left) throw tooLong(tree, entryLimit);
    left -= entries.length;
  }
}

/** Whole lines of `ls-tree -z` as they come, each with its zero: of a folder of millions nobody holds all of them. */
async function* listEntries(local: Local, args: readonly string[]): AsyncGenerator<Buffer, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of streamGit({ ...local, args })) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = rest.lastIndexOf(0) + 1;
    if (end === 0) continue;
    yield rest.subarray(0, end);
    rest = rest.subarray(end);
  }
}

function splitLines(block: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0, end = block.indexOf(0); end !== -1; start = end + 1, end = block.indexOf(0, start))
    lines.push(block.subarray(start, end));
  return lines;
}

/** A piece of a buffer for each line costs more than the whole as one text, where a byte is a letter. */
function parseEntries(block: Buffer): TreeEntry[] {
  if (block.length === 0) return [];
  if (!isAscii(block)) return splitLines(block).map(parseEntry);
  return block
    .toString("latin1")
    .slice(0, -1)
    .split("\0")
    .map((line) => {
      const tab = line.indexOf("\t");
      return describeEntry(line.slice(0, tab), line.slice(tab + 1));
    });
}

/** More folders than this are listed by a process of their own: what it costs to start one is little then. */
const walkedAlone = 20;

/** Of larger folders too: one that names a million files is listed by git itself, until nobody wants more. */
const walkedEntries = 2_000;

function tooLong(tree: ObjectId, entryLimit: number): InputError {
  return new InputError(
    `tree ${tree} has more than ${entryLimit} entries`,
    "Move what is not source out of the repository.",
  );
}

/** As many as fit into the arguments of one process, whatever their length. */
const pathsPerListing = 500;

export async function foldersAt(
  local: Local,
  commit: ObjectId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, ObjectId>> {
  objectIdSchema.parse(commit);
  const wanted = new Set(paths.map((path) => treePathSchema.parse(path)));
  return (await readFoldersAt(local.session, commit, wanted)) ?? listFoldersAt(local, commit, wanted);
}

async function listFoldersAt(
  local: Local,
  commit: ObjectId,
  wanted: Set<string>,
): Promise<ReadonlyMap<string, ObjectId>> {
  const found = new Map<string, ObjectId>();
  if (wanted.delete(".")) {
    const root = await treeAt(local, commit, ".");
    if (root !== null) found.set(".", root);
  }
  const above = new Set([...wanted].map((path) => path.slice(0, path.lastIndexOf("/") + 1)));
  const listings: string[][] = above.delete("") ? [[]] : [];
  const folders = [...above].toSorted();
  for (let at = 0; at < folders.length; at += pathsPerListing) listings.push(folders.slice(at, at + pathsPerListing));
  for (const listing of listings) {
    const args = ["ls-tree", "-d", "-z", "--full-tree", "--end-of-options", commit, ...listing];
    for await (const block of listEntries(local, args))
      for (const line of splitLines(block)) {
        const [, type, id, path] = /^\d+ (\w+) ([0-9a-f]+)\t([^]+)$/.exec(line.toString("utf8")) ?? [];
        if (type === "tree" && path !== undefined && wanted.has(path)) found.set(path, objectIdSchema.parse(id));
      }
  }
  return found;
}

export async function differingAt(
  local: Local,
  commits: { readonly was: ObjectId; readonly is: ObjectId },
  folders: readonly string[],
): Promise<ReadonlyMap<string, ObjectId | null> | null> {
  for (const id of [commits.was, commits.is]) objectIdSchema.parse(id);
  for (const folder of folders) if (folder !== "") treePathSchema.parse(folder);
  return listDifferingAt(local.session, commits, folders);
}

export async function blobsAt(
  local: Local,
  commit: ObjectId,
  paths: readonly string[],
): Promise<ReadonlyMap<string, BlobPlace>> {
  objectIdSchema.parse(commit);
  for (const path of paths) treePathSchema.parse(path);
  const few = await readBlobsAt(local.session, commit, new Set(paths));
  if (few !== null) return few;
  const found = new Map<string, BlobPlace>();
  for (let at = 0; at < paths.length; at += pathsPerListing) {
    const some = paths.slice(at, at + pathsPerListing);
    const args = ["--literal-pathspecs", "ls-tree", "-z", "-l", "--full-tree", "--end-of-options", commit, ...some];
    const output = await runGit({ ...local, args });
    for (const { mode, id, bytes, path } of parseEntries(output)) {
      if (mode === "100644" || mode === "100755") found.set(path, { blob: id, bytes });
    }
  }
  return found;
}

function parseEntry(line: Buffer): TreeEntry {
  const tab = line.indexOf(0x09);
  const name = line.subarray(tab + 1);
  // A name that is not UTF-8 would come out as another name: keep it unmistakably unsafe, readers refuse it.
  const exact = isUtf8(name) ? name.toString("utf8") : `\0${name.toString("latin1")}`;
  return describeEntry(line.subarray(0, tab).toString("latin1"), exact);
}

/** `said`: mode, type, id, and the size with blanks before it. */
function describeEntry(said: string, path: string): TreeEntry {
  const type = said.indexOf(" ") + 1;
  const id = said.indexOf(" ", type) + 1;
  const size = said.indexOf(" ", id) + 1;
  const found = said.slice(type, id - 1);
  const bytes = said.slice(size).trimStart();
  return {
    mode: said.slice(0, type - 1),
    type: found === "tree" || found === "commit" ? found : "blob",
    id: objectIdSchema.parse(said.slice(id, size - 1)),
    bytes: bytes === "-" ? 0 : Number(bytes),
    path,
  };
}
