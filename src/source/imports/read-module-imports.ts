import type { Name, ObjectId } from "../../core/names.ts";
import type { Finding } from "../finding.ts";
import type { ModuleFolder } from "../read-module-folders.ts";
import type { Repository } from "../repository.ts";
import { boundImports, createModuleBounds, type ModuleBounds } from "./bound-imports.ts";
import type { ImportCache } from "./import-cache.ts";
import { type FileImports, fileImportsSchema, type ImportReader, type SourceText } from "./import-reader.ts";

/** Generated code is large, but not this large; past it a file is not parsed and its module says so. */
const sourceBytesLimit = 4 * 1024 * 1024;
const blobsPerBatch = 500;
const bytesPerBatch = 8 * 1024 * 1024;

export interface ModuleImports {
  /** By `importsKey`. */
  readonly files: ReadonlyMap<string, FileImports>;
  /** Modules whose files have too many together: `files` may not have all of theirs. */
  readonly past: ReadonlyMap<Name, Finding>;
  readonly parsed: number;
  readonly cached: number;
}

export function importsKey(readerKey: string, blob: ObjectId): string {
  return `${readerKey} ${blob}`;
}

interface Wanted {
  readonly path: string;
  readonly reader: ImportReader;
  readonly repository: Repository;
  readonly holders: Map<Name, number>;
}

export interface ReadModuleImports {
  readonly folders: readonly ModuleFolder[];
  readonly readers: ReadonlyMap<string, ImportReader>;
  readonly cache: ImportCache;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (() => void) | undefined;
}

/** The imports of every source file of every module. Only blobs that nobody parsed before are read at all. */
export async function readModuleImports(options: ReadModuleImports): Promise<ModuleImports> {
  const files = new Map<string, FileImports>();
  const bounds = createModuleBounds();
  let parsed = 0;
  let cached = 0;
  for (const language of new Set(options.folders.map(({ manifest }) => manifest?.language)))
    if (language !== undefined) await options.readers.get(language)?.prepare?.();
  for (const [key, wanted] of groupByReader(options)) {
    const missing = new Map<Repository, Map<ObjectId, Wanted>>();
    for (const blobs of inBatches([...wanted.keys()])) {
      const known = await options.cache.read(key, blobs);
      for (const blob of blobs) {
        const file = wanted.get(blob);
        if (file === undefined || bounds.isNobodys(file.holders)) continue;
        // What the cache has may be from another time: only what its schema accepts is used.
        const found = fileImportsSchema.safeParse(known.get(blob));
        if (found.success) {
          cached += 1;
          bounds.add(file.holders, found.data);
          files.set(importsKey(key, blob), found.data);
        } else
          missing.set(file.repository, (missing.get(file.repository) ?? new Map<ObjectId, Wanted>()).set(blob, file));
      }
    }
    for (const [repository, blobs] of missing)
      parsed += await parseBlobs({ ...options, key, repository, blobs, files, bounds });
  }
  return { files, past: bounds.past, parsed, cached };
}

/** The records answer with all they have of one batch at once. */
function inBatches(blobs: readonly ObjectId[]): ObjectId[][] {
  return Array.from({ length: Math.ceil(blobs.length / blobsPerBatch) }, (_, at) =>
    blobs.slice(at * blobsPerBatch, (at + 1) * blobsPerBatch),
  );
}

function groupByReader(options: ReadModuleImports): Map<string, Map<ObjectId, Wanted>> {
  const groups = new Map<string, Map<ObjectId, Wanted>>();
  for (const folder of options.folders) {
    const reader = folder.manifest === null ? undefined : options.readers.get(folder.manifest.language);
    if (reader === undefined) continue;
    for (const file of folder.files) {
      if (!reader.isSource(file.path) || file.bytes > sourceBytesLimit) continue;
      const key = reader.readerKey(file.path);
      const group = groups.get(key) ?? new Map<ObjectId, Wanted>();
      const { module } = folder.module;
      const holders = group.get(file.blob)?.holders ?? new Map<Name, number>();
      holders.set(module, (holders.get(module) ?? 0) + 1);
      group.set(file.blob, { path: file.path, reader, repository: folder.repository, holders });
      groups.set(key, group);
    }
  }
  return groups;
}

interface ParseBlobs extends ReadModuleImports {
  readonly key: string;
  readonly repository: Repository;
  readonly blobs: ReadonlyMap<ObjectId, Wanted>;
  /** Added to. */
  readonly files: Map<string, FileImports>;
  readonly bounds: ModuleBounds;
}

async function parseBlobs(options: ParseBlobs): Promise<number> {
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
    const fresh = parseAndNote(options, files);
    parsing = fresh;
    keptBefore = keeping;
    keeping = Promise.all([fresh, keeping]).then(([some]) => options.cache.write(options.key, some));
    // absence is the answer: it is awaited below; it must only not be unhandled until then
    keeping.catch(() => undefined);
  };
  for await (const { blob, bytes } of options.repository.readBlobs([...options.blobs.keys()])) {
    const file = options.blobs.get(blob);
    if (file === undefined || options.bounds.isNobodys(file.holders)) continue;
    batch.files.push({ blob, path: file.path, text: bytes.toString("utf8"), reader: file.reader });
    batch.bytes += bytes.length;
    parsed += 1;
    if (batch.files.length >= blobsPerBatch || batch.bytes >= bytesPerBatch) await flush();
  }
  if (batch.files.length > 0) await flush();
  await keeping;
  return parsed;
}

/** What the cache is to keep. */
async function parseAndNote(options: ParseBlobs, files: Batch["files"]): Promise<ReadonlyMap<ObjectId, FileImports>> {
  const fresh = new Map(await parseBatch(files));
  for (const [blob, imports] of fresh) {
    options.bounds.add(options.blobs.get(blob)?.holders ?? new Map(), imports);
    options.files.set(importsKey(options.key, blob), imports);
  }
  options.signal?.throwIfAborted();
  options.onProgress?.();
  // A machine that was short of memory for a moment says nothing of the file: its own reader reads it the next time.
  return new Map([...fresh].filter(([, { isMakeshift }]) => isMakeshift !== true));
}

interface Batch {
  readonly files: (SourceText & { readonly blob: ObjectId; readonly reader: ImportReader })[];
  bytes: number;
}

/** All of one reader: they were grouped by its key. */
async function parseBatch(files: Batch["files"]): Promise<(readonly [ObjectId, FileImports])[]> {
  const [first] = files;
  if (first === undefined) return [];
  const read = await first.reader.readImports(files);
  return files.map(({ blob, path }, at) => {
    const imports = read[at];
    if (imports === undefined) throw new Error(`the reader of ${first.reader.language} left ${path} out`);
    return [blob, boundImports(imports)] as const;
  });
}
