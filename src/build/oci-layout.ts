import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import { errorCode } from "../core/errors.ts";
import { digestSchema } from "../core/names.ts";
import type { IndexEntry } from "./artifact-manifest.ts";

/** The two files that make a folder an OCI image layout, and the one that several writers share. */
const indexSchema = z.looseObject({
  schemaVersion: z.literal(2),
  manifests: z.array(
    z.looseObject({
      mediaType: z.string(),
      digest: digestSchema,
      size: z.number(),
      annotations: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

const emptyIndex = { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests: [] };

/** A writer holds the index for milliseconds; a lock this old belongs to one that was killed. */
const staleLockMs = 30_000;
const lockWaitMs = 60_000;

export async function createLayout(dir: string): Promise<void> {
  await writeOnce(join(dir, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await writeOnce(join(dir, "index.json"), JSON.stringify(emptyIndex));
}

type IndexEntries = z.infer<typeof indexSchema>["manifests"];

export async function addToIndex(dir: string, entry: IndexEntry): Promise<void> {
  await withIndex(dir, (entries) =>
    entries.some((known) => known.digest === entry.digest)
      ? entries
      : [...entries, { ...entry, annotations: { ...entry.annotations } }],
  );
}

/** Runs with the entries of the index while nobody else changes them, and writes what it answers where that is another. */
export async function withIndex(
  dir: string,
  change: (entries: IndexEntries) => IndexEntries | Promise<IndexEntries>,
): Promise<void> {
  await withLock(join(dir, "index.json.lock"), async () => {
    const path = join(dir, "index.json");
    const index = indexSchema.parse(JSON.parse(await readFile(path, "utf8")));
    const manifests = await change(index.manifests);
    if (manifests.length === index.manifests.length && manifests.every((one, at) => one === index.manifests[at]))
      return;
    await replace(path, JSON.stringify({ ...index, manifests }));
  });
}

async function writeOnce(path: string, text: string): Promise<void> {
  try {
    await stat(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await replace(path, text);
  }
}

async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  const file = await open(temporary, "wx", 0o644);
  try {
    await file.writeFile(text);
    await file.sync();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  const until = Date.now() + lockWaitMs;
  for (;;) {
    if (await takeLock(path)) break;
    if (Date.now() > until) throw new Error(`the artifact store's index is locked by ${path}`);
    await wait(10 + Math.random() * 20);
  }
  try {
    await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function takeLock(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx")).close();
    return true;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  try {
    if (Date.now() - (await stat(path)).mtimeMs > staleLockMs) await removeStale(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  return false;
}

/** Moved first and looked at again: two may find it stale, and the slower one must not take away what the faster one made. */
async function removeStale(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside);
  try {
    if (Date.now() - (await stat(aside)).mtimeMs <= staleLockMs) await link(aside, path);
  } finally {
    await rm(aside, { force: true });
  }
}
