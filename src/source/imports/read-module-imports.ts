import type { Name, ObjectId } from "../../core/names.ts";
import type { Finding } from "../finding.ts";
import type { ModuleFolder } from "../read-module-folders.ts";
import type { Repository } from "../repository.ts";
import { createModuleBounds } from "./bound-imports.ts";
import type { ImportCache } from "./import-cache.ts";
import { type FileImports, fileImportsSchema, type ImportReader } from "./import-reader.ts";
import { type BlobGroup, createParsingBeside, parseBlobs, type Wanted } from "./parse-blobs.ts";
import type { ReadingThread } from "./reading-thread.ts";

/** Generated code is large, but not this large; past it a file is not parsed and its module says so. */
export const sourceBytesLimit = 4 * 1024 * 1024;
const blobsPerQuestion = 500;
/** Fewer are read before another thread has begun. */
export const readAlone = 1_000;

/** By `readerKey`, then by blob. */
export type ImportsOfBlobs = ReadonlyMap<string, ReadonlyMap<ObjectId, FileImports>>;

/** The reading of every module's files. What is read of a module is whole when it is ready, and no sooner. */
export interface ModuleImports {
  readonly files: ImportsOfBlobs;
  /** Modules whose files have too many together: `files` may not have all of theirs. */
  readonly past: ReadonlyMap<Name, Finding>;
  isReady(module: Name): boolean;
  /** Rejects with what kept anything from being read. */
  whenReady(module: Name): Promise<void>;
  /** All of them. */
  finish(): Promise<{ readonly parsed: number; readonly cached: number }>;
}

export interface ReadModuleImports {
  readonly folders: readonly ModuleFolder[];
  readonly readers: ReadonlyMap<string, ImportReader>;
  readonly cache: ImportCache;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (() => void) | undefined;
  /** Left out: everything is read by this one. */
  readonly thread?: ReadingThread | undefined;
}

/**
 * The imports of every source file of every module. Only blobs that nobody parsed before are read at all. It goes on behind
 * whoever works on the modules that are ready.
 */
export async function readModuleImports(options: ReadModuleImports): Promise<ModuleImports> {
  for (const language of new Set(options.folders.map(({ manifest }) => manifest?.language)))
    if (language !== undefined) await options.readers.get(language)?.prepare?.();
  const groups = groupByReader(options);
  const files = new Map([...groups.keys()].map((key) => [key, new Map<ObjectId, FileImports>()]));
  const bounds = createModuleBounds();
  const progress = createProgress(groups);
  const reading = readGroups({ ...options, groups, files, bounds, settle: progress.settle });
  // absence is the answer: it is awaited by `finish`; it must only not be unhandled until then
  reading.catch(() => undefined);
  return {
    files,
    past: bounds.past,
    isReady: progress.isReady,
    whenReady: async (module) => {
      // Rejects with what kept anything from being read; when all was, it is ready.
      if (!progress.isReady(module)) await Promise.race([progress.next(module), reading]);
    },
    finish: () => reading,
  };
}

interface Progress {
  readonly settle: (file: Wanted) => void;
  readonly isReady: (module: Name) => boolean;
  readonly next: (module: Name) => Promise<void>;
}

function createProgress(groups: ReadonlyMap<string, ReadonlyMap<ObjectId, Wanted>>): Progress {
  const left = new Map<Name, number>();
  for (const group of groups.values())
    for (const { holders } of group.values())
      for (const module of holders.keys()) left.set(module, (left.get(module) ?? 0) + 1);
  const waiting = new Map<Name, () => void>();
  return {
    settle: ({ holders }) => {
      for (const module of holders.keys()) {
        const now = (left.get(module) ?? 0) - 1;
        left.set(module, now);
        if (now === 0) waiting.get(module)?.();
      }
    },
    isReady: (module) => (left.get(module) ?? 0) === 0,
    next: (module) => new Promise((resolve) => waiting.set(module, resolve)),
  };
}

