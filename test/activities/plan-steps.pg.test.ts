import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { createControlActivities } from "../../src/activities/control.ts";
import { planSteps } from "../../src/activities/plan-steps.ts";
import { pushRequestSchema } from "../../src/activities/workflow-input.ts";
import { putArtifact } from "../../src/store/artifacts.ts";
import { assign } from "../../src/store/assignments.ts";
import { describeDue } from "../../src/store/due-work.ts";
import { openPush } from "../../src/store/pushes.ts";
import { loadMeshView } from "../../src/store/situations.ts";
import { getWave, openWave } from "../../src/store/waves.ts";
import { isUnaccounted } from "../../src/store/wave-progress.ts";
import { recordDelivery } from "../../src/store/webhooks.ts";
import {
  addModules,
  addNodes,
  artifactOf,
  digestOf,
  grant,
  manifestOf,
  mesh,
  openRecords,
  sendOne,
  treeOf,
  type Records,
} from "../store/open-records.ts";
import { runInActivity } from "./support/in-activity.ts";
import { openControl } from "./support/control-deps.ts";

let records: Records;
let deps: ControlDependencies;

beforeEach(async () => {
  records = await openRecords();
  deps = await openControl(records);
});
afterEach(() => records.close());

const request = { mesh, wave: null, running: [], done: [] };

async function enrol(incarnation: string): Promise<void> {
  await records.db.query(
    `update node set incarnation = $1, sign_key = 's', seal_key = 'age1aaaaaaaaaaaaaaaaaaaaaaaaa' where name = 'node-a'`,
    [incarnation],
  );
}

/** Fit at another build than was last sent to a node of its. */
async function fitUnderAuto(...names: string[]): Promise<void> {
  const { db } = records;
  for (const name of names) {
    await putArtifact(db, mesh, artifactOf(name, `new ${name}`), manifestOf(name, { upgrade: "auto" }));
    await assign(db, mesh, { node: "node-a", module: name, config: {}, providers: {} });
    await db.query(`update module set manifest = $2, fit_artifact = $3, fit_inputs = $3 where name = $1`, [
      name,
      JSON.stringify(manifestOf(name, { upgrade: "auto" })),
      digestOf(`new ${name}`),
    ]);
  }
}

describe("a push of what policies declare by themselves (R14)", () => {
  it("has a reason that fits, however many modules became fit at once", async () => {
    const { db } = records;
    const names = Array.from({ length: 100 }, (_, at) => `${"module-".repeat(7)}${at + 100}`);
    await addNodes(db, "node-a");
    await addModules(db, ...names);
    await fitUnderAuto(...names);
    const builds = Object.fromEntries(names.map((name) => [name, digestOf(`old ${name}`)]));
    await enrol("aaaa");
    await sendOne(db, await grant(db), "node-a", { builds });
    const [push] = (await planSteps(deps, request)).steps;
    expect(push).toMatchObject({ kind: "push", nodes: ["node-a"], modules: names });
    if (push?.kind !== "push") return;
    // As the workflow hands it to the activity that opens the push.
    const opened = pushRequestSchema.safeParse({
      schema: 1,
      mesh,
      push: push.push,
      kind: "auto",
      named: push.nodes,
      requestedBy: "policy auto",
      why: push.why,
      confirmRemoval: false,
    });
    expect(opened.error?.message).toBeUndefined();
    expect(push.why).toMatch(/ and 95 more became fit, and their policies are auto$/);
  });
});

describe("what is under auto (R14)", () => {
  const dueOf = async (manifest: unknown, made: "auto" | "record"): Promise<readonly unknown[]> => {
    const { db } = records;
    await addNodes(db, "node-a");
    await addModules(db, "web");
    await fitUnderAuto("web");
    await db.query(`update module set manifest = $1`, [manifest === null ? null : JSON.stringify(manifest)]);
    await db.query(`update artifact set manifest = $1`, [JSON.stringify(manifestOf("web", { upgrade: made }))]);
    await enrol("aaaa");
    await sendOne(db, await grant(db), "node-a", { builds: { web: digestOf("old web") } });
    return (await planSteps(deps, request)).steps;
  };

  it("is no build that a person let lie, when a later commit says auto and has no verdict yet", async () => {
    expect(await dueOf(manifestOf("web", { upgrade: "auto" }), "record")).toEqual([]);
  });

  it("is none whose source takes it back, though it was made to go out", async () => {
    expect(await dueOf(manifestOf("web", { upgrade: "record" }), "auto")).toEqual([]);
  });

  it("is one that became fit while its newest manifest cannot be read", async () => {
    expect(await dueOf(null, "auto")).toMatchObject([{ kind: "push", nodes: ["node-a"] }]);
  });
});

