import type { Client } from "@temporalio/client";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endPush, getPush, listOpenPushes, openPush, recordTold } from "../../src/store/pushes.ts";
import { createControllerClient } from "../../src/worker/client.ts";
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

it("does not begin again a push that came to its end between the list and the question (R50)", async () => {
  const { db } = records;
  const push = { id: "push-2", kind: "all" as const, named: [], requestedBy: "somebody", why: "" };
  await openPush(db, mesh, push);
  const counts = { rounds: 1, sent: 1, held: 0, notWorkedOut: 0, moving: [] };
  let started = 0;
  const client = {
    workflow: {
      getHandle: () => ({
        describe: async () => {
          // As its workflow does: the records first, then Temporal.
          await endPush(db, mesh, push.id, { push: push.id, outcome: "settled", ...counts, message: "" });
          return { status: { name: "COMPLETED" } };
        },
      }),
      start: async () => void (started += 1),
    },
  };
  const controller = createControllerClient(client as unknown as Client, () => Promise.resolve());
  const open = (await listOpenPushes(db, mesh)).map(({ id }) => id);
  expect(open).toEqual([push.id]);
  let looks = 0;
  const log = pino({ level: "silent" });
  const mayAct = (): boolean => (looks += 1) > 0;
  const watch = resumePushes({ db, mesh, controller, mayAct, log, everyMs: 20 });
  try {
    await until(async () => looks > 1);
  } finally {
    await watch.stop();
  }
  expect(started).toBe(0);
  expect((await getPush(db, mesh, push.id))?.result).toMatchObject({ outcome: "settled", sent: 1 });
});
