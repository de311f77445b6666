import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { UnavailableError } from "../../src/core/errors.ts";
import { declarationChannel } from "../../src/store/declarations.ts";
import { withGate } from "../../src/store/gate.ts";
import { listen, notify, type Listener, type ListenOptions } from "../../src/store/notify.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import {
  addNodes,
  declarationOf,
  grant,
  mesh,
  openRecords,
  send,
  sendOne,
  until,
  type Records,
} from "./open-records.ts";

let records: Records;
let epoch: number;
let listener: Listener | null = null;
const heard: string[] = [];
const lost: Error[] = [];
let reconnects = 0;

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a");
  epoch = await grant(records.db);
});
afterAll(() => records.close());
afterEach(async () => {
  await listener?.close();
  listener = null;
  heard.length = 0;
  lost.length = 0;
  reconnects = 0;
});

async function start(more: Partial<ListenOptions> = {}): Promise<void> {
  listener = await listen({
    url: records.url,
    channels: [declarationChannel, "other"],
    onNotify: (channel, payload) => heard.push(`${channel}: ${payload}`),
    onReconnect: () => reconnects++,
    onLost: (error) => lost.push(error),
    ...more,
  });
}
const say = (payload: string) =>
  inTransaction(records.watcher, { isolation: "read committed" }, (tx) => notify(tx, "other", payload));

describe("a listener", () => {
  it("hears of a declaration when it is committed, and never of one that was not (R28)", async () => {
    await start();
    const failed = withGate(records.db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
      await send(tx, declarationOf("node-a", { epoch, number }));
      throw new Error("not this time");
    });
    await expect(failed).rejects.toThrow("not this time");
    await sendOne(records.db, epoch, "node-a");
    await say("end");
    await until(async () => heard.length >= 2);
    expect(heard).toEqual(["mesh_declaration: home node-a", "other: end"]);
  });

  it("comes back after each loss and says that something may have been missed (case 42)", async () => {
    await start();
    for (let restart = 1; restart <= 3; restart++) {
      await records.cutAll();
      await until(async () => reconnects === restart);
      await say(`after ${restart}`);
      await until(async () => heard.includes(`other: after ${restart}`));
    }
    expect(lost.length).toBeGreaterThanOrEqual(3);
    expect(lost.every((error) => error instanceof UnavailableError)).toBe(true);
  });

  it("leaves no connection behind when it is closed, also in the middle of coming back", async () => {
    const count = async () =>
      (
        await records.watcher.query(
          `select from pg_stat_activity where application_name = 'mesh listen' and datname = current_database()`,
        )
      ).count;
    await start();
    await until(async () => (await count()) === 1);
    await records.cutAll();
    await listener?.close();
    await until(async () => (await count()) === 0);
  });

  it("goes on when a reader's callback fails", async () => {
    await start({
      onNotify: (_channel, payload) => {
        heard.push(payload);
        throw new Error("a mistake of the reader's");
      },
    });
    await say("one");
    await say("two");
    await until(async () => heard.length === 2);
    await until(async () => lost.length === 2);
    expect(reconnects).toBe(0);
  });

  it("rejects when there is no answer at the start, and a channel that is no name", async () => {
    await expect(start({ url: "postgresql://mesh@127.0.0.1:1/mesh" })).rejects.toThrow(UnavailableError);
    await expect(start({ channels: ["a; drop table node"] })).rejects.toThrow("not a channel name");
  });
});
