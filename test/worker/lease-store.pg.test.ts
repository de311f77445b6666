import { afterEach, beforeEach, expect, it } from "vitest";
import { acquireLease, systemClock } from "../../src/worker/lease-keeper.ts";
import { openLeaseStore } from "../../src/worker/lease-store.ts";
import { grant, mesh, openRecords, type Records } from "../store/open-records.ts";

let records: Records;
let leases: ReturnType<typeof openLeaseStore>;

beforeEach(async () => {
  records = await openRecords();
  leases = openLeaseStore({ mesh, holder: "standby", databaseUrl: records.url, databaseLogins: null });
});
afterEach(async () => {
  await leases.end();
  await records.close();
});

const acquire = () =>
  acquireLease(leases.store, systemClock, {
    signal: new AbortController().signal,
    onWaiting: () => undefined,
    onLost: () => undefined,
    onUnanswered: () => undefined,
  });

it("a standby of before newer tables ends instead of acting on them, and says what to do (R34)", async () => {
  const epoch = await grant(records.db);
  const before = await leases.store.read();
  await records.db.query("insert into schema_migration (id, sha256) values ('0999-of-a-newer-program', 'x')");
  await records.db.query("update lease set holder = null");
  await expect(acquire()).rejects.toThrow(/0999-of-a-newer-program/);
  expect(before?.epoch).toBe(epoch);
  expect(await leases.store.read()).toMatchObject({ epoch, holder: null });
});

it("one of the tables as they are takes it", async () => {
  const epoch = await grant(records.db);
  await records.db.query("update lease set holder = null");
  const lease = await acquire();
  expect(lease.epoch).toBe(epoch + 1);
  await lease.release();
});
