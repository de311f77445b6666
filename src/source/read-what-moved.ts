import { setImmediate } from "node:timers/promises";
import type { Name, ObjectId } from "../core/names.ts";
import type { KnownSource } from "../core/known-source.ts";
import { type AwayModule, claimOf, claimsOf, doubtProblem, listUnread } from "./away.ts";
import type { CompareSources } from "./compare-sources.ts";
import { deriveModule } from "./derive-edges.ts";
import { findStale } from "./find-stale.ts";
import type { Finding } from "./finding.ts";
import type { FolderReading } from "./folder-reading.ts";
import type { FactFiles, ImportReader, PublishedNames } from "./imports/import-reader.ts";
import { type ImportsOfBlobs, readAlone, readModuleImports } from "./imports/read-module-imports.ts";
import type { ReadingThread } from "./imports/reading-thread.ts";
import { factsKeyOf, shareFacts } from "./known-source.ts";
import type { SeenFolder, SeenFolders } from "./look-at-folders.ts";
import type { Placements } from "./placements.ts";
import type { Claim, Published } from "./publish-names.ts";
import type { ModuleFolder } from "./read-module-folders.ts";
import type { SourceFacts } from "./source-facts.ts";
import type { SourceMemory } from "./source-memory.ts";

export interface Work extends Pick<CompareSources, "modules" | "cache"> {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (() => void) | undefined;
  readonly thread: ReadingThread | undefined;
  readonly memory: SourceMemory;
  readonly known: ReadonlyMap<Name, KnownSource>;
  readonly readers: ReadonlyMap<string, ImportReader>;
  readonly placements: Placements;
  readonly seen: SeenFolders;
  readonly away: readonly AwayModule[];
  readonly reading: FolderReading;
  readonly commitOf: (seen: SeenFolder) => ObjectId;
}

interface Read {
  readonly facts: ReadonlyMap<Name, SourceFacts>;
  /** What would have to be read and cannot be, with why. */
  readonly unread: ReadonlyMap<Name, string>;
  readonly parsedFiles: number;
  readonly cachedFiles: number;
}

/** Folders that moved, and those whose imports may lead elsewhere now because of what others publish. */
export async function readWhatMoved(work: Work): Promise<Read> {
  const { seen, reading, readers } = work;
  const moved = seen.all.filter(({ known }) => known === null);
  // It is there by the time that the folders are listed.
  if (moved.length >= readAlone / 2) work.thread?.prepare();
  await reading.read(moved);
  const names = readNames(work);
  const published = work.memory.publishedOf(names.claims, work.placements);
  const factsKey = createFactsKey(work, moved);
  const stale = findStale(work, { moved, published, factsKey });
  await reading.read(stale);
  const wanted = [...moved, ...stale];
  const imports = await readModuleImports({
    folders: wanted.flatMap(({ module }) => reading.folders.get(module.module) ?? []),
    readers,
    cache: work.cache,
    signal: work.signal,
    onProgress: work.onProgress,
    thread: work.thread,
  });
  const derive = { ...work, published, own: names.own, imports: imports.files, past: imports.past, factsKey };
  const facts = new Map<Name, SourceFacts>();
  const unread = listUnread(work.away, published, factsKey);
  const whyAway = new Map(work.away.map(({ module, why }) => [module, why]));
  for (let left = wanted; left.length > 0;) {
    const asked = new Set<Name>();
    const again: SeenFolder[] = [];
    for (const [at, one] of left.entries()) {
      const { module } = one.module;
      // Files are read meanwhile; and what comes of them, or anything else that waits for this thread, has its turn.
      if (!imports.isReady(module)) await imports.whenReady(module);
      else if (at % derivedTogether === 0) await setImmediate();
      const needed = new Set<Name>();
      const derived = deriveOne(derive, one, needed);
      const gone = [...needed].find((name) => whyAway.has(name));
      const doubt = derived === null ? null : doubtProblem(derived, work.away);
      for (const name of gone === undefined ? needed : []) asked.add(name);
      if (gone !== undefined) unread.set(module, sayImportAway(gone, whyAway.get(gone)));
      else if (derived === null) again.push(one);
      else if (doubt !== null) unread.set(module, doubt);
      else facts.set(module, derived);
    }
    await reading.read([...asked].flatMap((module) => seen.find(module) ?? []));
    left = again;
  }
  const { parsed, cached } = await imports.finish();
  return { facts, unread, parsedFiles: parsed, cachedFiles: cached };
}

/** Takes some milliseconds. */
const derivedTogether = 32;

function sayImportAway(name: Name, why: string | undefined): string {
  return `what its import of ${name} leads to cannot be read: ${why ?? "its source is away"}`;
}

/** What every module publishes: of those that were read by their reader, of the others as it is known. */
function readNames({ seen, away, known: recorded, reading, readers }: Work): {
  readonly claims: readonly Claim[];
  readonly own: ReadonlyMap<Name, OwnNames>;
} {
  const own = new Map<Name, OwnNames>();
  const claims: Claim[] = [];
  for (const { module: of, known, claim } of seen.all) {
    if (claim !== null) claims.push(claim);
    if (known !== null) continue;
    const folder = reading.folders.get(of.module);
    if (folder === undefined) continue;
    const said = sayOwnNames(folder, readers, claimOf(of.module, recorded.get(of.module) ?? null));
    own.set(of.module, said);
    if (said.claim !== null) claims.push(said.claim);
  }
  return { claims: [...claims, ...claimsOf(away)], own };
}