interface ReadGroups extends ReadModuleImports, Omit<BlobGroup, "key" | "files"> {
  readonly groups: ReadonlyMap<string, ReadonlyMap<ObjectId, Wanted>>;
  readonly files: ReadonlyMap<string, Map<ObjectId, FileImports>>;
}

async function readGroups(options: ReadGroups): Promise<{ readonly parsed: number; readonly cached: number }> {
  const counts = { parsed: 0, cached: 0 };
  for (const [key, wanted] of options.groups) {
    const group: BlobGroup = { ...options, key, files: options.files.get(key) ?? new Map<ObjectId, FileImports>() };
    const [first] = wanted.values();
    const isBeside = wanted.size >= readAlone && first?.reader.needsBytesAlone === true;
    const thread = isBeside ? options.thread : undefined;
    thread?.prepare();
    const beside = thread === undefined ? null : createParsingBeside(group, thread);
    const missing = new Map<ObjectId, Wanted>();
    for await (const some of listUnknown(group, wanted, counts)) {
      if (beside === null) for (const [blob, file] of some) missing.set(blob, file);
      else await beside.read(some);
    }
    for (const [repository, blobs] of groupByRepository(missing))
      counts.parsed += await parseBlobs(group, repository, blobs);
    counts.parsed += (await beside?.finish()) ?? 0;
  }
  return counts;
}

/** What the cache knows is taken; the others are handed out, those of one question together. */
async function* listUnknown(
  group: BlobGroup,
  wanted: ReadonlyMap<ObjectId, Wanted>,
  counts: { cached: number },
): AsyncGenerator<ReadonlyMap<ObjectId, Wanted>, void, undefined> {
  const questions = inBatches([...wanted.keys()]);
  const ask = async (at: number): Promise<ReadonlyMap<ObjectId, unknown>> => {
    const blobs = questions[at];
    return blobs === undefined ? new Map<ObjectId, unknown>() : group.cache.read(group.key, blobs);
  };
  let asked = ask(0);
  for (const [at, blobs] of questions.entries()) {
    const known = await asked;
    // The records look for the next ones meanwhile.
    asked = ask(at + 1);
    // absence is the answer: it is awaited in the next turn; it must only not be unhandled until then
    asked.catch(() => undefined);
    const unknown = new Map<ObjectId, Wanted>();
    for (const blob of blobs) {
      const file = wanted.get(blob);
      if (file === undefined) continue;
      // What the cache has may be from another time: only what its schema accepts is used.
      const found = known.has(blob) ? fileImportsSchema.safeParse(known.get(blob)) : null;
      if (found?.success !== true) unknown.set(blob, file);
      else {
        if (!group.bounds.isNobodys(file.holders)) {
          counts.cached += 1;
          group.bounds.add(file.holders, found.data);
          group.files.set(blob, found.data);
        }
        group.settle(file);
      }
    }
    yield unknown;
  }
}

/** The records answer with all they have of one batch at once. */
function inBatches(blobs: readonly ObjectId[]): ObjectId[][] {
  return Array.from({ length: Math.ceil(blobs.length / blobsPerQuestion) }, (_, at) =>
    blobs.slice(at * blobsPerQuestion, (at + 1) * blobsPerQuestion),
  );
}

function groupByRepository(blobs: ReadonlyMap<ObjectId, Wanted>): Map<Repository, Map<ObjectId, Wanted>> {
  const groups = new Map<Repository, Map<ObjectId, Wanted>>();
  for (const [blob, file] of blobs)
    groups.set(file.repository, (groups.get(file.repository) ?? new Map<ObjectId, Wanted>()).set(blob, file));
  return groups;
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
      const { path, bytes } = file;
      group.set(file.blob, { path, bytes, reader, repository: folder.repository, holders });
      groups.set(key, group);
    }
  }
  return groups;
}
