import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { listConditions, observeCondition } from "../../src/store/conditions.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { insertProvisions } from "../../src/store/provisions.ts";
import { openWave } from "../../src/store/waves.ts";
import type { Watch } from "../../src/worker/keep-looking.ts";
import { watchWaits } from "../../src/worker/watch-waits.ts";
import {
  addModules,
  addNodes,
  mesh,
  openRecords,
  provisionOf,
  type Records,
  reportOf,
  until,
} from "../store/open-records.ts";

let records: Records;
let watch: Watch | null = null;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b", "node-c");
  await addModules(records.db, "core", "shop");
  const provisions = [provisionOf("node-a", 2), provisionOf("node-c")];
  await inTransaction(records.db, { isolation: "read committed" }, (tx) =>
    insertProvisions(tx, mesh, { push: "p1", provisions }),
  );
});
afterEach(async () => {
  await watch?.stop();
  watch = null;
});
afterAll(() => records.close());

/** What its first look through closes was open before: `shown` means that it has looked. */
async function start(): Promise<void> {
  await observeCondition(records.db, mesh, {
    code: "wait-watch-failing",
    subject: "waits",
    message: "",
    remedy: "",
    urgent: false,
  });
  const log = pino({ level: "silent" });
  watch = watchWaits({ db: records.as("controller"), mesh, log, everyMs: 10 });
}

const subjects = async (): Promise<string[]> =>
  (await listConditions(records.db, mesh)).map(({ code, subject }) => `${code} ${subject}`).toSorted();
const shown = (...wanted: string[]) =>
  until(async () => JSON.stringify(await subjects()) === JSON.stringify(wanted.toSorted()));

/** What node-b's host reads back, of which versions. */
async function report(versions: Readonly<Record<string, number>>): Promise<void> {
  const provisions = Object.entries(versions).map(([node, version]) => ({ provision: provisionOf(node).id, version }));
  const resources = [{ id: "grant/postgresql/postgresql", state: "applied", message: "", provisions }];
  const body = { ...reportOf("node-b", { has: { epoch: 1, number: 1 } }), incarnation: "bbbb", resources };
  await records.db.query(
    `insert into account (mesh, node, incarnation, epoch, number, boot, sequence, outcome, report, received_at)
     values ($1, 'node-b', 'bbbb', 1, 1, 1, 1, 'applied', $2, now())
     on conflict (mesh, node) do update set report = excluded.report`,
    [mesh, JSON.stringify(body)],
  );
}

describe("who waits past a bound (R33)", () => {
  it("a consumer whose provision is not read back as made, until it is", async () => {
    await report({ "node-a": 1 });
    await start();
    await shown();
    await records.db.query(
      `update provision set minted_at = now() - interval '6 minutes' where consumer_node = 'node-a'`,
    );
    await shown("consumer-waits node-a/meshboard database");
    const [condition] = await listConditions(records.db, mesh);
    expect(condition?.message).toMatch(/waits for its database since .*: the host of node-b has not said/);
    await report({ "node-a": 2 });
    await shown();
  });

  it("a module that waits for another one's verdict, until it has none to wait for", async () => {
    const put = (standing: string, since: string) =>
      records.db.query(
        `update module set standing = $1, standing_why = 'core is unfit', behind_since = now() - $2::interval where name = 'shop'`,
        [standing, since],
      );
    await put("waiting", "59 minutes");
    await start();
    await shown();
    await put("waiting", "61 minutes");
    await shown("build-waits shop");
    await put("building", "61 minutes");
    await shown();
  });

  it("a wave of which nothing began or ended, and not one that has nothing left to do", async () => {
    await openWave(records.db, mesh, { id: "w1", reason: "core moved", announced: ["core"] });
    await records.db.query(`update wave set started_at = now() - interval '2 hours'`);
    await start();
    await shown();
    await records.db.query(`update module set standing = 'out-of-date' where name = 'core'`);
    await shown("wave-stands waves");
    // One that goes on for long is no stand.
    await records.db.query(
      `insert into build (mesh, module, inputs, state, closure, commit, claimant, started_at, seen_at)
       values ($1, 'core', $2, 'building', '{}', '', 'test', now() - interval '3 hours', now())`,
      [mesh, `sha256:${"1".repeat(64)}`],
    );
    await shown();
    await records.db.query("delete from build");
    await shown("wave-stands waves");
    await records.db.query(
      `insert into build (mesh, module, inputs, state, closure, commit, claimant)
       values ($1, 'core', $2, 'building', '{}', '', 'test')`,
      [mesh, `sha256:${"0".repeat(64)}`],
    );
    await shown();
  });
});