interface OwnNames {
  /** What its reader says; undefined: nobody can read it. */
  readonly said: PublishedNames | undefined;
  /** What counts for others. */
  readonly claim: Claim | null;
}

/**
 * A module whose manifest or names cannot be read still is who it was: those who import it wait for it, instead of being told
 * that nobody publishes what they import. One that has no folder any more publishes nothing.
 */
function sayOwnNames(folder: ModuleFolder, readers: ReadonlyMap<string, ImportReader>, before: Claim | null): OwnNames {
  const { module } = folder.module;
  const reader = readerOf(readers, folder);
  if (reader === undefined) return { said: undefined, claim: folder.problem?.stage === "manifest" ? before : null };
  const said = reader.publishNames({ facts: folder.facts, files: folder.files.map((file) => file.path) });
  const isUnread = said.names.length === 0 && said.findings.some(({ severity }) => severity === "error");
  const isSameLanguage = before?.language === reader.language;
  return {
    said,
    claim: isUnread && isSameLanguage ? before : { module, language: reader.language, names: said.names },
  };
}

function readerOf(
  readers: ReadonlyMap<string, ImportReader>,
  folder: ModuleFolder | undefined,
): ImportReader | undefined {
  return folder?.manifest ? readers.get(folder.manifest.language) : undefined;
}

/** Of a module as it is now; null: it is not there. */
function createFactsKey(
  { seen, away, reading, readers }: Work,
  moved: readonly SeenFolder[],
): (module: Name) => string | null {
  const read = new Set(moved.map((one) => one.module.module));
  const knownAway = new Map(away.map((one) => [one.module, one.known] as const));
  return (module) => {
    if (!read.has(module)) return (knownAway.get(module) ?? seen.find(module)?.known)?.factsKey ?? null;
    return ownFactsKey(readers, reading.folders.get(module));
  };
}

interface Shared {
  readonly facts: FactFiles;
  key: string | null;
}

/** What a folder shows to others: each who imports it asks for it. */
const shared = new WeakMap<ModuleFolder, Shared>();

function sharedOf(readers: ReadonlyMap<string, ImportReader>, folder: ModuleFolder): Shared {
  const known = shared.get(folder) ?? { facts: shareFacts(folder.facts, readerOf(readers, folder)), key: null };
  shared.set(folder, known);
  return known;
}

function factsOf(readers: ReadonlyMap<string, ImportReader>, folder: ModuleFolder | undefined): FactFiles {
  return folder === undefined ? new Map<string, string>() : sharedOf(readers, folder).facts;
}

function ownFactsKey(readers: ReadonlyMap<string, ImportReader>, folder: ModuleFolder | undefined): string {
  if (folder === undefined) return factsKeyOf(new Map<string, string>());
  const own = sharedOf(readers, folder);
  return (own.key ??= factsKeyOf(own.facts));
}

interface Derive extends Work {
  readonly published: Published;
  readonly own: ReadonlyMap<Name, OwnNames>;
  readonly imports: ImportsOfBlobs;
  readonly past: ReadonlyMap<Name, Finding>;
  readonly factsKey: (module: Name) => string | null;
}

/** Null: fact files of modules are wanted that were not read; their names are in `asked` then. */
function deriveOne(work: Derive, one: SeenFolder, asked: Set<Name>): SourceFacts | null {
  const folder = work.reading.folders.get(one.module.module);
  if (folder === undefined) throw new Error(`the folder of ${one.module.module} was to be read`);
  const reader = readerOf(work.readers, folder);
  const before = claimOf(one.module.module, work.known.get(one.module.module) ?? null);
  const { said: own, claim } = work.own.get(one.module.module) ?? sayOwnNames(folder, work.readers, before);
  const uses = new Map<Name, string>();
  let missing = false;
  const facts = deriveModule({
    folder,
    reader,
    own,
    published: work.published,
    placements: work.placements,
    imports: work.imports,
    past: work.past.get(one.module.module),
    factsOf: (other) => {
      const key = work.factsKey(other);
      if (key === null) return new Map<string, string>();
      uses.set(other, key);
      const read = work.reading.folders.get(other);
      if (read === undefined) {
        asked.add(other);
        missing = true;
      }
      return factsOf(work.readers, read);
    },
  });
  if (missing) return null;
  const known: KnownSource | null =
    one.folder === null
      ? null
      : {
          commit: work.commitOf(one),
          folder: one.folder,
          sourceKey: one.sourceKey,
          namesKey: work.published.key(claim?.language ?? ""),
          language: claim?.language ?? null,
          publishes: [...(claim?.names ?? [])],
          factsKey: ownFactsKey(work.readers, folder),
          uses: Object.fromEntries(uses),
        };
  return { ...facts, known };
}
