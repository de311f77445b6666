import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listLastTold } from "../../src/store/last-told.ts";
import { openPush, recordTold } from "../../src/store/pushes.ts";
import { readListening } from "../../src/store/read-listening.ts";
import { addNodes, grant, mesh, openRecords, type Records } from "./open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a");
});
afterAll(() => records.close());

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
});
