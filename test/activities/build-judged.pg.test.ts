import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type BuildDependencies, createBuildActivities } from "../../src/activities/build.ts";
import type { BuildResult } from "../../src/activities/build-result.ts";
import { keptFor } from "../../src/activities/kept-records.ts";
import { loadBuildPlan } from "../../src/activities/load-build-facts.ts";
import { openArtifactStore } from "../../src/build/artifact-store.ts";
import type { Verdict } from "../../src/core/artifact.ts";
import type { PlannedBuild } from "../../src/decide/plan-builds.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { claimBuild, getBuild, recordVerdict } from "../../src/store/builds.ts";
import type { Database } from "../../src/store/database.ts";
import { addModules, digestOf, manifestOf, mesh, openRecords, treeOf, type Records } from "../store/open-records.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { openControl } from "./support/control-deps.ts";
import { runInActivity } from "./support/in-activity.ts";

let records: Records;
let deps: BuildDependencies;
let planned: PlannedBuild;

beforeEach(async () => {
  records = await openRecords();
  const folder = await createTemporaryFolder();
  deps = {
    ...(await openControl(records)),
    artifacts: await openArtifactStore(join(folder, "artifacts")),
    sandboxFor: () => {
      throw new Error("nothing is to be built");
    },
    folders: { work: folder, cache: folder },
    registries: {},
    limits: {},
    builder: { key: generateSigningKey(), version: "0.0.0" },
  };
  await addModules(records.db, "core");
  await records.db.query(`update module set tree = $1, source_commit = $1, manifest = $2`, [
    treeOf("tree"),
    JSON.stringify(manifestOf("core")),
  ]);
  const { plan } = await loadBuildPlan(deps.db, mesh, {
    ...deps,
    toolchains: deps.describeToolchains(),
    running: new Set(),
    now: new Date().toISOString(),
    kept: keptFor(deps.db, mesh),
  });
  const [ready] = plan.ready;
  if (ready === undefined) throw new Error("core was to be ready");
  planned = ready;
});
afterEach(() => records.close());

/** As the attempt did whose worker died before it could answer. */
async function judge(verdict: Verdict): Promise<void> {
  const { module, inputs, closure } = planned;
  const claimed = await claimBuild(deps.db, mesh, {
    module,
    inputs,
    closure,
    commit: treeOf("tree"),
    claimant: "a test",
    staleMs: 1,
  });
  if (claimed.kind !== "claimed") throw new Error("it was to be claimed");
  const { attempt } = claimed;
  await recordVerdict(deps.db, mesh, { module, inputs, attempt, verdict, logTail: "", retryInMs: 600_000 });
}

const build = (inputs = planned.inputs): Promise<BuildResult> =>
  runInActivity({ heartbeats: 0, warnings: [] }, () =>
    createBuildActivities(deps).buildModule({ mesh, module: "core", inputs }),
  );
const unfit: Verdict = { verdict: "unfit", stage: "test", message: "a test failed" };
const outstanding: Verdict = { verdict: "outstanding", class: "disk", message: "no room" };

it.each<[string, Verdict]>([
  ["unfit", unfit],
  ["outstanding", outstanding],
])("a build that another attempt found %s before its worker died answers that (R9)", async (state, verdict) => {
  await judge(verdict);
  expect(await build()).toMatchObject({ state, message: verdict.verdict === "fit" ? "" : verdict.message });
});

it("a build whose inputs moved answers its verdict; without one, and where it was only outstanding, that it is superseded", async () => {
  await judge(outstanding);
  await records.db.query(`update module set tree = $1`, [treeOf("newer")]);
  const superseded = { state: "superseded", message: "its inputs moved before they had a verdict" };
  expect(await build()).toMatchObject(superseded);
  expect(await build(digestOf("others"))).toMatchObject(superseded);
  await records.db.query(`update build set state = 'unfit', message = 'a test failed'`);
  expect(await build()).toMatchObject({ state: "unfit", message: "a test failed" });
});

it.each<[string, string, string]>([
  ["a newer commit that has its source", `third_parties`, "newer"],
  // The lock file of a workspace, above the module's folder, is no part of that.
  ["its own commit where the newer one locks other packages", `'${digestOf("others")}'`, "tree"],
])("a build that begins while a commit is compared is of %s (R8, R9)", async (_what, thirdParties, commit) => {
  const db: Database = {
    ...deps.db,
    query: async (sql, values) => {
      // The comparison lands between its plan and its reading of the module.
      if (sql.includes("from module m") && sql.endsWith("where m.mesh = $1 and m.name = $2"))
        await records.db.query(`update module set source_commit = $1, third_parties = ${thirdParties}`, [
          treeOf("newer"),
        ]);
      return records.db.query(sql, values);
    },
  };
  const started = createBuildActivities({ ...deps, db });
  const request = { mesh, module: "core", inputs: planned.inputs };
  await expect(runInActivity({ heartbeats: 0, warnings: [] }, () => started.buildModule(request))).rejects.toThrow(
    "nothing is to be built",
  );
  expect((await getBuild(deps.db, mesh, "core", planned.inputs))?.commit).toBe(treeOf(commit));
});
