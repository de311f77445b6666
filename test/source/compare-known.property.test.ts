import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { compareSources, type Comparison, createImportReaders, headKey } from "../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import type { ImportReader } from "../../src/source/imports/import-reader.ts";
import type { KnownSource } from "../../src/core/known-source.ts";
import { createSourceMemory, type SourceMemory } from "../../src/source/source-memory.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import type { RegisteredModule, SourceFacts } from "../../src/source/source-facts.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** What the records keep between two comparisons. */
interface Remembered {
  readonly known: Map<string, KnownSource>;
  readonly facts: Map<string, SourceFacts>;
  /** Of the process that compares; null: each comparison is by another one. */
  readonly memory: SourceMemory | null;
}

interface Bed {
  readonly origin: GitRepository;
  /** With what is remembered; remembers what it read. */
  next(
    modules: readonly RegisteredModule[],
    remembered: Remembered,
    readers?: ReadonlyMap<string, ImportReader>,
  ): Promise<Comparison>;
  /** From now on by a controller that has no clone yet: that of a new machine, or whose disk was lost. */
  move(): Promise<void>;
  /** Everything read anew; of what was known only the names count that a module had which cannot be read now. */
  whole(modules: readonly RegisteredModule[], remembered?: Pick<Remembered, "known">): Promise<Comparison>;
}

async function createBed(): Promise<Bed> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const open = async () => openRepository({ url: origin.dir, dir: join(await createTemporaryFolder(), "clone.git") });
  let repository = await open();
  const cache = createMemoryImportCache();
  const lists = new Map<string, readonly RegisteredModule[]>();
  const compare = async (
    given: readonly RegisteredModule[],
    known: ReadonlyMap<string, KnownSource>,
    memory: SourceMemory | null = null,
    readers: ReadonlyMap<string, ImportReader> = createImportReaders(),
  ) => {
    const modules = lists.get(JSON.stringify(given)) ?? given;
    lists.set(JSON.stringify(given), modules);
    return compareSources({
      readers,
      modules,
      repositories: new Map([["code", repository]]),
      heads: new Map([[headKey("code", "main"), (await repository.lookAtHeads(["main"])).get("main") ?? null]]),
      known: new Map(known),
      cache,
      ...(memory === null ? {} : { memory }),
    });
  };
  return {
    origin,
    move: async () => {
      repository = await open();
    },
    whole: (modules, { known } = { known: new Map<string, KnownSource>() }) => {
      const names = [...known].map(([name, of]) => [name, { ...of, commit: "0".repeat(40), sourceKey: "" }] as const);
      return compare(modules, new Map(names));
    },
    next: async (modules, { known, facts, memory }, readers) => {
      const comparison = await compare(modules, known, memory, readers);
      for (const read of comparison.modules) {
        facts.set(read.module, read);
        if (read.known === null) known.delete(read.module);
        else known.set(read.module, read.known);
      }
      for (const { module, commit } of await comparison.listUnchanged()) {
        const [was, before] = [facts.get(module), known.get(module)];
        if (was === undefined || before === undefined) throw new Error(`${module} is unchanged and not known`);
        facts.set(module, { ...was, commit });
        known.set(module, { ...before, commit: commit.id });
      }
      return comparison;
    },
  };
}

it.each([createSourceMemory(), null])(
  "what another reader read is read again, of the same commit (R8)",
  async (memory) => {
    const bed = await createBed();
    await bed.origin.commit({ "a/mesh.yaml": "module: a\nlanguage: typescript\n", "a/src/index.ts": "export {};\n" });
    const typescript = createImportReaders().get("typescript");
    if (typescript === undefined) throw new Error("there is a reader of TypeScript");
    const remembered: Remembered = { known: new Map(), facts: new Map(), memory };
    const by = (key: string): Promise<Comparison> =>
      bed.next([at("a")], remembered, new Map([["typescript", { ...typescript, readerKey: () => key }]]));
    expect((await by("older")).modules).toHaveLength(1);
    expect((await by("older")).modules).toEqual([]);
    expect((await by("newer")).modules).toHaveLength(1);
  },
);

