import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Closure } from "../../src/core/artifact.ts";
import { dueWords } from "../../src/decide/own-reasons.ts";
import { retryInMs } from "../../src/decide/retry-builds.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { describeDue } from "../../src/store/due-work.ts";
import { listLastTold } from "../../src/store/last-told.ts";
import { openPush, recordTold } from "../../src/store/pushes.ts";
import { readListening } from "../../src/store/read-listening.ts";
import { addModules, addNodes, digestOf, grant, mesh, openRecords, treeOf, type Records } from "./open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a");
});
afterAll(() => records.close());

const closureOf = (module: string): Closure => ({
  module,
  language: "files",
  tree: treeOf(module),
  dependencies: {},
  toolchain: "none",
  builder: "1",
  thirdParties: null,
  settings: {},
});

describe("what was written while PostgreSQL's clock was ahead (R31)", () => {
  it("keeps no controller that is gone among those who hear hosts (R34)", async () => {
    const { db } = records;
    await grant(db);
    expect((await readListening(db, mesh)).by).toBe("controller");
    await db.query(`update lease set renewed_at = now() + interval '90 days'`);
    expect((await readListening(db, mesh)).by).toBe("nobody");
    // So little is no sign of it: the next renewal is sooner.
    await db.query(`update lease set renewed_at = now() + interval '5 seconds'`);
    expect((await readListening(db, mesh)).by).toBe("controller");
  });

  it("does not outlive what a push made of the node since", async () => {
    const { db } = records;
    for (const [push, outcome] of [
      ["p1", "held"],
      ["p2", "already-current"],
    ] as const) {
      const asked = { id: push, kind: "named" as const, named: ["node-a"], requestedBy: "me", why: "" };
      await openPush(db, mesh, { ...asked, confirmRemoval: false });
      await recordTold(db, mesh, push, [
        { node: "node-a", round: 0, outcome, why: "", epoch: null, number: null, digest: null },
      ]);
      if (push === "p1") expect(await listLastTold(db, mesh)).toHaveLength(1);
    }
    await db.query(`update told set at = now() + interval '90 days' where push = 'p1'`);
    expect(await listLastTold(db, mesh)).toEqual([]);
  });

  it("keeps no build waiting until then: one to be tried again, one under way, one that is planned (R33)", async () => {
    const { db } = records;
    await addModules(db, "core");
    await db.query(`update module set compared_at = now(), wanted_inputs = $1, standing = 'out-of-date'`, [
      digestOf("inputs"),
    ]);
    const due = () => describeDue(db, mesh, 60_000);
    const ahead = (table: string, column: string, by: string) =>
      db.query(`update ${table} set ${column} = now() + $1::interval`, [by]);
    expect(await due()).toBeNull();
    await ahead("module", "compared_at", "5 hours");
    expect(await due()).toContain(`${dueWords.planned}: core`);

    const claim = { module: "core", inputs: digestOf("inputs"), commit: treeOf("c"), claimant: "a test" };
    await claimBuild(db, mesh, { ...claim, closure: closureOf("core"), staleMs: 60_000 });
    expect(await due()).toBeNull();
    await ahead("build", "seen_at", "5 hours");
    expect(await due()).toContain(`${dueWords.silent}: core`);

    const verdict = { verdict: "outstanding", class: "disk", message: "full" } as const;
    await recordVerdict(db, mesh, { ...claim, attempt: 1, verdict, logTail: "", retryInMs: retryInMs(20, 0.999) });
    expect(await due()).toBeNull();
    await ahead("build", "next_try_at", "5 hours");
    expect(await due()).toContain(`${dueWords.again}: core`);
  });
});