describe("a push of a policy that could not go on", () => {
  const due = () => describeDue(records.db, mesh, 60_000);
  const end = (push: string) =>
    records.db.query(`update push set ended_at = clock_timestamp() where mesh = $1 and id = $2`, [mesh, push]);
  const open = (id: string, kind: "behind" | "auto", named: string[]) =>
    openPush(records.db, mesh, { id, kind, named, requestedBy: "somebody", why: "" });

  it("is made again after a person's push, once: nobody commits for it (R14)", async () => {
    const { db } = records;
    await addNodes(db, "node-a");
    await addModules(db, "web");
    await db.query(`update module set compared_at = now()`);
    await fitUnderAuto("web");
    await enrol("aaaa");
    await sendOne(db, await grant(db), "node-a", { builds: { web: digestOf("old web") } });
    await open("tried", "auto", ["node-a"]);
    await end("tried");
    expect(await due()).toBeNull();
    await open("by-a-person", "behind", []);
    expect(await due()).toBeNull();
    await end("by-a-person");
    expect(await due()).toBe("policies to follow: web");
    await open("tried-again", "auto", ["node-a"]);
    expect(await due()).toBeNull();
    // Of a clock that was ahead, and was set back since: the policy's would be made again at each poll until then.
    await db.query(`update push set ended_at = now() + interval '5 hours' where id = 'by-a-person'`);
    expect(await due()).toBeNull();
  });

  it("waits after a recovery until a person has sent something: what the records lost is put right first (R35)", async () => {
    const { db } = records;
    await addNodes(db, "node-a", "node-b");
    await addModules(db, "web");
    await fitUnderAuto("web");
    await enrol("aaaa");
    const epoch = await grant(db);
    const { number } = await sendOne(db, epoch, "node-a", { builds: { web: digestOf("old web") } });
    await db.query(
      `insert into recovery (mesh, epoch, number, recovered_by, why, stopped_at, stopped_for, found, gone_on_without)
        values ($1, $2, $3, 'somebody', 'a drill', now(), 'restored', '[]', '[]')`,
      [mesh, epoch, number],
    );
    expect((await planSteps(deps, request)).steps).toEqual([]);
    await sendOne(db, epoch, "node-b", { builds: {} });
    expect((await planSteps(deps, request)).steps).toMatchObject([{ kind: "push", nodes: ["node-a"] }]);
  });
});

describe("a node whose host was enrolled again since its last send (R21)", () => {
  it("is in no push of what policies declare, which would hold it each time; status says that it was never told (R31)", async () => {
    const { db } = records;
    await addNodes(db, "node-a");
    await addModules(db, "web");
    await fitUnderAuto("web");
    await enrol("aaaa");
    await sendOne(db, await grant(db), "node-a", { builds: { web: digestOf("old web") } });
    expect((await planSteps(deps, request)).steps).toMatchObject([{ kind: "push", nodes: ["node-a"] }]);
    await enrol("bbbb");
    expect((await planSteps(deps, request)).steps).toEqual([]);
    const now = new Date(deps.nowMs()).toISOString();
    const { situations } = await loadMeshView(db, mesh, { now, limits: deps.limits });
    expect(situations.get("node-a")).toMatchObject({
      word: "never-told",
      why: expect.stringMatching(/enrolled again and was not told anything yet: `push node-a` sends it/),
    });
  });
});

describe("a wave that nobody goes on with (R9)", () => {
  it("is accounted for and ended by the next plan, so that nobody waits for it", async () => {
    const { db } = records;
    await addModules(db, "core", "page");
    await db.query(`update module set tree = $1, source_commit = $1, manifest = $2`, [
      treeOf("tree"),
      JSON.stringify(manifestOf("core")),
    ]);
    await openWave(db, mesh, { id: "left", reason: "a comparison whose answer was lost", announced: ["core"] });
    await openWave(db, mesh, { id: "now", reason: "the same again", announced: ["core", "page"] });
    expect(await isUnaccounted(db, mesh, ["core"])).toBe(true);
    await planSteps(deps, { ...request, wave: "now" });
    expect(await getWave(db, mesh, "now")).toMatchObject({ endedAt: null, accounted: {} });
    expect(await getWave(db, mesh, "left")).toMatchObject({
      endedAt: expect.any(String),
      accounted: { core: { outcome: "superseded" } },
    });
    await planSteps(deps, request);
    expect(await isUnaccounted(db, mesh, ["core", "page"])).toBe(false);
  });

  it("is none that a newer round began while a plan of the one before, which was given up, went on", async () => {
    const { db } = records;
    await addModules(db, "core");
    // While it plans: it has begun, and keeps how the modules stand after it.
    let isOpened = false;
    const late: ControlDependencies["db"] = {
      ...db,
      query: async (sql, values) => {
        if (!isOpened && sql.includes("from build")) {
          isOpened = true;
          await openWave(db, mesh, { id: "newer", reason: "the next round", announced: ["core"] });
        }
        return db.query(sql, values);
      },
    };
    await planSteps({ ...deps, db: late }, request);
    expect(await getWave(db, mesh, "newer")).toMatchObject({ endedAt: null, accounted: {} });
  });
});

describe("a module of a wave whose source is taken away while it goes (R9, R15)", () => {
  it.each([
    ["its folder went", "problem", "web is broken: the words"],
    ["it cannot be read", "unread", "how web stands cannot be told: the words"],
  ] as const)("failed, with the reason: %s", async (_, column, why) => {
    const { db } = records;
    await addModules(db, "web");
    await openWave(db, mesh, { id: "now", reason: "a test", announced: ["web"] });
    await db.query(`update module set tree = null, compared_at = now(), ${column} = 'the words'`);
    await planSteps(deps, { ...request, wave: "now" });
    expect((await getWave(db, mesh, "now"))?.accounted).toEqual({ web: { outcome: "failed", why } });
  });
});

describe("a comparison", () => {
  it("forgets webhook deliveries that no forge repeats any more", async () => {
    const { db } = records;
    for (const delivery of ["old", "new"]) await recordDelivery(db, mesh, { source: "github", delivery });
    await db.query(`update webhook_delivery set received_at = now() - interval '8 days' where delivery = 'old'`);
    const { compareSources } = createControlActivities(deps);
    await runInActivity({ heartbeats: 0, warnings: [] }, () => compareSources({ mesh, wave: null, reasons: [] }));
    expect((await db.query(`select delivery from webhook_delivery`)).rows).toEqual([{ delivery: "new" }]);
  });
});
