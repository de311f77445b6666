import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../core/errors.ts";
import { digestSchema, type Digest } from "../core/names.ts";
import { withIndex } from "./oci-layout.ts";

export interface SweepArtifact {
  /** Of the artifact store. */
  readonly dir: string;
  /** Everything that lies there because of one artifact; shared ones left out. */
  readonly blobs: readonly Digest[];
  /** A blob that was written later than this long ago is in use again, whatever the records said before. */
  readonly graceMs: number;
}

export interface Swept {
  readonly removed: readonly Digest[];
  /** Written again in the meantime. */
  readonly fresh: readonly Digest[];
  readonly bytes: number;
}

/**
 * Removes one artifact's blobs and its entries in the index, under the index's lock. A writer puts its blobs first and
 * its entry after, under the same lock: what it put before is fresh and stays, what it puts after is new.
 */
export async function sweepArtifact(options: SweepArtifact): Promise<Swept> {
  let removed: Digest[] = [];
  let fresh: Digest[] = [];
  let bytes = 0;
  await mkdir(join(options.dir, "incoming"), { recursive: true });
  await withIndex(options.dir, async (index) => {
    // It may run again: a blob that was removed before may have been written anew since.
    removed = [];
    fresh = [];
    for (const digest of options.blobs) {
      const size = await removeUnlessFresh(options, digest);
      if (size === null) fresh.push(digest);
      else {
        removed.push(digest);
        bytes += size;
      }
    }
    return index.filter((entry) => !removed.includes(entry.digest));
  });
  return { removed, fresh, bytes };
}

/** Its size, 0 where it was gone already; null: it is fresh, and stays. */
async function removeUnlessFresh({ dir, graceMs }: SweepArtifact, digest: Digest): Promise<number | null> {
  const path = join(dir, "blobs", "sha256", digestSchema.parse(digest).slice("sha256:".length));
  const before = await whenThere(stat(path));
  if (before === null) return 0;
  if (Date.now() - before.mtimeMs < graceMs) return null;
  // Moved first and looked at again: a writer may have put a new one under this name since.
  const aside = join(dir, "incoming", `collect-${randomUUID()}`);
  await rename(path, aside);
  const moved = await stat(aside);
  if (Date.now() - moved.mtimeMs < graceMs) {
    await rename(aside, path);
    return null;
  }
  await rm(aside);
  return moved.size;
}
