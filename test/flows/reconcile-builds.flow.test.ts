import { rename } from "node:fs/promises";
import { join } from "node:path";
import { ApplicationFailure } from "@temporalio/common";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getArtifact } from "../../src/store/artifacts.ts";
import { listBuilds } from "../../src/store/builds.ts";
import { reconcileWorkflowId } from "../../src/decide/ids.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { listSends } from "../../src/store/declarations.ts";
import { listWaves } from "../../src/store/waves.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { filesModule, isFitAt, listStandings, readModule } from "./support/module-files.ts";
import { openReconcileMesh, type ReconcileMesh } from "./support/reconcile-mesh.ts";
import { pushNode } from "./support/push-node.ts";
import { seedAssignment, seedNodes } from "./support/seed-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

let flow: ReconcileMesh;

beforeEach(async () => {
  flow = await openReconcileMesh();
});

afterEach(async () => {
  await flow.close();
});

const core = typescriptModule("core", { "src/index.ts": "export const one: number = 1;\n" });
const app = typescriptModule("app", {
  "mesh.yaml": "module: app\nlanguage: typescript\nupgrade: auto\n",
  "src/main.ts": `import { one } from "@test/core";\nconsole.log(one);\n`,
});
const failingTest = `import { test } from "node:test";\ntest("never", () => { throw new Error("not today"); });\n`;

async function countBuilds(module: string): Promise<number> {
  return (await listBuilds(flow.db, flow.mesh, module, 99)).length;
}

async function readAccounts(): Promise<{ reason: string; announced: string[]; outcomes: Record<string, string> }> {
  const [wave] = await listWaves(flow.db, flow.mesh, 1);
  if (wave === undefined) throw new Error("there was no wave");
  expect(wave.endedAt).not.toBeNull();
  return {
    reason: wave.reason,
    announced: wave.announced,
    outcomes: Object.fromEntries(Object.entries(wave.accounted).map(([module, { outcome }]) => [module, outcome])),
  };
}

describe("what is rebuilt", () => {
  it("nothing, for a commit outside of every module's path (R8, case 8)", async () => {
    await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    await flow.look();
    const before = await readModule(flow, "app");
    await flow.origin.commit({ "README.md": "only words\n" });
    await flow.look();
    const after = await readModule(flow, "app");
    expect({ inputs: after.fitInputs, builds: await countBuilds("app") }).toEqual({
      inputs: before.fitInputs,
      builds: 1,
    });
    expect(after.standing).toBe("current");
    expect(await listWaves(flow.db, flow.mesh, 9)).toHaveLength(1);
  });

  it("a library whose output stays the same alone, and one whose output moved with all behind it (R9, R10, cases 7, 8)", async () => {
    await flow.origin.commit({ ...core, ...app });
    await flow.addModules("core", "app");
    await flow.look();
    expect(await listStandings(flow)).toEqual(["app: current", "core: current"]);
    const before = await readModule(flow, "core");
    await seedNodes(flow, ["node-a"]);
    await seedAssignment(flow, "node-a", "app");
    await pushNode(flow, "node-a");

    await flow.origin.commit({ "core/src/index.ts": "// the first of many\nexport const one: number = 1;\n" });
    await flow.look();
    const cut = await readModule(flow, "core");
    expect(cut.fitInputs).not.toBe(before.fitInputs);
    expect(cut.fitArtifact).toBe(before.fitArtifact);
    expect([await countBuilds("core"), await countBuilds("app")]).toEqual([2, 1]);
    expect(await listSends(flow.db, flow.mesh, "node-a", 9)).toHaveLength(1);
    expect(await readAccounts()).toMatchObject({
      announced: ["core", "app"],
      outcomes: { core: "built", app: "cut-off" },
    });

    const moved = await flow.origin.commit({ "core/src/index.ts": "export const one: number = 1 + 0;\n" });
    await flow.look();
    expect([await countBuilds("core"), await countBuilds("app")]).toEqual([3, 2]);
    // What app is made of has changed with its library, and its policy is auto.
    expect(await listSends(flow.db, flow.mesh, "node-a", 9)).toHaveLength(2);
    const accounts = await readAccounts();
    expect(accounts.outcomes).toEqual({ core: "built", app: "built" });
    expect(accounts.reason).toContain("app imports core at src/main.ts:1");
    expect(accounts.reason).toContain(`→ ${moved.slice(0, 7)}`);
  });
});

describe("a wave with a module that fails", () => {
  it("accounts for all that was announced: failed, waiting for it, built (R9, R11, case 9)", async () => {
    await flow.origin.commit({ ...core, ...app, ...filesModule("page", "one"), "core/src/index.test.ts": failingTest });
    await flow.addModules("core", "app", "page");
    await flow.look();
    expect(await listStandings(flow)).toEqual(["app: waiting", "core: unfit", "page: current"]);
    expect((await readModule(flow, "app")).standingWhy).toContain("core");
    const { announced, outcomes } = await readAccounts();
    expect(Object.keys(outcomes).toSorted()).toEqual(announced.toSorted());
    expect(outcomes).toEqual({ core: "failed", app: "waiting", page: "built" });
    // Mended: the verdict was about exact inputs, and both go on.
    const mended = await flow.origin.commit({ "core/src/index.test.ts": null });
    await flow.look();
    expect([await isFitAt(flow, "core", mended), await isFitAt(flow, "app", mended)]).toEqual([true, true]);
  });
});

