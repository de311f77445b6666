import { beforeEach, expect, it } from "vitest";
import { recordTold } from "../../src/store/pushes.ts";
import { addNodes, grant, mesh, sendOne } from "../store/open-records.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

let bed: CommandBed;
beforeEach(async () => {
  bed = await openCommandBed();
  return () => bed.close();
});

it("mesh records prune shows what would go and why the rest stays, and removes only with --delete (R48)", async () => {
  const { db } = bed.records;
  await addNodes(db, "node-a");
  const epoch = await grant(db);
  const orders = [];
  for (let sent = 0; sent < 24; sent += 1) orders.push(await sendOne(db, epoch, "node-a"));
  await db.query(`update declaration set issued_at = now() - interval '1 year'`);
  await db.query(`update node set incarnation = 'aaaa'`);
  await db.query(
    `insert into account (mesh, node, incarnation, epoch, number, boot, sequence, outcome, report, received_at)
       values ($1, 'node-a', 'aaaa', $2, $3, 1, 1, 'applied', '{}', now())`,
    [mesh, epoch, orders.at(2)?.number],
  );
  await db.query(
    `insert into push (mesh, id, kind, named, requested_by, opened_at) values ($1, 'p1', 'all', '[]', 'x', now() - interval '1 year')`,
    [mesh],
  );
  await recordTold(db, mesh, "p1", []);
  const shown = await bed.run("records", "prune");
  expect(shown.code).toBe(0);
  // The push p1, which sent all of them, goes on.
  expect(shown.stdout).toMatch(/declarations +0 would go +4 stay: its push goes on; 20 stay: it is among the last/);
  await db.query(`update push set ended_at = now() - interval '1 year'`);
  const later = await bed.run("records", "prune");
  expect(later.stdout).toMatch(/declarations +2 would go +2 stay: its host may have it/);
  expect(later.stdout).toMatch(/next: mesh records prune --delete/);
  const done = await bed.documentOf("records", "prune", "--delete");
  expect(done).toMatchObject({ days: 90, last: 20, gone: { declarations: 2 } });
  expect((await bed.run("records", "prune")).stdout).toMatch(/declarations +0 would go/);
});
