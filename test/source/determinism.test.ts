import { join } from "node:path";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { BuildFacts } from "../../src/decide/build-facts.ts";
import { planBuilds } from "../../src/decide/plan-builds.ts";
import { rebuildSet } from "../../src/decide/rebuild-set.ts";
import { createImportReaders } from "../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import { readModuleImports } from "../../src/source/imports/read-module-imports.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import { type ModuleFolder, readModuleFolders } from "../../src/source/read-module-folders.ts";
import { readTrees } from "../../src/source/read-tree.ts";
import type { Repository } from "../../src/source/repository.ts";
import type { SourceFacts } from "../../src/source/source-facts.ts";
import { buildMeshOfModules, fitAndMoved, judge, withModule } from "../decide/support/build-mesh-of-modules.ts";
import { deriveEdges } from "../support/derive-edges.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const languages = ["typescript", "go", "python", "rust"] as const;
type Language = (typeof languages)[number];

/** Module `m<n>`: what each of its files imports, and under which name it publishes (two may choose one). */
interface GeneratedModule {
  readonly language: Language;
  readonly files: readonly { readonly test: boolean; readonly imports: readonly number[] }[];
  readonly publishes: number;
  /** Its files are there under other endings too, where they are read in another way. */
  readonly mixed: boolean;
}

