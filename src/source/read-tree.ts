import { InputError } from "../core/errors.ts";
import type { ObjectId } from "../core/names.ts";
import type { Finding } from "./finding.ts";
import type { Repository, TreeEntry } from "./repository.ts";
import { type FolderEntry, foldersAbove, treeIdWithout } from "./tree-id.ts";

export interface TreeFile {
  /** Relative to the module's folder, forward slashes. */
  readonly path: string;
  readonly mode: "644" | "755";
  readonly blob: ObjectId;
  readonly bytes: number;
}

export interface TreeLimits {
  readonly files: number;
  readonly bytes: number;
  readonly depth: number;
}

export const treeLimits: TreeLimits = { files: 20_000, bytes: 512 * 1024 * 1024, depth: 40 };

/** A repository may hold more than its modules; past this a listing is given up. */
const repositoryEntries = 2_000_000;

/** More folders than this are read by one listing of everything. */
const listedAlone = 200;

export type TreeReading =
  | {
      readonly kind: "tree";
      /** Without the folders of other modules. */
      readonly tree: ObjectId;
      /** The same without these files too, which lie in the module's folder itself. */
      readonly treeWithoutFiles: (files: readonly string[]) => ObjectId;
      readonly files: readonly TreeFile[];
      readonly findings: readonly Finding[];
    }
  /** No folder of that name at that commit. */
  | { readonly kind: "missing"; readonly why: string }
  /** Past a limit, or a path that could leave its folder. */
  | { readonly kind: "refused"; readonly why: string };

/** A folder to read: `without` are the folders of other modules inside it, relative to `path`. */
export interface TreeFolder {
  readonly path: string;
  readonly without: readonly string[];
}

export interface ReadTrees {
  readonly repository: Repository;
  readonly commit: ObjectId;
  readonly folders: readonly TreeFolder[];
  readonly limits?: TreeLimits;
  /** Of one listing: files and folders of the repository. */
  readonly entryLimit?: number;
}

/**
 * The folders' trees at one commit, in the order asked for, by one listing of the repository. Where that is too long,
 * because a few hundred bytes of git can name a thousand million files, each folder that was not refused by then is
 * listed alone: one that is too large is refused, and stops no other.
 */
export async function readTrees(options: ReadTrees): Promise<TreeReading[]> {
  const { repository, commit } = options;
  const root = await repository.treeAt(commit, ".");
  if (root === null) throw new InputError(`${commit} of repository ${repository.url} is no commit`);
  const gather = (folder: TreeFolder): Gatherer => createGatherer(folder, options.limits ?? treeLimits);
  const together = options.folders.map((folder) => ({ folder, gatherer: gather(folder) }));
  const isWhole = await listInto(together, options, root);
  const readings: TreeReading[] = [];
  for (const one of together) {
    const alone = isWhole || one.gatherer.isRefused() ? one : { ...one, gatherer: gather(one.folder) };
    if (alone !== one && !(await listInto([alone], options, root)))
      alone.gatherer.refuse(`listing it takes more than ${options.entryLimit ?? repositoryEntries} files and folders`);
    readings.push(alone.gatherer.finish(repository, commit, root));
  }
  return readings;
}

interface Gathered {
  readonly folder: TreeFolder;
  readonly gatherer: Gatherer;
}

/** False: given up at the limit. It ends as soon as nobody wants more. */
async function listInto(gathered: readonly Gathered[], options: ReadTrees, root: ObjectId): Promise<boolean> {
  const byFolder = new Map<string, Gatherer[]>();
  for (const { folder, gatherer } of gathered) {
    const same = byFolder.get(folder.path);
    if (same === undefined) byFolder.set(folder.path, [gatherer]);
    else same.push(gatherer);
  }
  const whole = byFolder.get(".") ?? [];
  const longest = [...byFolder.keys()].reduce((most, path) => Math.max(most, path.length), 0);
  // Of a few folders only those are listed: the rest of the repository may be a million files.
  const few = whole.length === 0 && gathered.length <= listedAlone;
  const paths = few ? gathered.map(({ folder }) => folder.path) : [];
  let left = options.entryLimit ?? repositoryEntries;
  let wanting = gathered.length;
  const show = (gatherer: Gatherer, entry: TreeEntry): void => {
    if (gatherer.isRefused()) return;
    gatherer.see(entry);
    if (gatherer.isRefused()) wanting -= 1;
  };
  // Each entry is shown to those that it lies in, and not to every module of the repository.
  const showToAll = (entry: TreeEntry): void => {
    const start = entry.path.length <= longest ? entry.path.length : entry.path.lastIndexOf("/", longest);
    for (let end = start; end > 0; end = entry.path.lastIndexOf("/", end - 1))
      for (const gatherer of byFolder.get(entry.path.slice(0, end)) ?? []) show(gatherer, entry);
    for (const gatherer of whole) show(gatherer, entry);
  };
  for await (const entries of options.repository.listTree(root, left + 1, paths))
    for (const entry of entries) {
      if (wanting === 0) return true;
      if (left === 0) return false;
      left -= 1;
      showToAll(entry);
    }
  return true;
}

