import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { getPush, openPush, recordTold } from "../../src/store/pushes.ts";
import { resumePushes } from "../../src/worker/resume-pushes.ts";
import { mesh, openRecords, type Records, until } from "../store/open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

it("records of a push that will not go on what it sent before (R28, R50)", async () => {
  const { db } = records;
  const push = { id: "push-1", kind: "all" as const, named: [], requestedBy: "somebody", why: "" };
  await openPush(db, mesh, push);
  const told = { why: "a test", epoch: null, number: null, digest: null };
  await recordTold(db, mesh, push.id, [
    { ...told, node: "a", round: 0, outcome: "sent" },
    { ...told, node: "b", round: 0, outcome: "held" },
    { ...told, node: "c", round: 0, outcome: "not-worked-out" },
    { ...told, node: "c", round: 1, outcome: "sent" },
    { ...told, node: "a", round: 1, outcome: "sent" },
  ]);
  const controller = { resumePush: () => Promise.resolve({ kind: "over" as const, why: "it was terminated" }) };
  const log = pino({ level: "silent" });
  const watch = resumePushes({ db, mesh, controller, mayAct: () => true, log, everyMs: 50 });
  try {
    const ended = await until(async () => {
      const found = await getPush(db, mesh, push.id);
      return found?.endedAt === null ? null : found;
    });
    expect(ended.result).toMatchObject({ outcome: "failed", rounds: 2, sent: 2, held: 1, notWorkedOut: 0 });
    expect(ended.result?.message).toBe("it was terminated before it came to its end; it had sent to 2 nodes");
  } finally {
    await watch.stop();
  }
});