const modulesOf = (language: fc.Arbitrary<Language>): fc.Arbitrary<GeneratedModule[]> =>
  fc.array(
    fc.record({
      language,
      files: fc.array(fc.record({ test: fc.boolean(), imports: fc.array(fc.nat(9), { maxLength: 4 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
      publishes: fc.nat(9),
      mixed: fc.constantFrom(false, false, false, true),
    }),
    { minLength: 2, maxLength: 8 },
  );
// Only modules of one language import each other: alone they have edges, and beside each other they may mix nothing up.
const meshes = [
  ...languages.map((language) => modulesOf(fc.constant(language))),
  modulesOf(fc.constantFrom(...languages)),
];

type Write = (name: string, module: GeneratedModule) => Record<string, string>;

const write: Readonly<Record<Language, Write>> = {
  typescript: (name, { files, mixed }) => {
    const texts: Record<string, string> = { "package.json": JSON.stringify({ name: `@test/${name}`, type: "module" }) };
    // The same bytes under endings that are read in different ways.
    for (const [file, { test, imports }] of files.entries())
      for (const ending of mixed ? ["ts", "mts", "js", "cjs"] : ["ts", "mts"])
        texts[`src/f${file}${test ? ".test" : ""}.${ending}`] =
          `${imports.map((to) => `import "@test/n${to}";\n`).join("")}import(name);\nawait 1;\n`;
    return { ...texts, "tsconfig.json": "{}" };
  },
  go: (name, { files, mixed }) => {
    const texts: Record<string, string> = { "go.mod": `module mesh.test/${name}\n\ngo 1.22\n` };
    for (const [file, { test, imports }] of files.entries())
      for (const folder of mixed ? ["", "inner/"] : [""])
        texts[`${folder}f${file}${test ? "_test" : ""}.go`] =
          `package some\n\nimport (\n${imports.map((to) => `\t_ "mesh.test/n${to}"\n`).join("")})\n`;
    return texts;
  },
  python: (name, { files, mixed }) => {
    const texts: Record<string, string> = {
      "pyproject.toml": `[project]\nname = "${name}"\nversion = "1.0"\n`,
      [`src/${name}/__init__.py`]: "",
    };
    for (const [file, { test, imports }] of files.entries())
      for (const ending of mixed ? ["py", "pyi"] : ["py"])
        texts[test ? `tests/test_f${file}.${ending}` : `src/${name}/f${file}.${ending}`] = imports
          .map((to) => `import n${to}\n`)
          .join("");
    return texts;
  },
  rust: (name, { files, mixed }) => {
    const needed = new Set(files.flatMap(({ imports }) => imports));
    const texts: Record<string, string> = {
      "Cargo.toml": `[package]\nname = "${name}"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\n${[...needed].map((to) => `n${to} = "*"\n`).join("")}`,
      "src/lib.rs": files.map((_, file) => `mod f${file};\n`).join(""),
    };
    for (const [file, { test, imports }] of files.entries())
      for (const folder of mixed ? ["src", "tests"] : ["src"])
        texts[`${folder}/f${file}.rs`] = imports
          .map((to) => `${test ? "#[cfg(test)]\n" : ""}use n${to}::one;\n`)
          .join("");
    return texts;
  },
};

function writeModules(modules: readonly GeneratedModule[]): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [at, module] of modules.entries()) {
    const { language, publishes } = module;
    const texts = {
      "mesh.yaml": `module: m${at}\nlanguage: ${language}\n`,
      ...write[language](`n${publishes % 3 === 0 ? publishes : at}`, module),
    };
    for (const [path, text] of Object.entries(texts)) all[`m${at}/${path}`] = text;
  }
  return all;
}

type Shuffle = <T>(items: readonly T[]) => T[];
const inOrder: Shuffle = (items) => [...items];
const shuffleBy =
  (seed: number): Shuffle =>
  (items) =>
    items
      .map((item, at) => ({ item, rank: Math.imul(at + 1, 2_654_435_761 ^ Math.imul(seed + 1, 40_503)) >>> 0 }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ item }) => item);

async function readFacts(
  repository: Repository,
  commit: string,
  count: number,
  shuffle: Shuffle,
): Promise<SourceFacts[]> {
  const readers = createImportReaders();
  const modules = shuffle(Array.from({ length: count }, (_, at) => `m${at}`)).map((module) => {
    return { module, repository: "code", branch: "main", path: module };
  });
  const trees = await readTrees({ repository, commit, folders: modules.map(({ path }) => ({ path, without: [] })) });
  const read = await readModuleFolders({
    repository,
    info: await repository.commitInfo(commit),
    readers,
    modules: modules.flatMap((module, at) => {
      const tree = trees[at];
      return tree === undefined ? [] : [{ module, tree, locks: [] }];
    }),
  });
  const folders = new Map<string, ModuleFolder>();
  for (const folder of shuffle(read)) folders.set(folder.module.module, { ...folder, files: shuffle(folder.files) });
  const cache = createMemoryImportCache();
  const options = { folders: [...folders.values()], readers, cache, signal: undefined, onProgress: undefined };
  const imports = await readModuleImports(options);
  await imports.finish();
  return [...deriveEdges({ folders, imports: imports.files, readers }).values()];
}

function toBuildFacts(facts: readonly SourceFacts[]): BuildFacts {
  let mesh = buildMeshOfModules(Object.fromEntries(facts.map(({ module }) => [module, []])));
  for (const { module, tree, thirdParties, edges, problem } of facts)
    mesh = withModule(mesh, module, { tree: tree ?? "", thirdParties, edges, problem: problem?.message ?? null });
  return mesh;
}

/** Plans and builds with this many builds at once, which end in any order; the last digests by module. */
function runWave(start: BuildFacts, workers: number, shuffle: Shuffle): Record<string, string> {
  let facts = start;
  for (let round = 0; round < 200; round += 1) {
    const { ready } = planBuilds(facts);
    if (ready.length === 0) break;
    for (const build of shuffle(shuffle(ready).slice(0, workers))) facts = judge(facts, build, fitAndMoved);
  }
  const digests = [...facts.modules.values()].map((one) => [one.module, one.lastFit?.artifact ?? "none"] as const);
  return Object.fromEntries(digests.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const byName = (facts: readonly SourceFacts[]): string =>
  JSON.stringify(facts.toSorted((a, b) => (a.module < b.module ? -1 : 1)));

it(
  "the same inputs give the same bytes, in whatever order and by however many workers",
  { timeout: 240_000 },
  async () => {
    const origin = await createGitRepository();
    onTestFinished(() => origin.remove());
    const repository = await openRepository({ url: origin.dir, dir: join(await createTemporaryFolder(), "clone.git") });
    const edges = new Map<Language, number>(languages.map((language) => [language, 0]));
    for (const generated of meshes)
      await fc.assert(
        fc.asyncProperty(generated, fc.nat(1_000), async (modules, seed) => {
          await origin.git("rm", "-r", "-q", "--ignore-unmatch", ".");
          const commit = await origin.commit(writeModules(modules));
          await repository.fetchCommits([{ branch: "main", commit }]);
          const shuffle = shuffleBy(seed);
          // At once, as two workers would.
          const [one, other] = await Promise.all([
            readFacts(repository, commit, modules.length, inOrder),
            readFacts(repository, commit, modules.length, shuffle),
          ]);
          expect(byName(other)).toBe(byName(one));
          for (const { manifest, edges: found } of one)
            for (const language of languages)
              if (manifest?.language === language) edges.set(language, (edges.get(language) ?? 0) + found.length);
          const [facts, shuffled] = [toBuildFacts(one), toBuildFacts(other)];
          expect(JSON.stringify(planBuilds(shuffled))).toBe(JSON.stringify(planBuilds(facts)));
          expect(JSON.stringify(rebuildSet(shuffled))).toBe(JSON.stringify(rebuildSet(facts)));
          const digests = JSON.stringify(runWave(facts, 1, inOrder));
          for (const workers of [1, 2, 100]) expect(JSON.stringify(runWave(shuffled, workers, shuffle))).toBe(digests);
        }),
        { numRuns: 8 },
      );
    // Modules without an edge would be alike in any order.
    for (const [language, count] of edges) expect([language, count > 10]).toEqual([language, true]);
  },
);