describe("an environment that fails", () => {
  it("is outstanding while the store has lost a dependency, tried again later, and then fit (R11, case 10)", async () => {
    await flow.origin.commit({ ...core, ...app });
    await flow.addModules("core");
    await flow.look();
    const blob = await pathOfBlob("core");
    await rename(blob, `${blob}.away`);
    await flow.addModules("app");
    await flow.look();
    const outstanding = await readModule(flow, "app");
    expect(outstanding).toMatchObject({
      standing: "outstanding",
      standingWhy: expect.stringMatching(/is not in the artifact store/),
    });
    await rename(`${blob}.away`, blob);
    flow.watch(300);
    await waitUntil("it is tried again and fit", async () => (await readModule(flow, "app")).standing === "current");
    expect(flow.wakes).toContainEqual(expect.stringContaining("builds to try again: app"));
    expect(await countBuilds("app")).toBe(1);
  });

  it("in no way that we know, again and again, is a condition until it is judged (R33)", async () => {
    const commit = await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    const failure = ApplicationFailure.nonRetryable("the disk speaks in tongues");
    flow.gates.failOnce("app", failure);
    await flow.look();
    const said = (await listConditions(flow.db, flow.mesh)).filter((one) => one.code === "step-failed");
    expect(said.map((one) => one.message)).toEqual(["the disk speaks in tongues"]);
    // Its claim is lost once it is old.
    await flow.db.query(`update build set started_at = now() - interval '1 hour', seen_at = null where mesh = $1`, [
      flow.mesh,
    ]);
    await flow.look();
    expect(await isFitAt(flow, "app", commit)).toBe(true);
    expect(await listConditions(flow.db, flow.mesh)).toEqual([]);
  });

  it("in no way that we know is tried again by whoever began it (R9, case 42)", async () => {
    const commit = await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    flow.gates.failOnce("app", new Error("Connection terminated unexpectedly"));
    await flow.look();
    expect(await isFitAt(flow, "app", commit)).toBe(true);
    expect(flow.gates.arrivals("app")).toBe(2);
  });
});

describe("a Temporal that lost everything while a build ran (R50, case 43)", () => {
  /** The module's first build is under way, and only the records know. */
  async function loseTemporal(): Promise<string> {
    const commit = await flow.origin.commit(filesModule("app", "one"));
    await flow.addModules("app");
    flow.gates.hold("app");
    await flow.wake("first");
    await waitUntil("it is being built", async () => flow.gates.arrivals("app") === 1);
    await flow.client.workflow.getHandle(reconcileWorkflowId(flow.mesh)).terminate("lost");
    return commit;
  }

  it("finds the claim by its age, and builds again", async () => {
    const commit = await loseTemporal();
    flow.gates.failOnce("app", new Error("the worker is gone too"));
    flow.gates.release("app");
    await flow.db.query(`update build set started_at = now() - interval '1 hour', seen_at = null where mesh = $1`, [
      flow.mesh,
    ]);
    flow.watch(300);
    await waitUntil("it is fit", () => isFitAt(flow, "app", commit));
    expect(flow.wakes).toContainEqual(expect.stringContaining("builds without a verdict: app"));
  });

  it("reads the verdict that came after", async () => {
    const commit = await loseTemporal();
    flow.gates.release("app");
    flow.watch(300);
    await waitUntil("it is fit", () => isFitAt(flow, "app", commit));
    expect(flow.gates.arrivals("app")).toBe(1);
    expect(flow.wakes).toContainEqual(expect.stringContaining("verdicts that no plan has read: app"));
  });

  it("takes up what was planned and never begun", async () => {
    const commit = await loseTemporal();
    flow.gates.failOnce("app", new Error("the worker is gone too"));
    flow.gates.release("app");
    await waitUntil("the failed attempt is over", async () => !flow.gates.isFailing("app"));
    await flow.db.query(`delete from build where mesh = $1`, [flow.mesh]);
    await flow.db.query(
      `update module set standing = 'out-of-date', compared_at = now() - interval '1 hour' where mesh = $1`,
      [flow.mesh],
    );
    await flow.db.query(`update source_head set facts_at = null where mesh = $1`, [flow.mesh]);
    flow.watch(300);
    await waitUntil("it is fit", () => isFitAt(flow, "app", commit));
    expect(flow.wakes).toContainEqual(expect.stringContaining("planned builds that nobody began: app"));
  });
});

async function pathOfBlob(module: string): Promise<string> {
  const { fitArtifact } = await readModule(flow, module);
  const found = await getArtifact(flow.db, flow.mesh, module, fitArtifact ?? "");
  if (found === null) throw new Error(`${module} has no artifact`);
  return join(flow.artifacts.dir, "blobs", "sha256", found.artifact.blob.slice("sha256:".length));
}
