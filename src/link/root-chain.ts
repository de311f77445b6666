import { verifyNextRoot } from "./next-root.ts";
import { verifyRoot } from "./root.ts";

/** One root document under the version that it has, or is said to have. */
export interface VersionedRoot {
  readonly version: number;
  readonly envelope: Buffer;
}

/** Versions that are missing between others, both ends included. */
export interface RootGap {
  readonly from: number;
  readonly to: number;
}

/**
 * What lacks of root 2 up to the highest. Root 1 may lack: a host enrols with one, and asks for those after it.
 * `versions` in any order.
 */
export function findRootGaps(versions: readonly number[]): RootGap[] {
  const gaps: RootGap[] = [];
  let last = 1;
  for (const version of versions.toSorted((a, b) => a - b)) {
    if (version > last + 1) gaps.push({ from: last + 1, to: version - 1 });
    last = Math.max(last, version);
  }
  return gaps;
}

/** `root 4`, `roots 4 to 6`. */
export function sayGap({ from, to }: RootGap): string {
  return from === to ? `root ${from}` : `roots ${from} to ${to}`;
}

export type FilledGap =
  | { readonly ok: true; readonly roots: readonly VersionedRoot[] }
  /** Why the first of those offered does not fit, or which is not among them. */
  | { readonly ok: false; readonly version: number; readonly message: string };

/**
 * The roots that close a gap as a whole: each is vouched for by the one before, and the one that is there after the gap
 * by the last of them. Without that one, a root of another line could get between. `before` is null where nothing is known
 * below the gap: then the lowest is good by what comes after it, and a host that has an older one judges it by its own.
 */
export function fillGap(
  { from, to }: RootGap,
  known: {
    readonly mesh: string;
    readonly before: Buffer | null;
    readonly offered: ReadonlyMap<number, Buffer>;
    readonly after: Buffer;
  },
): FilledGap {
  const roots: VersionedRoot[] = [];
  let have: Buffer | null = known.before;
  for (let version = from; version <= to + 1; version += 1) {
    const envelope = version > to ? known.after : known.offered.get(version);
    if (envelope === undefined) return { ok: false, version, message: "it is not there" };
    const why = whyNotNext(envelope, { mesh: known.mesh, version, have });
    if (why !== null) return { ok: false, version, message: why };
    if (version <= to) roots.push({ version, envelope });
    have = envelope;
  }
  return { ok: true, roots };
}

/** Null: it is root `version` of the mesh, and the one before vouches for it, where there is one. */
function whyNotNext(
  envelope: Buffer,
  { mesh, version, have }: { readonly mesh: string; readonly version: number; readonly have: Buffer | null },
): string | null {
  const itself = verifyRoot(envelope, { mesh });
  if (!itself.ok) return itself.message;
  if (itself.root.version !== version) return `it is root ${itself.root.version}`;
  if (have === null) return null;
  const before = verifyRoot(have, { mesh });
  if (!before.ok) return `root ${version - 1} is refused: ${before.message}`;
  const next = verifyNextRoot(envelope, { have: before.root });
  return next.ok ? null : next.message;
}
