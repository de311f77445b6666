import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepClaim } from "../../src/store/heed-claim.ts";
import { recoverMesh } from "../../src/store/recovery.ts";
import { readStop } from "../../src/store/stop.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { addNodes, grant, mesh, openRecords, untilWaiting, type Records } from "./open-records.ts";

let records: Records;

beforeEach(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a");
  await records.db.query(`update node set incarnation = 'aaaa'`);
  await grant(records.db);
});
afterEach(() => records.close());

/** Above everything, so that nobody goes above it: a person has to leave it out. */
const claim = { node: "node-a", incarnation: "aaaa", order: { epoch: 2 ** 40, number: 1 }, digest: null };
const recover = () =>
  recoverMesh(records.db, { mesh, without: ["node-a"], by: "ada", why: "its word is not believed" });

describe("a host that a recovery leaves out while it speaks (R35)", () => {
  it("does not stop the mesh again with the word that waited for the recovery", async () => {
    const { db } = records;
    await keepClaim(db, mesh, claim);
    const answers: Promise<unknown>[] = [];
    await inTransaction(db, { isolation: "read committed" }, async (tx) => {
      // As a recovery does, a moment before its end.
      await tx.query(`update host_claim set left_out_at = now(), left_out_by = 'ada'`);
      answers.push(keepClaim(db, mesh, claim));
      await untilWaiting(records.watcher);
      await tx.query(`update mesh set stopped_at = null, stopped_for = null`);
    });
    expect(await Promise.all(answers)).toEqual([{ kind: "ahead", stops: false }]);
    expect(await readStop(db, mesh)).toBeNull();
  });

  it("does not fail the recovery where each waits for the other", async () => {
    const { db } = records;
    await keepClaim(db, mesh, claim);
    const ended: Promise<unknown>[] = [];
    await inTransaction(db, { isolation: "read committed" }, async (tx) => {
      // The server ends whoever looks first, which on a busy machine is either: the recovery, so that it is tried.
      await tx.query(`set local deadlock_timeout = '60s'`);
      // Its word, half-way: it has its row, and is about to stop the mesh.
      await tx.query(`update host_claim set heard_at = now()`);
      ended.push(recover());
      await untilWaiting(records.watcher);
      await tx.query(`update mesh set stopped_for = stopped_for`);
    });
    expect(await Promise.all(ended)).toMatchObject([{ plan: { kind: "ready" } }]);
    expect(await readStop(db, mesh)).toBeNull();
  });
});
