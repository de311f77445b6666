import type { Name, ObjectId } from "../../core/names.ts";
import type { Repository } from "../repository.ts";
import { boundImports, type ModuleBounds } from "./bound-imports.ts";
import type { ImportCache } from "./import-cache.ts";
import type { FileImports, ImportReader, SourceText } from "./import-reader.ts";
import type { ReadingThread } from "./reading-thread.ts";

const blobsPerBatch = 500;
const bytesPerBatch = 8 * 1024 * 1024;
/** One is read while another is on its way there, and two come back and are kept: nobody holds more texts than these. */
const jobsBeside = 4;

export interface Wanted {
  readonly path: string;
  readonly bytes: number;
  readonly reader: ImportReader;
  readonly repository: Repository;
  /** How often each module has it. */
  readonly holders: Map<Name, number>;
}

/** Blobs that one reader reads under one key. */
export interface BlobGroup {
  readonly key: string;
  /** Added to. */
  readonly files: Map<ObjectId, FileImports>;
  readonly bounds: ModuleBounds;
  readonly cache: ImportCache;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (() => void) | undefined;
  /** Everything is known of it that will be. */
  readonly settle: (file: Wanted) => void;
}

/** Reads them in this thread. Answers how many there were. */
export async function parseBlobs(
  group: BlobGroup,
  repository: Repository,
  blobs: ReadonlyMap<ObjectId, Wanted>,
): Promise<number> {
  let parsed = 0;
  let batch: Batch = { files: [], bytes: 0 };
  // One batch is parsed while git hands out the next one and the records take the last one. No more than that are held.
  let parsing: Promise<unknown> = Promise.resolve();
  let keeping: Promise<void> = Promise.resolve();
  let keptBefore = keeping;
  const flush = async (): Promise<void> => {
    const { files } = batch;
    batch = { files: [], bytes: 0 };
    await parsing;
    await keptBefore;
    const fresh = parseBatch(files).then((read) => takeRead(group, blobs, read));
    parsing = fresh;
    keptBefore = keeping;
    keeping = Promise.all([fresh, keeping]).then(([some]) => group.cache.write(group.key, some));
    // absence is the answer: it is awaited below; it must only not be unhandled until then
    keeping.catch(() => undefined);
  };
  for await (const { blob, bytes } of repository.readBlobs([...blobs.keys()])) {
    const file = blobs.get(blob);
    if (file === undefined) continue;
    if (group.bounds.isNobodys(file.holders)) {
      group.settle(file);
      continue;
    }
    batch.files.push({ blob, path: file.path, text: bytes.toString("utf8"), reader: file.reader });
    batch.bytes += bytes.length;
    parsed += 1;
    if (batch.files.length >= blobsPerBatch || batch.bytes >= bytesPerBatch) await flush();
  }
  if (batch.files.length > 0) await flush();
  await keeping;
  return parsed;
}

/** Has them read by another thread. */
export interface ParsingBeside {
  /** Resolves when there is room for more. */
  read(blobs: ReadonlyMap<ObjectId, Wanted>): Promise<void>;
  /** When all are read: how many there were. */
  finish(): Promise<number>;
}

export function createParsingBeside(group: BlobGroup, thread: ReadingThread): ParsingBeside {
  const running = new Set<Promise<void>>();
  let parsed = 0;
  let keeping: Promise<void> = Promise.resolve();
  const readJob = async (repository: Repository, blobs: ReadonlyMap<ObjectId, Wanted>): Promise<void> => {
    const files = [...blobs].map(([blob, { path }]) => ({ blob, path }));
    const [first] = blobs.values();
    const language = first?.reader.language;
    const limitBytes = [...blobs.values()].reduce((most, { bytes }) => Math.max(most, bytes), 0);
    const read =
      language === undefined ? null : await thread.read({ dir: repository.dir, language, files, limitBytes });
    if (read === null) {
      // Not added to before it is known: others are read meanwhile.
      const count = await parseBlobs(group, repository, blobs);
      parsed += count;
      return;
    }
    parsed += files.length;
    const fresh = takeRead(group, blobs, zipRead(files, read));
    keeping = keeping.then(() => group.cache.write(group.key, fresh));
    await keeping;
  };
  return {
    read: async (blobs) => {
      for (const { repository, files } of cutJobs(group, blobs)) {
        while (running.size >= jobsBeside) await Promise.race(running);
        const job = readJob(repository, files).finally(() => running.delete(job));
        running.add(job);
        // absence is the answer: it is awaited above or in `finish`; it must only not be unhandled until then
        job.catch(() => undefined);
      }
    },
    finish: async () => {
      await Promise.all(running);
      await keeping;
      return parsed;
    },
  };
}

interface Job {
  readonly repository: Repository;
  readonly files: Map<ObjectId, Wanted>;
}

/** Those of one clone together, and not too many bytes at once. */
function cutJobs(group: BlobGroup, blobs: ReadonlyMap<ObjectId, Wanted>): Job[] {
  const jobs: Job[] = [];
  let last: Job | null = null;
  let bytes = 0;
  for (const [blob, file] of blobs) {
    if (group.bounds.isNobodys(file.holders)) {
      group.settle(file);
      continue;
    }
    if (last === null || last.repository !== file.repository || bytes + file.bytes > bytesPerBatch) {
      last = { repository: file.repository, files: new Map() };
      jobs.push(last);
      bytes = 0;
    }
    last.files.set(blob, file);
    bytes += file.bytes;
  }
  return jobs;
}

/** What the cache is to keep. */
function takeRead(
  group: BlobGroup,
  blobs: ReadonlyMap<ObjectId, Wanted>,
  read: readonly (readonly [ObjectId, FileImports])[],
): ReadonlyMap<ObjectId, FileImports> {
  const fresh = new Map<ObjectId, FileImports>();
  for (const [blob, all] of read) {
    const file = blobs.get(blob);
    if (file === undefined) continue;
    const imports = boundImports(all);
    group.bounds.add(file.holders, imports);
    group.files.set(blob, imports);
    group.settle(file);
    // A machine that was short of memory for a moment says nothing of the file: its own reader reads it the next time.
    if (imports.isMakeshift !== true) fresh.set(blob, imports);
  }
  group.signal?.throwIfAborted();
  group.onProgress?.();
  return fresh;
}

interface Batch {
  readonly files: (SourceText & { readonly blob: ObjectId; readonly reader: ImportReader })[];
  bytes: number;
}

/** All of one reader: they were grouped by its key. */
async function parseBatch(files: Batch["files"]): Promise<(readonly [ObjectId, FileImports])[]> {
  const [first] = files;
  if (first === undefined) return [];
  return zipRead(files, await first.reader.readImports(files));
}

function zipRead(
  files: readonly { readonly blob: ObjectId; readonly path: string }[],
  read: readonly FileImports[],
): (readonly [ObjectId, FileImports])[] {
  return files.map(({ blob, path }, at) => {
    const imports = read[at];
    if (imports === undefined) throw new Error(`the reader left ${path} out`);
    return [blob, imports] as const;
  });
}
