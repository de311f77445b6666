import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compareSources, createImportReaders, headKey } from "../../../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../../../src/source/imports/import-cache.ts";
import type { ImportReader } from "../../../../src/source/imports/import-reader.ts";
import { openRepository } from "../../../../src/source/open-repository.ts";
import type { Repository } from "../../../../src/source/repository.ts";
import type { RegisteredModule, SourceFacts } from "../../../../src/source/source-facts.ts";
import { createGitRepository } from "../../../support/git-repository.ts";

/** A row of a language's table: real files, and what must be found out about one module. */
export interface Situation {
  readonly what: string;
  /** By path from the repository's root. Every folder with a mesh.yaml is a module, by the name it says. */
  readonly files: Readonly<Record<string, string>>;
  /** The module that is asked about; `app` where it is left out. */
  readonly of?: string;
  /** All of its edges, e.g. `core build src/a.ts:2`, by dependency. */
  readonly edges: readonly string[];
  /** All of its findings, in any order, each as `error src/a.ts:2: message`. None where it is left out. */
  readonly findings?: readonly RegExp[];
}

/** Situations in one real repository, a folder each. */
export interface SituationBed {
  /** Everything that a reader makes of a situation, from the files to the facts. */
  read(situation: Situation, reader: ImportReader): Promise<SourceFacts>;
  /** What differs from what must be; empty where the situation holds. */
  judge(situation: Situation, reader: ImportReader): Promise<readonly string[]>;
  remove(): Promise<void>;
}

export async function openSituations(situations: readonly Situation[]): Promise<SituationBed> {
  const origin = await createGitRepository();
  const folders = new Map(situations.map((situation, at) => [situation, `row-${at}`]));
  const files: Record<string, string> = {};
  for (const [situation, folder] of folders)
    for (const [path, text] of Object.entries(situation.files)) files[`${folder}/${path}`] = text;
  const commit = await origin.commit(files);
  const clones = await mkdtemp(join(tmpdir(), "mesh-test-"));
  const opened = await openRepository({ url: origin.dir, dir: join(clones, "clone.git") });
  await opened.fetchCommits([{ branch: "main", commit }]);
  const repository = rememberReads(opened);
  const read = async (situation: Situation, reader: ImportReader): Promise<SourceFacts> => {
    const { modules } = await compareSources({
      modules: listModules(situation, folders.get(situation) ?? ""),
      repositories: new Map([["code", repository]]),
      heads: new Map([[headKey("code", "main"), commit]]),
      cache: createMemoryImportCache(),
      readers: new Map(createImportReaders()).set(reader.language, reader),
    });
    const facts = modules.find((one) => one.module === (situation.of ?? "app"));
    if (facts === undefined) throw new Error(`no module ${situation.of ?? "app"} in: ${situation.what}`);
    return facts;
  };
  return {
    read,
    judge: async (situation, reader) => findDifferences(situation, await read(situation, reader)),
    remove: async () => {
      await origin.remove();
      await rm(clones, { recursive: true, force: true });
    },
  };
}

function listModules(situation: Situation, folder: string): RegisteredModule[] {
  return Object.entries(situation.files).flatMap(([path, text]) => {
    const module = /^module: *(\S+)/m.exec(text)?.[1];
    if (!path.endsWith("/mesh.yaml") || module === undefined) return [];
    return [{ module, repository: "code", branch: "main", path: `${folder}/${path.slice(0, -"/mesh.yaml".length)}` }];
  });
}

function findDifferences(situation: Situation, facts: SourceFacts): string[] {
  const edges = facts.edges.map((edge) => `${edge.dependency} ${edge.kind} ${edge.file}:${edge.line}`);
  const left = facts.findings.map((one) => `${one.severity} ${one.file}:${one.line}: ${one.message}`);
  const differences: string[] = [];
  if (JSON.stringify(edges) !== JSON.stringify(situation.edges))
    differences.push(`edges are ${JSON.stringify(edges)}, not ${JSON.stringify(situation.edges)}`);
  for (const wanted of situation.findings ?? []) {
    const at = left.findIndex((finding) => wanted.test(finding));
    if (at === -1) differences.push(`no finding like ${wanted}`);
    else left.splice(at, 1);
  }
  differences.push(...left.map((finding) => `nobody expects: ${finding}`));
  const broken = facts.findings.some((one) => one.severity === "error");
  if (broken !== (facts.problem !== null)) differences.push(`the problem is ${JSON.stringify(facts.problem)}`);
  return differences;
}

/** One commit never changes: what git said once about it is asked once, so that a table costs little a second time. */
function rememberReads(repository: Repository): Repository {
  const known = new Map<string, Promise<unknown>>();
  const once = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const asked = known.get(key) ?? ask();
    known.set(key, asked);
    return asked as Promise<T>;
  };
  return {
    ...repository,
    commitInfo: (commit) => once(`info ${commit}`, () => repository.commitInfo(commit)),
    treeAt: (tree, path) => once(`tree ${tree} ${path}`, () => repository.treeAt(tree, path)),
    listTree: async function* (tree, limit) {
      yield* await once(`list ${tree}`, () => gather(repository.listTree(tree, limit)));
    },
    readBlobs: async function* (blobs) {
      yield* await once(`blobs ${blobs.join()}`, () => gather(repository.readBlobs(blobs)));
    },
  };
}

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
