import { expect, it } from "vitest";
import { noteUnsettled } from "../../src/activities/note-unsettled.ts";
import type { PushResult } from "../../src/core/push.ts";
import { listConditions } from "../../src/store/conditions.ts";
import { mesh, openRecords } from "../store/open-records.ts";

it("a push that did not settle is a condition until one settles; a refused one says nothing of it (R18, R33)", async () => {
  const records = await openRecords();
  try {
    const result = (outcome: PushResult["outcome"]): PushResult => ({
      push: "p1",
      outcome,
      rounds: 6,
      sent: 1,
      held: 0,
      notWorkedOut: 0,
      moving: ["node-a"],
      message: "it still moves",
    });
    const count = async () => (await listConditions(records.db, mesh)).map((one) => [one.code, one.count]);
    await noteUnsettled(records.db, mesh, result("did-not-settle"));
    await noteUnsettled(records.db, mesh, result("did-not-settle"));
    await noteUnsettled(records.db, mesh, result("refused"));
    expect(await count()).toEqual([["push-did-not-settle", 2]]);
    await noteUnsettled(records.db, mesh, result("settled"));
    expect(await count()).toEqual([]);
  } finally {
    await records.close();
  }
});
