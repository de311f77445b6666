import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import { loadBuildPlan } from "../../src/activities/load-build-facts.ts";
import { planSteps } from "../../src/activities/plan-steps.ts";
import { explainModule } from "../../src/decide/explain-module.ts";
import { listGraphEdges } from "../../src/decide/query-graph.ts";
import { describeDue } from "../../src/store/due-work.ts";
import { listEdges } from "../../src/store/edges.ts";
import { addModule, listModules } from "../../src/store/modules.ts";
import { removeModule } from "../../src/store/remove-module.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { mesh, openRecords, type Records } from "../store/open-records.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { openControl } from "./support/control-deps.ts";

let records: Records;

beforeEach(async () => {
  records = await openRecords();
});
afterEach(() => records.close());

const manifest = (module: string): string => `module: ${module}\nlanguage: typescript\n`;
const named = (name: string, more = {}): string => JSON.stringify({ name, type: "module", ...more });

async function createMesh() {
  const { db } = records;
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  await addRepository(db, mesh, { name: "code", url: origin.dir });
  for (const name of ["core", "page"])
    await addModule(db, mesh, { name, repository: "code", branch: "main", path: name });
  const surroundings = { toolchains: { typescript: "node" }, builders: { typescript: "1" } };
  const deps = await openControl(records, {
    describeToolchains: () => surroundings.toolchains,
    builders: surroundings.builders,
  });
  const look = async (): Promise<void> => {
    await compareAll(deps, { mesh, reasons: ["a test"], wave: null }, new AbortController().signal);
    await planSteps(deps, { mesh, wave: null, running: [], done: [] });
  };
  const compare = async (files: Record<string, string | null>): Promise<void> => {
    await origin.commit(files);
    await look();
  };
  await compare({
    "core/mesh.yaml": manifest("core"),
    "core/package.json": named("@test/core"),
    "core/src/index.ts": "export const one = 1;\n",
    "page/mesh.yaml": manifest("page"),
    "page/package.json": named("@test/page", { dependencies: { "@test/core": "*" } }),
    "page/src/page.ts": `\nimport { one } from "@test/core";\nexport const page = one;\n`,
  });
  const plan = () =>
    loadBuildPlan(db, mesh, {
      ...surroundings,
      settingsFor: () => ({}),
      running: new Set(),
      now: new Date(0).toISOString(),
      lostAfterMs: 60_000,
    });
  return { db, look, compare, plan };
}

const edge = { module: "page", dependency: "core", kind: "build", file: "src/page.ts", line: 2 };
const slips: readonly [string, Record<string, string>][] = [
  ["an unknown key in its manifest", { "page/mesh.yaml": `${manifest("page")}upgrades: auto\n` }],
  ["a file that cannot be parsed", { "page/src/page.ts": `import { one from "@test/core";\n` }],
];

describe.each(slips)("a module with %s (R4, R26)", (_what, slip) => {
  it("still protects what it imported, as last known, and is not planned by it", async () => {
    const { db, compare, plan } = await createMesh();
    expect(await listEdges(db, mesh)).toEqual([edge]);
    await compare(slip);
    const removal = await removeModule(db, mesh, "core", { whereImported: "stays" });
    expect(removal).toMatchObject({ removed: false, imports: [{ module: "page", lastKnown: true }] });
    const { facts, plan: planned } = await plan();
    expect(planned.broken.map(({ module }) => module)).toEqual(["page"]);
    expect(listGraphEdges(facts)).toMatchObject([{ from: "page", to: "core", kind: "build", lastKnown: true }]);
    expect(explainModule(facts, "core", planned)?.dependents).toMatchObject([{ module: "page", lastKnown: true }]);
  });

  it("makes no cycle with what imports it by now", async () => {
    const { compare, plan } = await createMesh();
    await compare({
      ...slip,
      "core/package.json": named("@test/core", { dependencies: { "@test/page": "*" } }),
      "core/src/index.ts": `import "@test/page";\nexport const one = 1;\n`,
    });
    const { plan: planned } = await plan();
    expect(planned.cycles).toEqual([]);
    expect(planned.waiting).toMatchObject([{ module: "core", for: ["page"] }]);
  });

  it("imports what its newest source says as soon as that can be read", async () => {
    const { db, compare } = await createMesh();
    await compare(slip);
    await compare({ "page/mesh.yaml": manifest("page"), "page/src/page.ts": `import "@test/core";\n` });
    expect(await listEdges(db, mesh)).toEqual([{ ...edge, line: 1 }]);
    await compare(slip);
    await compare({ "page/mesh.yaml": manifest("page"), "page/src/page.ts": "export const page = 1;\n" });
    expect(await listEdges(db, mesh)).toEqual([]);
    await expect(removeModule(db, mesh, "core", { whereImported: "stays" })).resolves.toMatchObject({ removed: true });
  });

  it("forgets what is registered no more", async () => {
    const { db, compare } = await createMesh();
    await compare(slip);
    await removeModule(db, mesh, "core", { whereImported: "goes" });
    await compare({ "page/other.txt": "x" });
    expect(await listEdges(db, mesh)).toEqual([]);
  });
});

it("what imports a module that was removed is due by itself, though nobody was told of the removal (R7)", async () => {
  const { db, look } = await createMesh();
  const due = () => describeDue(db, mesh, 60_000);
  expect(await due()).toBeNull();
  await removeModule(db, mesh, "core", { whereImported: "goes" });
  expect(await due()).toBe("imports of what is registered no more: page");
  await look();
  expect(await listModules(db, mesh)).toMatchObject([
    { name: "page", standing: "broken", standingWhy: expect.stringContaining("no module publishes") },
  ]);
  expect(await due()).toBeNull();
});

it("what only is last known of an import of a removed module, or cannot be read, is nothing to look at for ever", async () => {
  const { db, compare } = await createMesh();
  await compare({ "page/mesh.yaml": `${manifest("page")}upgrades: auto\n` });
  await removeModule(db, mesh, "core", { whereImported: "goes" });
  await db.query("update module set standing = 'current'");
  expect(await describeDue(db, mesh, 60_000)).toBeNull();
  await db.query("update module_edge set last_known = false");
  expect(await describeDue(db, mesh, 60_000)).not.toBeNull();
  await db.query("update module set unread = 'its source cannot be read', standing = 'outstanding'");
  await db.query("update source_head set failing_since = now()");
  expect(await describeDue(db, mesh, 60_000)).toBeNull();
});

it("the module whose folder is gone imports nothing", async () => {
  const { db, compare } = await createMesh();
  await compare({ "page/mesh.yaml": null, "page/package.json": null, "page/src/page.ts": null });
  expect(await listEdges(db, mesh)).toEqual([]);
});