it("what is on record is read anew by newer readers, and the clone it came from is gone (case 4)", async () => {
  const bed = await createBed();
  await bed.origin.commit({ "a/mesh.yaml": "module: a\nlanguage: typescript\n", "a/src/index.ts": "export {};\n" });
  const typescript = createImportReaders().get("typescript");
  if (typescript === undefined) throw new Error("there is a reader of TypeScript");
  const remembered: Remembered = { known: new Map(), facts: new Map(), memory: null };
  const by = (key: string): Promise<Comparison> =>
    bed.next([at("a")], remembered, new Map([["typescript", { ...typescript, readerKey: () => key }]]));
  await by("older");
  await bed.move();
  expect((await by("older")).modules).toEqual([]);
  expect((await by("newer")).modules).toHaveLength(1);
});

const names = ["a", "b", "c", "d", "e"];
const at = (module: string, path: string = module): RegisteredModule => ({
  module,
  repository: "code",
  branch: "main",
  path,
});

type Edit = Readonly<Record<string, string>>;
const anyName = fc.constantFrom(...names);

/** Edits that change edges, names, lock files, manifests, or nothing that matters. */
const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.tuple(anyName, anyName, fc.nat(3)).map(([from, to, line]) => ({
    [`${from}/src/index.ts`]: `${"\n".repeat(line)}import "@x/${to}";\n`,
  })),
  fc.tuple(anyName, anyName).map(([from, to]) => ({ [`${from}/package.json`]: JSON.stringify({ name: `@x/${to}` }) })),
  fc.tuple(anyName, anyName).map(([from, to]) => ({
    [`${from}/package.json`]: JSON.stringify({ name: `@x/${from}`, dependencies: { [to]: "1" }, exports: "./x.js" }),
  })),
  anyName.map((from) => ({ [`${from}/package-lock.json`]: JSON.stringify({ lockfileVersion: 3, packages: {} }) })),
  // Of a workspace around all of them.
  fc.tuple(fc.subarray(names), fc.nat(2)).map(([members, version]) => ({
    "package-lock.json": JSON.stringify({
      lockfileVersion: 3,
      packages: Object.fromEntries([
        ...members.map((member) => [member, {}]),
        ...names.map((name) => [`node_modules/${name}`, { version: `${version}.0.0` }]),
      ]),
    }),
  })),
  anyName.map((from) => ({ [`${from}/mesh.yaml`]: `module: ${from}\nlanguage: files\n` })),
  anyName.map((from) => ({ [`${from}/mesh.yaml`]: `module: other\nlanguage: typescript\n` })),
  anyName.map((from) => ({ [`${from}/inner/src/index.ts`]: `import "../../b/src/index.ts"; import "@x/c/deep";\n` })),
  anyName.map((from) => ({ [`${from}/src/extra.ts`]: "this is not TypeScript (" })),
  fc.nat(5).map((text) => ({ README: `${text}` })),
);

const start: Edit = Object.fromEntries(
  names.flatMap((name) => [
    [`${name}/mesh.yaml`, `module: ${name}\nlanguage: typescript\n`],
    [`${name}/package.json`, JSON.stringify({ name: `@x/${name}` })],
    [`${name}/src/index.ts`, "export {};\n"],
  ]),
);

/** Which modules are registered, one of them perhaps inside another, or at a folder that is not there. */
const anyRegistered = fc
  .tuple(fc.subarray(names, { minLength: 3 }), fc.constantFrom("none", "inner", "gone"))
  .map(([some, more]) => [
    ...some.map((name) => at(name)),
    ...(more === "none" ? [] : [at("inner", more === "inner" ? "a/inner" : "nowhere")]),
  ]);

const mostly = fc.constant(names.map((name) => at(name)));
const anySteps = fc.array(fc.tuple(anyEdit, fc.oneof(mostly, anyRegistered), fc.boolean()), {
  minLength: 1,
  maxLength: 6,
});

