import { readWaveProgress } from "../../src/store/wave-progress.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assign, getAssignment, listAssignments, unassign } from "../../src/store/assignments.ts";
import { clearCondition, keepConditions, listConditions, observeCondition } from "../../src/store/conditions.ts";
import { extendWave } from "../../src/store/extend-wave.ts";
import { ensureMesh, getMesh } from "../../src/store/meshes.ts";
import { accountFor, endWave, getWave, listWaves, openWave, reopenInWave } from "../../src/store/waves.ts";
import { forgetDeliveries, recordDelivery } from "../../src/store/webhooks.ts";
import { addModules, addNodes, mesh, openRecords, type Records } from "./open-records.ts";

let records: Records;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a");
  await addModules(records.db, "core");
});
afterAll(() => records.close());

describe("a condition whose count is known from records (R33)", () => {
  it("is kept exactly, and written again only when something moved", async () => {
    const known = { code: "build-outstanding", subject: "core", message: "503", remedy: "wait", urgent: false };
    const since = "2026-01-01T00:00:00.000Z";
    expect(await keepConditions(records.db, mesh, [{ ...known, since, count: 3 }])).toBe(1);
    expect(await keepConditions(records.db, mesh, [{ ...known, since, count: 3 }])).toBe(0);
    expect(await keepConditions(records.db, mesh, [{ ...known, since, count: 4 }])).toBe(1);
    expect(await listConditions(records.db, mesh)).toMatchObject([{ ...known, since, count: 4 }]);
    expect(await keepConditions(records.db, mesh, [{ ...known, since, count: 4, urgent: true }])).toBe(1);
    await clearCondition(records.db, mesh, known);
  });
});

describe("a condition (R33)", () => {
  const seen = { code: "source-away", subject: "repository/examples", message: "503", remedy: "wait", urgent: false };

  it("keeps its beginning and counts, also when it is seen 20 times at once", async () => {
    const first = await observeCondition(records.db, mesh, seen);
    await Promise.all(
      Array.from({ length: 20 }, () =>
        observeCondition(records.db, mesh, { ...seen, message: "x\0".repeat(5000), urgent: true }),
      ),
    );
    const [now] = await listConditions(records.db, mesh);
    expect(now).toMatchObject({ since: first.since, count: 21, urgent: true });
    expect(now?.message).toHaveLength(2000);
    expect(await clearCondition(records.db, mesh, seen)).toBe(true);
    expect(await clearCondition(records.db, mesh, seen)).toBe(false);
    expect((await observeCondition(records.db, mesh, seen)).count).toBe(1);
  });

  it("is listed with the urgent ones first", async () => {
    await observeCondition(records.db, mesh, { ...seen, code: "lease-records-lost", urgent: true });
    expect((await listConditions(records.db, mesh)).map(({ code }) => code)).toEqual([
      "lease-records-lost",
      "source-away",
    ]);
  });
});

describe("a wave (R9)", () => {
  it("accounts for what it announced, and for nothing else", async () => {
    await openWave(records.db, mesh, { id: "w1", reason: "core moved", announced: ["core", "meshboard"] });
    await openWave(records.db, mesh, { id: "w1", reason: "again", announced: [] });
    const built = { outcome: "built", why: "" } as const;
    expect(
      await Promise.all([
        accountFor(
          records.db,
          mesh,
          "w1",
          new Map([
            ["core", built],
            ["stranger", built],
          ]),
        ),
        accountFor(records.db, mesh, "w1", new Map([["meshboard", { outcome: "waiting", why: "core failed" }]])),
      ]),
    ).toEqual([true, true]);
    expect(await accountFor(records.db, mesh, "no-such-wave", new Map([["core", built]]))).toBe(false);
    const waiting = { outcome: "waiting", why: "core failed", for: ["core"] } as const;
    expect(await accountFor(records.db, mesh, "w1", new Map([["meshboard", waiting]]))).toBe(true);
    expect(await readWaveProgress(records.db, mesh)).toMatchObject({
      id: "w1",
      announced: 2,
      counts: { built: 1, waiting: 1 },
      waitingFor: ["core"],
    });
    expect(await endWave(records.db, mesh, "w1")).toBe(true);
    expect(await endWave(records.db, mesh, "w1")).toBe(false);
    const wave = await getWave(records.db, mesh, "w1");
    expect(wave?.reason).toBe("core moved");
    expect(wave?.accounted).toEqual({ core: built, meshboard: waiting });
    // Whoever comes late, as an attempt that nobody waits for, changes nothing of what was said of it.
    expect(await accountFor(records.db, mesh, "w1", new Map([["meshboard", built]]))).toBe(false);
    expect(await extendWave(records.db, mesh, "w1", ["core", "other"])).toBe(false);
    await reopenInWave(records.db, mesh, "w1", ["core"]);
    expect(await listWaves(records.db, mesh, 5)).toEqual([wave]);
  });
});

describe("a webhook's delivery", () => {
  it("is fresh once, of 20 at the same moment, and forgotten later", async () => {
    const hook = { source: "github", delivery: "72d3162e" };
    const results = await Promise.all(Array.from({ length: 20 }, () => recordDelivery(records.db, mesh, hook)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await forgetDeliveries(records.db, mesh, 60_000)).toBe(0);
    expect(await forgetDeliveries(records.db, mesh, -1000)).toBe(1);
    expect(await recordDelivery(records.db, mesh, hook)).toBe(true);
  });
});

describe("a mesh and its assignments", () => {
  it("are there once", async () => {
    expect(await ensureMesh(records.db, mesh)).toBe(false);
    expect(await ensureMesh(records.db, "another")).toBe(true);
    expect(await getMesh(records.db, "another")).toMatchObject({ number: 0, epoch: 0, epochFloor: 0 });
    expect(await getMesh(records.db, "none")).toBeNull();
    await expect(ensureMesh(records.db, "Not A Name")).rejects.toThrow();
  });

  it("have a configuration that is replaced whole; text in it is data (case 52)", async () => {
    const which = { node: "node-a", module: "core" };
    await assign(records.db, mesh, { ...which, config: { title: "a", port: "1" }, providers: {} });
    await assign(records.db, mesh, {
      ...which,
      config: { title: "'); drop table node; --" },
      providers: { database: "postgresql@node-b" },
    });
    expect(await getAssignment(records.db, mesh, which)).toMatchObject({
      config: { title: "'); drop table node; --" },
      providers: { database: "postgresql@node-b" },
    });
    await expect(assign(records.db, mesh, { ...which, module: "unknown", config: {}, providers: {} })).rejects.toThrow(
      "foreign key",
    );
    expect(await listAssignments(records.db, mesh)).toHaveLength(1);
    expect(await unassign(records.db, mesh, which)).toBe(true);
    expect(await unassign(records.db, mesh, which)).toBe(false);
  });
});
