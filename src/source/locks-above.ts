import type { ObjectId } from "../core/names.ts";
import type { Finding } from "./finding.ts";
import { type FactFiles, factBytesLimit, type ImportReader } from "./imports/import-reader.ts";
import type { BlobPlace, Repository } from "./repository.ts";

/** A lock file in a folder above a module, which may be of a workspace that the module is a member of. */
export interface LockAbove extends BlobPlace {
  /** Its name, without folders. */
  readonly file: string;
  /** The module's folder, relative to that of the file. */
  readonly member: string;
}

type Reader = Pick<ImportReader, "workspaceLock">;

/** By the modules' paths; the nearest first. One question to git for all modules at one commit. */
export async function findLocksAbove(
  repository: Pick<Repository, "blobsAt">,
  commit: ObjectId,
  { paths, readers, memory }: FindLocksAbove,
): Promise<ReadonlyMap<string, readonly LockAbove[]>> {
  const asking = { readers: [...readers], memory };
  const placesOf = (path: string): readonly LockPlace[] => listLockPlaces(path, asking);
  const asked = new Set<string>();
  for (const path of paths) for (const place of placesOf(path)) asked.add(place.path);
  if (asked.size === 0) return new Map();
  const there = await repository.blobsAt(commit, [...asked].toSorted());
  const found = new Map<string, readonly LockAbove[]>();
  for (const path of paths) {
    const above: LockAbove[] = [];
    for (const place of placesOf(path)) {
      const blob = there.get(place.path);
      if (blob !== undefined) above.push({ file: place.file, member: place.member, ...blob });
    }
    if (above.length > 0) found.set(path, above);
  }
  return found;
}

export interface FindLocksAbove {
  readonly paths: readonly string[];
  readonly readers: Iterable<Reader>;
  readonly memory?: { readonly lockPlaces: Map<string, readonly LockPlace[]> };
}

export interface LockPlace {
  readonly path: string;
  readonly file: string;
  readonly member: string;
}

/** Where lock files may lie above a module. */
export function listLockPlaces(
  path: string,
  { readers, memory }: { readonly readers: readonly Reader[]; readonly memory?: FindLocksAbove["memory"] | undefined },
): readonly LockPlace[] {
  const known = memory?.lockPlaces.get(path);
  if (known !== undefined) return known;
  const files = readers.flatMap(({ workspaceLock }) => (workspaceLock === undefined ? [] : [workspaceLock.file]));
  const places = listPlaces(path, files);
  memory?.lockPlaces.set(path, places);
  return places;
}

function listPlaces(path: string, files: readonly string[]): LockPlace[] {
  if (path === ".") return [];
  const segments = path.split("/");
  const places: LockPlace[] = [];
  for (let above = segments.length - 1; above >= 0; above -= 1) {
    const member = segments.slice(above).join("/");
    for (const file of files) places.push({ path: [...segments.slice(0, above), file].join("/"), file, member });
  }
  return places;
}

export type LockFromAbove =
  | { readonly kind: "lock"; readonly file: string; readonly text: string }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly finding: Finding };

/** The nearest lock file above that is about this module, as the module's own. One in its own folder goes before all of them. */
export function readLockAbove(
  locks: readonly LockAbove[],
  reader: Reader | undefined,
  facts: FactFiles,
  textOf: (blob: ObjectId) => string | undefined,
): LockFromAbove {
  const { workspaceLock } = reader ?? {};
  if (workspaceLock === undefined || facts.has(workspaceLock.file)) return { kind: "none" };
  for (const { file, member, blob } of locks.filter((one) => one.file === workspaceLock.file)) {
    const place = `${"../".repeat(member.split("/").length)}${file}`;
    const text = textOf(blob);
    if (text === undefined) return refuse(place, `larger than ${factBytesLimit} bytes`);
    const lock = workspaceLock.read(text, member, facts);
    if (lock.kind === "refused") return refuse(place, lock.finding.message);
    if (lock.kind === "lock") return { kind: "lock", file, text: lock.text };
  }
  return { kind: "none" };
}

function refuse(file: string, message: string): LockFromAbove {
  return { kind: "refused", finding: { severity: "error", file, line: 0, message } };
}
