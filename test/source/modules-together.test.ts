import { rm } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { createSourceBed } from "./support/source-bed.ts";

const timeout = 60_000;
const empty = { "src/index.ts": "export {};\n" };
const named = (name: string): string => JSON.stringify({ name, type: "module" });

function importing(module: string, specifier: string, lists: Record<string, string> = {}): Record<string, string> {
  return typescriptModule(module, {
    "package.json": JSON.stringify({ name: `@test/${module}`, type: "module", peerDependencies: lists }),
    "src/a.ts": `\nimport "${specifier}";\n`,
  });
}

const core = typescriptModule("core", { ...empty, "package.json": named("@test/core") });

describe("modules of one mesh", { timeout }, () => {
  it("that publish one name are both broken, and who imports it says so", async () => {
    const bed = await createSourceBed();
    const rival = typescriptModule("rival", { ...empty, "package.json": named("@test/core") });
    await bed.origin("code").commit({ ...core, ...rival, ...importing("app", "@test/core/names") });
    for (const order of [
      ["app", "core", "rival"],
      ["rival", "core", "app"],
    ]) {
      const facts = await bed.facts(order);
      expect(facts["core"]?.problem?.message).toMatch(/publishes @test\/core, and so does module rival/);
      expect(facts["rival"]?.problem?.message).toMatch(/publishes @test\/core, and so does module core/);
      expect(facts["app"]?.edges).toEqual([{ dependency: "core", kind: "build", file: "src/a.ts", line: 2 }]);
      expect(facts["app"]?.problem?.message).toMatch(/src\/a\.ts:2: .*which modules core and rival publish/);
    }
  });

  it("in several repositories are one graph", async () => {
    const bed = await createSourceBed(["code", "other"]);
    await bed.origin("code").commit(core);
    await bed.origin("other").commit(importing("app", "@test/core"));
    const facts = await bed.facts(["core", "other:app"]);
    expect(facts["app"]).toMatchObject({ problem: null, edges: [{ dependency: "core", file: "src/a.ts", line: 2 }] });
  });

  it("in several repositories own no path of each other's", async () => {
    const bed = await createSourceBed(["code", "other"]);
    await bed.origin("code").commit(core);
    await bed.origin("other").commit(importing("app", "../../core/src/index.ts"));
    const facts = await bed.facts(["core", "other:app"]);
    expect(facts["app"]?.problem?.message).toMatch(/outside the module's folder and belongs to no module/);
  });

  it("of several languages in one repository have names of their own each", async () => {
    const bed = await createSourceBed();
    const site = { "site/mesh.yaml": "module: site\nlanguage: files\n", "site/package.json": named("@test/core") };
    await bed.origin("code").commit({ ...core, ...site, ...importing("app", "@test/core") });
    const facts = await bed.facts(["site", "core", "app"]);
    expect(Object.values(facts).map((one) => one.problem)).toEqual([null, null, null]);
    expect(facts["app"]?.edges).toMatchObject([{ dependency: "core" }]);
  });

  it("may lie in a subfolder of another one, and are imported by name from it and from elsewhere", async () => {
    const bed = await createSourceBed();
    const inner = Object.fromEntries(
      Object.entries(typescriptModule("inner", { ...empty, "package.json": named("@test/inner") })).map(
        ([path, text]) => [`app/libs/${path}`, text],
      ),
    );
    await bed.origin("code").commit({ ...core, ...inner, ...importing("app", "@test/inner") });
    const modules = ["app", "core", "inner@app/libs/inner"];
    const before = await bed.facts(modules);
    expect(before["app"]).toMatchObject({ problem: null, edges: [{ dependency: "inner", kind: "build" }] });
    await bed.origin("code").commit({ "app/libs/inner/src/index.ts": `import "@test/core";\n` });
    const after = await bed.facts(modules);
    expect(after["app"]?.tree).toBe(before["app"]?.tree);
    expect(after["inner"]).toMatchObject({ problem: null, edges: [{ dependency: "core" }] });
  });

  it("lose one: its importers are unfit at once, by its name", async () => {
    const bed = await createSourceBed();
    await bed.origin("code").commit({ ...core, ...importing("app", "@test/core") });
    expect((await bed.facts(["core", "app"]))["app"]?.problem).toBeNull();
    const gone = { stage: "import", message: "src/a.ts:2: imports @test/core, which no module publishes" };
    expect((await bed.facts(["app"]))["app"]).toMatchObject({
      edges: [],
      problem: { stage: gone.stage, message: expect.stringContaining(gone.message) },
    });
  });

  it("lose one that package.json lists too: it is looked for nowhere else", async () => {
    const bed = await createSourceBed();
    await bed.origin("code").commit({ ...core, ...importing("app", "@test/core", { "@test/core": "*" }) });
    expect((await bed.facts(["core", "app"]))["app"]).toMatchObject({ problem: null, findings: [] });
    const { findings, problem } = (await bed.facts(["app"]))["app"] ?? {};
    expect(problem?.message).toMatch(/lists @test\/core, which no module publishes/);
    expect(findings?.at(-1)).toMatchObject({
      line: 2,
      message: expect.stringMatching(/imports @test\/core, which no module publishes/),
    });
  });

  it("lose one whose folder was deleted: it is the module's problem, and its importers' too", async () => {
    const bed = await createSourceBed();
    await bed.origin("code").commit({ ...core, ...importing("app", "@test/core") });
    await bed.origin("code").commit({ core: null });
    const facts = await bed.facts(["core", "app"]);
    expect(facts["core"]?.problem).toMatchObject({ stage: "source", message: expect.stringMatching(/no folder core/) });
    expect(facts["app"]?.problem?.message).toMatch(/imports @test\/core, which no module publishes/);
  });

  it("rename one: a new module, and who imported the old one fails with its name (case 14)", async () => {
    const bed = await createSourceBed();
    await bed.origin("code").commit({ ...core, ...importing("app", "@test/core") });
    await bed.origin("code").commit({ "core/package.json": named("@test/kernel") });
    const facts = await bed.facts(["core", "app"]);
    expect(facts["core"]).toMatchObject({ problem: null, publishes: ["@test/kernel"] });
    expect(facts["app"]?.problem?.message).toMatch(/imports @test\/core, which no module publishes/);
  });

  it("of a repository that cannot be listed: no answer at all, never a shorter one (R26)", async () => {
    const bed = await createSourceBed(["code", "other"]);
    await bed.origin("code").commit(core);
    await bed.origin("other").commit(importing("app", "@test/core"));
    await rm(bed.origin("other").dir, { recursive: true });
    await expect(bed.compare(["core", "other:app"])).rejects.toThrow(UnavailableError);
  });
});