/** The module's tree at a commit. Links and submodules are findings of severity *error*. */
export async function readTree(options: Omit<ReadTrees, "folders"> & TreeFolder): Promise<TreeReading> {
  const [reading] = await readTrees({ ...options, folders: [options] });
  if (reading === undefined) throw new Error("one folder gives one reading");
  return reading;
}

interface Gatherer {
  see(entry: TreeEntry): void;
  isRefused(): boolean;
  refuse(why: string): void;
  finish(repository: Repository, commit: ObjectId, root: ObjectId): TreeReading;
}

function createGatherer(folder: TreeFolder, limits: TreeLimits): Gatherer {
  const prefix = folder.path === "." ? "" : `${folder.path}/`;
  const files: TreeFile[] = [];
  const findings: Finding[] = [];
  const entries = new Map(foldersAbove(folder.without).map((path): [string, FolderEntry[]] => [path, []]));
  let tree: ObjectId | null = null;
  let refused: string | null = null;
  let bytes = 0;
  const known = new Set<string>();
  const without = new Set(folder.without);
  const longest = folder.without.reduce((most, path) => Math.max(most, path.length), 0);
  /** By the folders that it lies in: of other modules inside there may be thousands. */
  const isAnothers = (path: string): boolean => {
    const start = path.length <= longest ? path.length : path.lastIndexOf("/", longest);
    for (let end = start; end > 0; end = path.lastIndexOf("/", end - 1))
      if (without.has(path.slice(0, end))) return true;
    return false;
  };
  // A folder too: what is below it may be deeper than anybody wants to be told.
  const refuseUnsafe = (path: string): void => {
    const unsafe = describeUnsafePath(path, limits.depth);
    if (unsafe !== null) refused ??= `${JSON.stringify(path.slice(0, 200))}: ${unsafe}`;
  };
  const take = (entry: TreeEntry, path: string): void => {
    refuseUnsafe(path);
    if (refused !== null) return;
    if (entry.mode === "120000" || entry.mode === "160000") {
      const message =
        entry.mode === "120000"
          ? "a symbolic link: modules hold files only"
          : "a submodule: modules hold files only, register it as a module of its own";
      if (findings.length < 100) findings.push({ severity: "error", file: path, line: 0, message });
      return;
    }
    bytes += entry.bytes;
    if (files.length >= limits.files) refused ??= `more than ${limits.files} files`;
    else if (bytes > limits.bytes) refused ??= `more than ${limits.bytes} bytes of files`;
    else files.push({ path, mode: entry.mode === "100755" ? "755" : "644", blob: entry.id, bytes: entry.bytes });
  };
  return {
    isRefused: () => refused !== null,
    refuse: (why) => void (refused ??= why),
    see: (entry) => {
      if (entry.path === folder.path && entry.type === "tree") tree = entry.id;
      if (!entry.path.startsWith(prefix) || refused !== null) return;
      const path = entry.path.slice(prefix.length);
      const slash = path.lastIndexOf("/");
      const { mode, type, id } = entry;
      entries.get(slash === -1 ? "" : path.slice(0, slash))?.push({ mode, type, id, name: path.slice(slash + 1) });
      if (isAnothers(path)) return;
      // Git writes no such tree, and reads one: which of the two is meant nobody can say.
      if (known.has(path)) refused ??= `${JSON.stringify(path.slice(0, 200))}: there are two of that name`;
      known.add(path);
      if (entry.type === "tree") refuseUnsafe(path);
      else take(entry, path);
    },
    finish: (repository, commit, root) => {
      const found = folder.path === "." ? root : tree;
      if (found === null)
        return { kind: "missing", why: `there is no folder ${folder.path} at commit ${commit} of ${repository.url}` };
      if (refused !== null)
        return { kind: "refused", why: `folder ${folder.path} of ${repository.url} is refused: ${refused}` };
      const idWithout = (lost: readonly string[]): ObjectId =>
        treeIdWithout(found, entries, { folders: folder.without, files: lost });
      return { kind: "tree", tree: idWithout([]), treeWithoutFiles: idWithout, files, findings };
    },
  };
}

const plainPath = /^[\w@-][\w.@-]*(?:\/[\w@-][\w.@-]*)*$/;

/** Why a path from a repository must not become a path on this machine; null when it may (case 54). */
export function describeUnsafePath(path: string, depth: number): string | null {
  // Nearly all: of plain letters, no part begins with a dot, and no longer than the shortest that could be too deep.
  if (path.length <= Math.min(255, depth * 2) && plainPath.test(path)) return null;
  if (/[\p{Cc}\\]/u.test(path)) return "control characters, backslashes or bytes that are not UTF-8 in a name";
  if (Buffer.byteLength(path) > 1000) return "a path of more than 1000 bytes";
  const segments = path.split("/");
  if (segments.length > depth) return `deeper than ${depth} folders`;
  for (const segment of segments) {
    if (segment === "" || segment === "." || segment === "..") return "an empty, . or .. segment";
    if (Buffer.byteLength(segment) > 255) return "a name of more than 255 bytes";
    if (/^\.git$|^git~[0-9]+$/i.test(segment.replaceAll(/[. ]+$/g, "").replaceAll("\u200c", "")))
      return "a .git folder of its own";
  }
  return null;
}
