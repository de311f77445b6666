import { afterEach, beforeEach, expect, it } from "vitest";
import type { KnownSource } from "../../src/core/known-source.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { listPlannedBuilds } from "../../src/store/builds-to-plan.ts";
import { listEdges, replaceEdges } from "../../src/store/edges.ts";
import { recordFit, recordModulePlans } from "../../src/store/module-plans.ts";
import { addModule } from "../../src/store/modules.ts";
import { listModulesToPlan } from "../../src/store/modules-to-plan.ts";
import { readPlanRows } from "../../src/store/plan-rows.ts";
import { readPlanVersion } from "../../src/store/plan-version.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { recordSourceFacts } from "../../src/store/source-facts.ts";
import { digestOf, manifestOf, mesh, openRecords, treeOf, type Records } from "./open-records.ts";

let records: Records;
beforeEach(async () => {
  records = await openRecords();
});
afterEach(async () => {
  await records.close();
});

const known: KnownSource = {
  commit: treeOf("commit"),
  folder: treeOf("folder"),
  sourceKey: "readers\nurl\nabove ",
  namesKey: "names",
  language: "typescript",
  publishes: ["@x/core", "@x/other"],
  factsKey: "facts",
  uses: { meshboard: "key" },
};

/** Modules that were read, fit, outstanding and never looked at; edges of both kinds; a build with everything in it. */
async function fillRecords(): Promise<void> {
  const { db } = records;
  await addRepository(db, mesh, { name: "examples", url: "file:///examples.git" });
  for (const name of ["core", "meshboard", "new", "lost"])
    await addModule(db, mesh, { name, repository: "examples", branch: "main", path: `modules/${name}` });
  const facts = (module: string) => ({
    module,
    sourceCommit: treeOf("commit"),
    sourceCommitAt: "2026-01-01T10:00:00+02:00",
    sourceSubject: 'Say "hello"\n',
    tree: treeOf(module),
    thirdParties: module === "core" ? digestOf("packages") : null,
    manifest: module === "lost" ? null : manifestOf(module),
    findings: [],
    problem: module === "lost" ? 'no "mesh.yaml"\n\u2603' : null,
    known: { ...known, language: module === "lost" ? null : "typescript" },
  });
  await recordSourceFacts(db, mesh, ["core", "meshboard", "lost"].map(facts));
  await replaceEdges(db, mesh, [
    {
      module: "meshboard",
      edges: [
        { dependency: "core", kind: "build", file: "src/\u00e9.ts", line: 3, typesOnly: true },
        { dependency: "core", kind: "test", file: "test/a.ts", line: 1, lastKnown: true },
        { dependency: "nobody", kind: "build", file: "src/b.ts", line: 7 },
      ],
    },
  ]);
  for (const module of ["core", "meshboard"]) {
    const inputs = digestOf(`inputs of ${module}`);
    const closure = {
      module,
      language: "typescript",
      tree: treeOf(module),
      dependencies: module === "core" ? {} : { core: digestOf("core"), other: digestOf("other") },
      toolchain: "node",
      builder: "1",
      thirdParties: module === "core" ? digestOf("packages") : null,
      settings: module === "core" ? { registry: "here" } : {},
    };
    const commit = treeOf("commit");
    const claim = await claimBuild(db, mesh, { module, inputs, closure, commit, claimant: "test", staleMs: 60_000 });
    if (claim.kind !== "claimed") throw new Error(claim.kind);
    const verdict =
      module === "core"
        ? ({ verdict: "fit", artifact: digestOf("core") } as const)
        : ({ verdict: "outstanding", class: "registry", message: "it is off" } as const);
    await recordVerdict(db, mesh, { module, inputs, attempt: claim.attempt, verdict, logTail: "", retryInMs: 1_000 });
    const plan = { module, standing: "out-of-date", standingWhy: "new", wantedInputs: inputs, fit: null } as const;
    await recordModulePlans(db, mesh, [plan]);
  }
  await recordFit(db, mesh, { module: "core", inputs: digestOf("inputs of core"), artifact: digestOf("core") });
}

it("all at once are the rows that are read one by one, to the last letter", async () => {
  expect(await readPlanRows(records.db, mesh)).toMatchObject({ modules: [], edges: [], builds: [] });
  await fillRecords();
  const { db } = records;
  const rows = await readPlanRows(db, mesh);
  expect(rows.version).toEqual(await readPlanVersion(db, mesh));
  const singly = [await listModulesToPlan(db, mesh), await listEdges(db, mesh), await listPlannedBuilds(db, mesh)];
  expect(singly.map((list) => list.length)).toEqual([4, 3, 2]);
  // Also the order of their fields: by it a row that is read again is known to be the one that it was.
  expect(JSON.stringify([rows.modules, rows.edges, rows.builds])).toBe(JSON.stringify(singly));
});

it.each([
  ["of another commit", { known: { ...known, commit: treeOf("other") } }],
  ["with a field less", { known: { ...known, uses: undefined } }],
  ["with a field more", { known: { ...known, more: 1 } }],
  ["with a folder that is none", { known: { ...known, folder: "modules" } }],
  ["with a name that is none", { known: { ...known, uses: { A: "key" } } }],
  ["with a number for a text", { known: { ...known, publishes: [1] } }],
])("what facts were read from, %s, is as good as none", async (_, change) => {
  await fillRecords();
  await records.db.query("update module set known = $1 where name = 'core'", [JSON.stringify(change.known)]);
  const { modules } = await readPlanRows(records.db, mesh);
  expect(modules.map((module) => [module.name, module.known !== null])).toEqual([
    ["core", false],
    ["lost", true],
    ["meshboard", true],
    ["new", false],
  ]);
  expect(JSON.stringify(modules)).toBe(JSON.stringify(await listModulesToPlan(records.db, mesh)));
});

it.each([
  ["a digest", "update module set fit_artifact = 'sha256:1' where name = 'core'"],
  ["an id", "update build set closure = jsonb_set(closure, '{tree}', '\"1\"') where module = 'core'"],
  ["a closure with more in it", "update build set closure = closure || '{\"more\": 1}' where module = 'core'"],
  ["a dependency", "update build set closure = jsonb_set(closure, '{dependencies}', '{\"core\": 1}')"],
  [
    "a name of a dependency",
    `update build set closure = jsonb_set(closure, '{dependencies}', '{"A": "${digestOf("1")}"}')`,
  ],
  ["a language", `update module set manifest = jsonb_set(manifest, '{language}', '"perl"') where name = 'core'`],
  ["who moved it", `update module set moved = '{"id": 1}' where name = 'core'`],
  ["a text that is missing", "update build set closure = closure - 'toolchain'"],
])("that do not read as they should are an error, never left out: %s (R26)", async (_, statement) => {
  await fillRecords();
  await records.db.query(statement);
  await expect(readPlanRows(records.db, mesh)).rejects.toThrow(/a record does not read as it should/);
});
