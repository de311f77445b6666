import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../core/errors.ts";
import { digestSchema, type Digest } from "../core/names.ts";
import { readIndexed, withIndex } from "./oci-layout.ts";

export interface SweepBlobs {
  /** Of the artifact store. */
  readonly dir: string;
  /**
   * What may go, shared blobs left out: asked once the index is held, as what was listed before may be in use again since. It
   * is asked again where the index was lost meanwhile.
   */
  readonly list: () => Promise<readonly Digest[]>;
  /** A blob that was written later than this long ago is in use again, whatever the records said before. */
  readonly graceMs: number;
}

export interface Swept {
  readonly removed: readonly Digest[];
  /** They were not there. */
  readonly absent: readonly Digest[];
  /** Written again in the meantime. */
  readonly fresh: readonly Digest[];
  readonly bytes: number;
}

/**
 * Removes blobs and their entries in the index, under the index's lock and by one write of it. A writer puts its blobs first
 * and its entry after, under the same lock: what it put before is fresh and stays, what it puts after is new.
 */
export async function sweepBlobs(options: SweepBlobs): Promise<Swept> {
  const { dir, graceMs } = options;
  let removed: Digest[] = [];
  let absent: Digest[] = [];
  let fresh: Digest[] = [];
  let bytes = 0;
  await mkdir(join(dir, "incoming"), { recursive: true });
  await withIndex(dir, async (index) => {
    // It may run again: a blob that was removed before may have been written anew since.
    removed = [];
    absent = [];
    fresh = [];
    for (const digest of new Set(await options.list())) {
      const size = await removeUnlessFresh({ dir, graceMs }, digest);
      if (size === "fresh") fresh.push(digest);
      else if (size === "absent") absent.push(digest);
      else {
        removed.push(digest);
        bytes += size;
      }
    }
    const gone = new Set([...removed, ...absent]);
    return index.filter((entry) => !gone.has(entry.digest));
  });
  return { removed, absent, fresh, bytes };
}

/** Its size where it was removed. */
async function removeUnlessFresh(
  { dir, graceMs }: Pick<SweepBlobs, "dir" | "graceMs">,
  digest: Digest,
): Promise<number | "fresh" | "absent"> {
  const path = pathOfBlob(dir, digest);
  const before = await whenThere(stat(path));
  if (before === null) return "absent";
  if (Date.now() - before.mtimeMs < graceMs) return "fresh";
  // Moved first and looked at again: a writer may have put a new one under this name since.
  const aside = join(dir, "incoming", `collect-${randomUUID()}`);
  await rename(path, aside);
  const moved = await stat(aside);
  if (Date.now() - moved.mtimeMs < graceMs) {
    await rename(aside, path);
    return "fresh";
  }
  await rm(aside);
  return moved.size;
}

/** Whether there is anything to sweep: without the lock, for what is most probably gone long since. */
export async function createLeftLook(dir: string): Promise<(blobs: readonly Digest[]) => Promise<boolean>> {
  const indexed = new Set(await readIndexed(dir));
  return async (blobs) => {
    for (const digest of blobs)
      if (indexed.has(digest) || (await whenThere(stat(pathOfBlob(dir, digest)))) !== null) return true;
    return false;
  };
}

function pathOfBlob(dir: string, digest: Digest): string {
  return join(dir, "blobs", "sha256", digestSchema.parse(digest).slice("sha256:".length));
}
