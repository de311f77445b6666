import type { Name } from "../core/names.ts";
import { fillGap, findRootGaps, sayGap, type RootGap } from "../link/root-chain.ts";
import { verifyNextRoot } from "../link/next-root.ts";
import { verifyRoot } from "../link/root.ts";
import type { Queryable } from "../store/database.ts";
import { getRoot, keepRoot, listRootVersions } from "../store/roots.ts";
import { listRootFiles, readRootFiles, saveRootFile } from "./root-folder.ts";

/** Roots that hosts have to walk over and that the records lack, and why the folder of roots does not give them. */
export interface OpenGap extends RootGap {
  readonly why: string;
}

/**
 * Puts back into the records the published roots that they lack, from the files of this machine, lowest first, each gap as
 * a whole or not at all. What is left over is missing: a host that has the root before cannot go on.
 */
export async function putRootsBack(db: Queryable, mesh: Name, folder: string): Promise<OpenGap[]> {
  const versions = await listRootVersions(db, mesh);
  const gaps = findRootGaps(versions);
  if (gaps.length === 0) return [];
  const files = await listRootFiles(folder);
  const open: OpenGap[] = [];
  for (const gap of gaps) {
    const hasBefore = versions.includes(gap.from - 1);
    const left = await putGapBack(db, { mesh, gap, hasBefore, folder, files });
    if (left !== null) open.push(left);
  }
  return open;
}

/** What is still missing; null: nothing. */
async function putGapBack(
  db: Queryable,
  parts: {
    readonly mesh: Name;
    readonly gap: RootGap;
    readonly hasBefore: boolean;
    readonly folder: string;
    readonly files: readonly number[];
  },
): Promise<OpenGap | null> {
  const { mesh, gap, hasBefore, folder } = parts;
  const files = parts.files.filter((version) => version >= gap.from && version <= gap.to);
  // Below the lowest that is known, as many as are there without a hole; between two, all.
  const from = hasBefore ? gap.from : lowestWithoutHole(files, gap);
  if (from > gap.to) return { ...gap, why: `${folder} does not have it` };
  const after = await getRoot(db, mesh, gap.to + 1);
  if (after === null) return { ...gap, why: `root ${gap.to + 1} went away meanwhile` };
  const filled = fillGap(
    { from, to: gap.to },
    {
      mesh,
      before: hasBefore ? await getRoot(db, mesh, gap.from - 1) : null,
      offered: await readRootFiles(folder, files),
      after,
    },
  );
  if (!filled.ok) return { ...gap, why: `root ${filled.version} of ${folder}: ${filled.message}` };
  for (const root of filled.roots) await keepRoot(db, mesh, root);
  return from === gap.from ? null : { from: gap.from, to: from - 1, why: `${folder} does not have it` };
}

function lowestWithoutHole(files: readonly number[], { from, to }: RootGap): number {
  let lowest = to + 1;
  while (lowest > from && files.includes(lowest - 1)) lowest -= 1;
  return lowest;
}

/** In words for the person who has to find the document. */
export function sayOpenGap({ why, ...gap }: OpenGap): string {
  const { from, to } = gap;
  const host = from === 2 ? "root 1" : `root ${from - 1}${from === to ? "" : " or one of them"}`;
  return `${sayGap(gap)} is not in the records, root ${to + 1} is: a host that has ${host} cannot go on (${why})`;
}

/**
 * Every root of the records that leads to the one which is gone by gets its file, so that the records are not the only ones
 * that have it. `newest` is verified. Stops at the first that does not lead there.
 */
export async function saveRootFiles(
  db: Queryable,
  mesh: Name,
  {
    folder,
    newest,
  }: { readonly folder: string; readonly newest: { readonly version: number; readonly envelope: Buffer } },
): Promise<void> {
  const there = new Set(await listRootFiles(folder));
  const known = new Set(await listRootVersions(db, mesh));
  if (!there.has(newest.version)) await saveRootFile(folder, newest);
  if ([...known].every((version) => there.has(version) || version >= newest.version)) return;
  let after = newest;
  for (let version = newest.version - 1; known.has(version); version -= 1) {
    const envelope = await getRoot(db, mesh, version);
    if (envelope === null || !leadsTo(envelope, { mesh, after })) return;
    if (!there.has(version)) await saveRootFile(folder, { version, envelope });
    after = { version, envelope };
  }
}

function leadsTo(
  envelope: Buffer,
  { mesh, after }: { readonly mesh: Name; readonly after: { readonly version: number; readonly envelope: Buffer } },
): boolean {
  const verified = verifyRoot(envelope, { mesh });
  if (!verified.ok || verified.root.version !== after.version - 1) return false;
  return verifyNextRoot(after.envelope, { have: verified.root }).ok;
}