describe("a comparison that knows what it read before", () => {
  it("says the same as one that reads everything, after any edits and registrations", async () => {
    const bed = await createBed();
    await bed.origin.commit(start);
    await fc.assert(
      fc.asyncProperty(fc.boolean(), anySteps, async (isOneProcess, steps) => {
        const memory = isOneProcess ? createSourceMemory() : null;
        const remembered: Remembered = { known: new Map(), facts: new Map(), memory };
        for (const [edit, modules, isKept] of steps) {
          await bed.origin.commit(edit);
          // Looked at without keeping, as a command does.
          if (!isKept) {
            const { known, facts } = remembered;
            await bed.next(modules, { ...remembered, known: new Map(known), facts: new Map(facts) });
          }
          const before = { known: new Map(remembered.known) };
          await bed.next(modules, remembered);
          const whole = await bed.whole(modules, before);
          const told = modules.map(({ module }) => ({ ...remembered.facts.get(module), known: null }));
          expect(told).toEqual(whole.modules.map((facts) => ({ ...facts, known: null })));
        }
      }),
      { numRuns: 14 },
    );
  }, 120_000);

  it("reads nothing and asks git nothing where nothing moved", async () => {
    const bed = await createBed();
    await bed.origin.commit(start);
    const modules = names.map((name) => at(name));
    const remembered: Remembered = { known: new Map(), facts: new Map(), memory: null };
    expect((await bed.next(modules, remembered)).modules).toHaveLength(names.length);
    const again = await bed.next(modules, remembered);
    expect(again).toMatchObject({ modules: [], parsedFiles: 0, cachedFiles: 0 });
    expect(await again.listUnchanged()).toEqual([]);
  });

  it("parses what changed only, and takes the new commit for the rest", async () => {
    const bed = await createBed();
    await bed.origin.commit({ ...start, "b/src/index.ts": `import "@x/a";\n` });
    const modules = names.map((name) => at(name));
    const remembered: Remembered = { known: new Map(), facts: new Map(), memory: null };
    await bed.next(modules, remembered);
    const commit = await bed.origin.commit({ "a/src/index.ts": "export const one = 1;\n" });
    const comparison = await bed.next(modules, remembered);
    expect(comparison.modules.map((one) => one.module)).toEqual(["a"]);
    expect({ parsed: comparison.parsedFiles, known: comparison.cachedFiles }).toEqual({ parsed: 1, known: 0 });
    expect((await comparison.listUnchanged()).map((one) => [one.module, one.commit.id])).toEqual(
      names.slice(1).map((name) => [name, commit]),
    );
  });

  it("reads again whoever may import by another name now (case 14)", async () => {
    const bed = await createBed();
    await bed.origin.commit({ ...start, "b/src/index.ts": `import "@x/new";\n` });
    const modules = names.map((name) => at(name));
    const remembered: Remembered = { known: new Map(), facts: new Map(), memory: null };
    await bed.next(modules, remembered);
    expect(remembered.facts.get("b")?.problem).not.toBeNull();
    await bed.origin.commit({ "a/package.json": JSON.stringify({ name: "@x/new" }) });
    await bed.next(modules, remembered);
    expect(remembered.facts.get("b")).toMatchObject({ problem: null, edges: [{ dependency: "a" }] });
  });

  it("sees in one process that a lock file above its modules moved, and nothing in their folders (R8)", async () => {
    const bed = await createBed();
    const lock = (version: string): string =>
      JSON.stringify({
        lockfileVersion: 3,
        packages: {
          "": { workspaces: ["a"] },
          a: { name: "@x/a", dependencies: { left: "*" } },
          "node_modules/@x/a": { resolved: "a", link: true },
          "node_modules/left": {
            version,
            resolved: `https://registry.npmjs.org/left/-/left-${version}.tgz`,
            integrity: `sha512-${Buffer.alloc(64, version).toString("base64")}`,
          },
        },
      });
    const manifest = JSON.stringify({ name: "@x/a", dependencies: { left: "*" } });
    await bed.origin.commit({ ...start, "a/package.json": manifest, "package-lock.json": lock("1.0.0") });
    const modules = names.map((name) => at(name));
    const remembered: Remembered = { known: new Map(), facts: new Map(), memory: createSourceMemory() };
    await bed.next(modules, remembered);
    await bed.next(modules, remembered);
    const before = remembered.facts.get("a")?.thirdParties;
    await bed.origin.commit({ "package-lock.json": lock("2.0.0") });
    await bed.next(modules, remembered);
    const now = remembered.facts.get("a")?.thirdParties;
    expect(now).not.toEqual(before);
    expect(now).toEqual((await bed.whole(modules)).modules[0]?.thirdParties);
  });
});
