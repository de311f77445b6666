import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { listConditions, observeCondition } from "../../src/store/conditions.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { insertProvisions } from "../../src/store/provisions.ts";
import { openWave } from "../../src/store/waves.ts";
import type { Order } from "../../src/core/declaration.ts";
import type { GatewayRecords } from "../../src/link/gateway/gateway-records.ts";
import { createDeclarationWakes, createGatewayRecords } from "../../src/worker/gateway-records.ts";
import type { Watch } from "../../src/worker/keep-looking.ts";
import { watchWaits } from "../../src/worker/watch-waits.ts";
import {
  addModules,
  addNodes,
  digestOf,
  grant,
  mesh,
  openRecords,
  provisionOf,
  type Records,
  reportOf,
  sendOne,
  until,
} from "../store/open-records.ts";

let records: Records;
let gateway: Pick<GatewayRecords, "keepReport">;
let sent: Order;
let sequence = 0;
let watch: Watch | null = null;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b", "node-c");
  await addModules(records.db, "core", "shop");
  const provisions = [provisionOf("node-a", 2), provisionOf("node-c")];
  await inTransaction(records.db, { isolation: "read committed" }, (tx) =>
    insertProvisions(tx, mesh, { push: "p1", provisions }),
  );
  await records.db.query(`update node set incarnation = 'bbbb' where name = 'node-b'`);
  sent = await sendOne(records.db, await grant(records.db), "node-b");
  const parts = { artifacts: Object(null), trust: Object(null), wakes: createDeclarationWakes() };
  gateway = createGatewayRecords({ db: records.as("gateway"), mesh, ...parts });
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

/** A report of node-b's host, as it comes through the gateway. What its server holds: of which consumers, in which versions. */
async function report(grants: Readonly<Record<string, number>> | "not read"): Promise<void> {
  const list = grants === "not read" ? [] : Object.entries(grants);
  const provisions = list.map(([node, version]) => ({ provision: provisionOf(node).id, version }));
  const row = { id: "grant/postgresql/postgresql", state: "failed" as const, message: "" };
  const resources = [grants === "not read" ? row : { ...row, provisions }];
  const place = { has: sent, digest: digestOf("node-b {}"), sequence: (sequence += 1) };
  const body = { ...reportOf("node-b", place), incarnation: "bbbb", resources };
  expect(await gateway.keepReport("node-b", body, Buffer.alloc(0))).toEqual({ outcome: "kept" });
}

/** As if nothing but time had gone by. */
const passMinutes = (minutes: number) =>
  records.db.query(
    `update provision set minted_at = minted_at - $1 * interval '1 minute', made_at = made_at - $1 * interval '1 minute',
                          missed_since = missed_since - $1 * interval '1 minute'`,
    [minutes],
  );

/** The condition of node-a's consumer; the others that were minted with it are read back. */
async function condition(): Promise<string | undefined> {
  return (await listConditions(records.db, mesh)).find(({ subject }) => subject.startsWith("node-a/"))?.message;
}

const consumer = "consumer-waits node-a/meshboard database";

describe("who waits past a bound (R33)", () => {
  it("a consumer whose provision is not read back as made, until it is", async () => {
    await report({ "node-a": 1, "node-c": 1 });
    await start();
    await shown();
    await passMinutes(6);
    await shown(consumer);
    expect(await condition()).toMatch(/waits for its database since .*: the host of node-b has not said/);
    await report({ "node-a": 2, "node-c": 1 });
    await shown();
  });

  it("no consumer whose provision was made long ago, while its provider's host starts or cannot read its server", async () => {
    await report({ "node-a": 2, "node-c": 1 });
    await passMinutes(30_000);
    await report("not read");
    await start();
    await shown();
  });

  it("a consumer whose provision is found no more, since then, until it is made again", async () => {
    await report({ "node-a": 2, "node-c": 1 });
    await passMinutes(30_000);
    await report({ "node-c": 1 });
    await start();
    await shown();
    await passMinutes(6);
    // Said again: it is missed since the first time.
    await report({ "node-c": 1 });
    await shown(consumer);
    const words = /is without its database since (\S+): the host of node-b does not find any more/;
    const since = words.exec((await condition()) ?? "")?.[1] ?? "";
    expect(Date.now() - Date.parse(since)).toBeLessThan(10 * 60_000);
    await report({ "node-a": 2, "node-c": 1 });
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
