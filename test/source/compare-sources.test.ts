import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import { compareSources, type Comparison, headKey } from "../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import type { SourceFacts } from "../../src/source/source-facts.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

interface Bed {
  readonly origin: GitRepository;
  compare(modules: readonly string[], paths?: Record<string, string>): Promise<Comparison>;
  facts(modules: readonly string[], of: string): Promise<SourceFacts>;
}

async function createBed(): Promise<Bed> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const repository = await openRepository({ url: origin.dir, dir: join(await createTemporaryFolder(), "clone.git") });
  const cache = createMemoryImportCache();
  const compare = async (modules: readonly string[], paths: Record<string, string> = {}): Promise<Comparison> =>
    compareSources({
      modules: modules.map((module) => ({ module, repository: "code", branch: "main", path: paths[module] ?? module })),
      repositories: new Map([["code", repository]]),
      heads: new Map([[headKey("code", "main"), (await repository.lookAtHeads(["main"])).get("main") ?? null]]),
      cache,
    });
  return {
    origin,
    compare,
    facts: async (modules, of) => {
      const found = (await compare(modules)).modules.find((one) => one.module === of);
      if (found === undefined) throw new Error(`no facts of ${of}`);
      return found;
    },
  };
}

const core = typescriptModule("core", { "src/index.ts": "export const one = 1;\n" });

async function importing(files: Record<string, string>, extra: Record<string, string> = {}): Promise<SourceFacts> {
  const bed = await createBed();
  await bed.origin.commit({ ...core, ...typescriptModule("app", files), ...extra });
  return bed.facts(["core", "app"], "app");
}

describe("build edges from imports (R4, case 11)", () => {
  it.each([
    [`import { one } from "@test/core";`],
    [`export { one } from "@test/core";`],
    [`import type { A } from "@test/core";`],
    [`const a = await import("@test/core");`],
    [`const a = require("@test/core");`],
    [`import a = require("@test/core");`],
    [`import "@test/core";`],
    [`import { a } from "@test/core/names";`],
    [`type A = import("@test/core").A;`],
  ])("%s is one, with file and line", async (line) => {
    const facts = await importing({ "src/main.ts": `\n${line}\n` });
    expect(facts.edges).toEqual([{ dependency: "core", kind: "build", file: "src/main.ts", line: 2 }]);
    expect(facts.problem).toBeNull();
  });

  it("is a test edge where only tests import, a build edge where others do too", async () => {
    const line = `import "@test/core";\n`;
    expect((await importing({ "src/a.test.ts": line })).edges).toEqual([
      { dependency: "core", kind: "test", file: "src/a.test.ts", line: 1 },
    ]);
    expect((await importing({ "src/a.test.ts": line, "src/b.ts": `\n${line}` })).edges).toEqual([
      { dependency: "core", kind: "build", file: "src/b.ts", line: 2 },
    ]);
  });

  it.each([
    ["a comment", { "src/a.ts": `// import "@test/core";` }],
    ["a string", { "src/a.ts": `export const a = 'import "@test/core"';` }],
    ["a template", { "src/a.ts": "export const a = `import '@test/core'`;" }],
    [
      "a file that the build does not include",
      {
        "src/a.ts": "export {};",
        "fixtures/a.ts": `import "@test/core";`,
        "src/fixtures/b.ts": `import "@test/core";`,
      },
    ],
    ["its own name", { "src/a.ts": `import "@test/app";` }],
    ["Node itself", { "src/a.ts": `import "node:fs"; import "fs/promises"; import "path";` }],
  ])("is none in %s", async (_what, files) => {
    const facts = await importing(files);
    expect(facts).toMatchObject({ edges: [], problem: null, findings: [] });
  });

  it("follows package.json's imports and tsconfig's paths to the owner", async () => {
    const packageJson = JSON.stringify({
      name: "@test/app",
      type: "module",
      imports: { "#core": { types: "@test/core", default: "@test/core" }, "#own/*": "./src/*.ts" },
    });
    const tsconfig = `{ // with a comment\n "compilerOptions": { "paths": { "lib/*": ["@test/core/*"], }, }, }`;
    expect(
      (await importing({ "package.json": packageJson, "src/a.ts": `import "#core"; import "#own/b";` })).edges,
    ).toMatchObject([{ dependency: "core" }]);
    const facts = await importing({
      "package.json": packageJson,
      "tsconfig.json": tsconfig.replace('"@test/core/*"', '"../core/src/*"'),
      "src/a.ts": `import "lib/x";`,
    });
    expect(facts.problem?.message).toMatch(/belongs to module core/);
  });
});

