import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listConditions } from "../../src/store/conditions.ts";
import { hearDeclarations } from "../../src/worker/hear-declarations.ts";
import { addNodes, grant, mesh, openRecords, type Records, sendOne, until } from "../store/open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a");
});
afterAll(() => records.close());

const open = async () => (await listConditions(records.watcher, mesh)).map(({ code }) => code);

it("a gateway that does not hear of declarations says so until it does, and wakes everybody then (R33)", async () => {
  const woken: string[] = [];
  const wakes = { wake: (node: string) => void woken.push(node), wakeAll: () => void woken.push("all") };
  const listener = await hearDeclarations({
    url: records.url,
    role: "gateway",
    db: records.watcher,
    mesh,
    wakes,
    log: pino({ level: "silent" }),
  });
  const epoch = await grant(records.db);
  await sendOne(records.db, epoch, "node-a");
  await until(async () => woken.includes("node-a"));
  expect(await open()).toEqual([]);

  // No new connection may be made: the loss lasts.
  const address = new URL(records.url);
  const name = address.pathname.slice(1);
  address.pathname = "/template1";
  const outside = records.open({ url: address.href, maxConnections: 1 });
  await outside.query(`alter database "${name}" allow_connections false`);
  await records.cutAll();
  await until(async () => (await open()).includes("listener-lost"));
  expect(woken).not.toContain("all");

  await outside.query(`alter database "${name}" allow_connections true`);
  await outside.end();
  await until(async () => (await open()).length === 0, 60_000);
  expect(woken).toContain("all");
  await listener.close();
}, 90_000);
