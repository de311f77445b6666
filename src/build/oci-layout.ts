import { randomUUID } from "node:crypto";
import { renameSync } from "node:fs";
import { open, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { errorCode } from "../core/errors.ts";
import { digestSchema, type Digest } from "../core/names.ts";
import type { IndexEntry } from "./artifact-manifest.ts";
import { withLock } from "./index-lock.ts";

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

export async function createLayout(dir: string): Promise<void> {
  await writeOnce(join(dir, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await writeOnce(join(dir, "index.json"), JSON.stringify(emptyIndex));
}

type IndexEntries = z.infer<typeof indexSchema>["manifests"];

/** Additions of this process, by folder, that wait for the index: it is written once for all of them. */
const waiting = new Map<string, { readonly entries: IndexEntry[]; readonly written: Promise<void> }>();

/**
 * Resolves when the index has it. The index is one file, and written whole: of builds that end while another one writes it, each
 * would wait for all before it. Those that come before a writer has read it are added by that one.
 */
export function addToIndex(dir: string, entry: IndexEntry): Promise<void> {
  const before = waiting.get(dir);
  if (before !== undefined) {
    before.entries.push(entry);
    return before.written;
  }
  const entries = [entry];
  const close = (): void => {
    if (waiting.get(dir)?.entries === entries) waiting.delete(dir);
  };
  const written = withIndex(dir, (known) => {
    close();
    const digests = new Set(known.map(({ digest }) => digest));
    const fresh = new Map(entries.filter(({ digest }) => !digests.has(digest)).map((one) => [one.digest, one]));
    return fresh.size === 0
      ? known
      : [...known, ...[...fresh.values()].map((one) => ({ ...one, annotations: { ...one.annotations } }))];
  }).finally(close);
  waiting.set(dir, { entries, written });
  return written;
}

/**
 * Runs with the entries of the index while nobody else changes them, and writes what it answers where that is another. It runs
 * again, with the entries as they are then, where this process stood still until others took the index over.
 */
export async function withIndex(
  dir: string,
  change: (entries: IndexEntries) => IndexEntries | Promise<IndexEntries>,
): Promise<void> {
  await withLock(join(dir, "index.json.lock"), async (lock) => {
    const path = join(dir, "index.json");
    const index = await readIndex(dir);
    const manifests = await change(index.manifests);
    if (manifests.length === index.manifests.length && manifests.every((one, at) => one === index.manifests[at]))
      return;
    await replace(path, JSON.stringify({ ...index, manifests }), () => lock.expectHeld());
  });
}

/** What the index names, as it is now: it is replaced as a whole. */
export async function readIndexed(dir: string): Promise<readonly Digest[]> {
  return (await readIndex(dir)).manifests.map(({ digest }) => digest);
}

async function readIndex(dir: string): Promise<z.infer<typeof indexSchema>> {
  return indexSchema.parse(JSON.parse(await readFile(join(dir, "index.json"), "utf8")));
}

async function writeOnce(path: string, text: string): Promise<void> {
  try {
    await stat(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    await replace(path, text);
  }
}

/** `expectMay` throws where it may not: asked last, and without a pause before it is done. */
async function replace(path: string, text: string, expectMay?: () => void): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  const file = await open(temporary, "wx", 0o644);
  try {
    await file.writeFile(text);
    await file.sync();
    expectMay?.();
    renameSync(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