describe("what cannot be resolved is said with file and line", () => {
  it.each([
    [
      "a name that no module publishes",
      `import "@test/gone";`,
      /src\/a\.ts:2: imports @test\/gone, which no module publishes/,
    ],
    ["a path into another module", `import "../../core/src/index.ts";`, /src\/a\.ts:2: .*belongs to module core/],
    ["a path out of the folder", `import "../../../x.ts";`, /src\/a\.ts:2: .*outside the module's folder/],
    ["an absolute path", `import "/etc/x.js";`, /absolute path/],
    ["a name in another case (case 14)", `import "@test/Core";`, /module core publishes @test\/core/],
    ["an internal name nobody defined", `import "#x";`, /imports of package\.json does not have/],
  ])("%s keeps the module from being built", async (_what, line, message) => {
    const facts = await importing({ "src/a.ts": `\n${line}` });
    expect(facts.problem).toEqual({ stage: "import", message: expect.stringMatching(message) });
  });

  it("a computed name is a warning (case 12)", async () => {
    const facts = await importing({ "src/a.ts": `const x = "a";\nawait import(x);\nexport {};` });
    expect(facts).toMatchObject({ problem: null, findings: [{ severity: "warning", file: "src/a.ts", line: 2 }] });
  });

  it("a third-party package is known from package.json, or by the lock file with a warning", async () => {
    const packageJson = JSON.stringify({
      name: "@test/app",
      type: "module",
      dependencies: { pg: "1.0.0" },
      devDependencies: { tool: "1.0.0", "@types/only": "1.0.0" },
    });
    const lock = JSON.stringify({
      lockfileVersion: 3,
      packages: { "": {}, "node_modules/pg": {}, "node_modules/pg/node_modules/deep": {} },
    });
    const read = (text: string) =>
      importing({ "package.json": packageJson, "package-lock.json": lock, "src/a.ts": text });
    expect(
      await read(`import "pg/lib/x"; import type { A } from "only"; import type { B } from "tool";`),
    ).toMatchObject({ findings: [], problem: null });
    expect(await read(`import "deep";`)).toMatchObject({
      problem: null,
      findings: [{ severity: "warning", message: expect.stringMatching(/does not list/) }],
    });
    expect(await read(`import "tool";`)).toMatchObject({
      problem: null,
      findings: [{ severity: "warning", message: expect.stringMatching(/devDependencies only/) }],
    });
  });

  it("two modules that publish one name are both broken until one gives it up", async () => {
    const bed = await createBed();
    await bed.origin.commit({
      ...core,
      ...typescriptModule("app", { "package.json": `{"name":"@test/core","type":"module"}`, "src/a.ts": "export {};" }),
    });
    const { modules } = await bed.compare(["core", "app"]);
    expect(modules.map((one) => one.problem?.message)).toEqual([
      expect.stringMatching(/so does module app/),
      expect.stringMatching(/so does module core/),
    ]);
  });

  it("a deleted module makes its importers unfit at once", async () => {
    const bed = await createBed();
    await bed.origin.commit({ ...core, ...typescriptModule("app", { "src/a.ts": `import "@test/core";` }) });
    expect((await bed.facts(["core", "app"], "app")).problem).toBeNull();
    expect((await bed.facts(["app"], "app")).problem?.message).toMatch(/which no module publishes/);
  });
});

describe("a comparison", () => {
  it("parses only what changed, and finds the same (R8)", async () => {
    const bed = await createBed();
    await bed.origin.commit({
      ...core,
      ...typescriptModule("app", { "src/a.ts": `import "@test/core";`, "src/b.ts": "export {};" }),
    });
    const first = await bed.compare(["core", "app"]);
    expect(first).toMatchObject({ parsedFiles: 3, cachedFiles: 0 });
    expect(await bed.compare(["core", "app"])).toEqual({ ...first, parsedFiles: 0, cachedFiles: 3 });
    await bed.origin.commit({ "app/src/b.ts": "export const b = 1;" });
    expect(await bed.compare(["core", "app"])).toMatchObject({ parsedFiles: 1, cachedFiles: 2 });
  });

  it("does not see a commit that touches other paths (R8, case 8)", async () => {
    const bed = await createBed();
    await bed.origin.commit(core);
    const before = await bed.facts(["core"], "core");
    await bed.origin.commit({ "README.md": "x" });
    const after = await bed.facts(["core"], "core");
    expect(after.commit?.id).not.toBe(before.commit?.id);
    expect({ ...after, commit: null }).toEqual({ ...before, commit: null });
  });

  it("keeps a module in a subfolder out of the one around it", async () => {
    const bed = await createBed();
    const inner = Object.fromEntries(Object.entries(core).map(([path, text]) => [`app/libs/${path}`, text]));
    await bed.origin.commit({
      ...typescriptModule("app", { "src/a.ts": `import "../libs/core/src/index.ts";` }),
      ...inner,
    });
    const paths = { core: "app/libs/core" };
    const [before] = (await bed.compare(["app", "core"], paths)).modules;
    expect(before?.problem?.message).toMatch(/belongs to module core/);
    await bed.origin.commit({ "app/libs/core/src/index.ts": "export const one = 2;" });
    const [after, other] = (await bed.compare(["app", "core"], paths)).modules;
    expect(after?.tree).toBe(before?.tree);
    expect(other?.problem).toBeNull();
  });

  it.each([
    ["no folder", {}, { stage: "source", message: expect.stringMatching(/no folder core/) }],
    ["no manifest", { "core/a": "" }, { stage: "manifest", message: expect.stringMatching(/no mesh\.yaml/) }],
    [
      "a refused manifest",
      { "core/mesh.yaml": "module: core\nlanguage: cobol\n" },
      { stage: "manifest", message: expect.stringMatching(/^mesh\.yaml:2: language/) },
    ],
    [
      "a broken package.json",
      { ...core, "core/package.json": "{" },
      { stage: "import", message: expect.stringMatching(/package\.json/) },
    ],
  ])("says what is wrong with one module (%s), and the rest goes on", async (_what, files, problem) => {
    const bed = await createBed();
    await bed.origin.commit({ ...files, ...typescriptModule("app", { "src/a.ts": "export {};" }) });
    const { modules } = await bed.compare(["core", "app"]);
    expect(modules[0]?.problem).toEqual(problem);
    expect(modules[1]?.problem).toBeNull();
  });

  it("says that a branch is not there (case 4), but never takes silence for that (R26)", async () => {
    const bed = await createBed();
    await bed.origin.commit(core);
    const folder = await createTemporaryFolder();
    const gone = await openRepository({ url: "/nowhere", dir: join(folder, "clone.git") });
    const modules = [{ module: "core", repository: "code", branch: "main", path: "core" }];
    const options = { modules, repositories: new Map([["code", gone]]), cache: createMemoryImportCache() };
    const missing = await compareSources({ ...options, heads: new Map([[headKey("code", "main"), null]]) });
    expect(missing.modules[0]?.problem).toMatchObject({
      stage: "source",
      message: expect.stringMatching(/no branch main/),
    });
    await expect(compareSources({ ...options, heads: new Map() })).rejects.toThrow(/was not resolved/);
    const unseen = new Map([[headKey("code", "main"), "1".repeat(40)]]);
    await expect(compareSources({ ...options, heads: unseen })).rejects.toThrow(UnavailableError);
  });
});
