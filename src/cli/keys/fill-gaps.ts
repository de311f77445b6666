import { InputError } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { fillGap, findRootGaps, sayGap, type RootGap } from "../../link/root-chain.ts";
import { verifyRoot } from "../../link/root.ts";
import type { Queryable } from "../../store/database.ts";
import { getRoot, keepRoot, listRootVersions } from "../../store/roots.ts";
import { saveRootFile } from "../../worker/root-folder.ts";

export interface OfferedRoot {
  readonly file: string;
  readonly bytes: Buffer;
}

/**
 * Takes the roots that close gaps of the records, each gap as a whole, and their files. The versions that are there now;
 * none: nothing that was offered lies in a gap. Throws InputError for one that does and does not fit.
 */
export async function fillGaps(
  db: Queryable,
  { mesh, offered, folder }: { readonly mesh: Name; readonly offered: readonly OfferedRoot[]; readonly folder: string },
): Promise<number[]> {
  const byVersion = new Map<number, Buffer>();
  for (const { bytes } of offered) {
    const verified = verifyRoot(bytes, { mesh });
    // What is no root by itself is refused as the next one, with its reason.
    if (verified.ok) byVersion.set(verified.root.version, bytes);
  }
  const versions = await listRootVersions(db, mesh);
  const filled: number[] = [];
  for (const gap of findRootGaps(versions)) {
    if (![...byVersion.keys()].some((version) => version >= gap.from && version <= gap.to)) continue;
    const hasBefore = versions.includes(gap.from - 1);
    const before = hasBefore ? await getRoot(db, mesh, gap.from - 1) : null;
    const after = await getRoot(db, mesh, gap.to + 1);
    if (after === null || (hasBefore && before === null)) throw changed();
    const found = fillGap(gap, { mesh, before, offered: byVersion, after });
    if (!found.ok) throw refused(gap, found);
    for (const root of found.roots) {
      if (!(await keepRoot(db, mesh, root))) throw changed();
      await saveRootFile(folder, root);
      filled.push(root.version);
    }
  }
  return filled;
}

function refused(
  gap: RootGap,
  { version, message }: { readonly version: number; readonly message: string },
): InputError {
  const what = version > gap.to ? `root ${version} in the records` : `root ${version}`;
  return new InputError(
    `${sayGap(gap)} would close a gap in the records, and ${what} does not fit: ${message}`,
    `give all of it in one command: ${sayGap(gap)}, as published`,
  );
}

function changed(): InputError {
  return new InputError("the roots in the records changed meanwhile", "type it again");
}
