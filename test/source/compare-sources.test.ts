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

describe("what modules publish", () => {
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
    expect(await bed.compare(["core", "app"])).toMatchObject({
      modules: first.modules,
      parsedFiles: 0,
      cachedFiles: 3,
    });
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
    expect({ ...after, commit: null, known: null }).toEqual({ ...before, commit: null, known: null });
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
    ["no folder", {}, { stage: "source", isGone: true, message: expect.stringMatching(/no folder core/) }],
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
