import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { DeadEpochError, StoppedError } from "../../src/core/errors.ts";
import type { Order } from "../../src/core/declaration.ts";
import type { Report } from "../../src/core/report.ts";
import { judgeReport } from "../../src/decide/judge-report.ts";
import { standingSend } from "../../src/decide/world.ts";
import { keepAccount } from "../../src/store/accounts.ts";
import { getAccount } from "../../src/store/read-accounts.ts";
import { listClaims } from "../../src/store/claims.ts";
import { listConditions, observeCondition } from "../../src/store/conditions.ts";
import type { Database } from "../../src/store/database.ts";
import { withGate } from "../../src/store/gate.ts";
import { keepClaim } from "../../src/store/heed-claim.ts";
import { listGrants, readLease, renewLease } from "../../src/store/lease.ts";
import { getMesh } from "../../src/store/meshes.ts";
import { foreseeRecovery, listRecoveries, recoverMesh } from "../../src/store/recovery.ts";
import { readStop } from "../../src/store/stop.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { loadWorld } from "../../src/store/world.ts";
import { keepRoles } from "../../src/store/writers/keep-roles.ts";
import {
  addNodes,
  declarationOf,
  digestOf,
  grant,
  latch,
  mesh,
  openRecords,
  type Records,
  reportOf,
  send,
  sendOne,
  untilWaiting,
} from "./open-records.ts";

let records: Records;
/** With no more rights than the gateway has, and than who recovers has (R41). */
let gateway: Database;
let controller: Database;
let epoch: number;

beforeEach(async () => {
  await records?.close();
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
  await records.db.query(`update node set incarnation = 'aaaa'`);
  await keepRoles(records.db);
  gateway = records.open({ role: "gateway" });
  controller = records.open({ role: "controller" });
  epoch = await grant(records.db);
});
afterAll(() => records.close());

let sequence = 0;

/** The host's report that it has this, with the content that `content` names. */
function report(node: string, has: Order | null, content = ""): Promise<{ kind: string }> {
  sequence += 1;
  const digest = has === null ? null : digestOf(`${node} ${content}`);
  return keepAccount(gateway, mesh, reportOf(node, { has, digest, sequence }), (facts) =>
    judgeReport(reportOf(node, { has, digest, sequence }), facts),
  );
}

const known = JSON.stringify({});

function recover(without: readonly string[] = []) {
  return recoverMesh(controller, { mesh, without, by: "ada", why: "restored" });
}

/** As who knows the beat of the record as it is now. */
async function renew(holder: string, under: number): Promise<string> {
  const beat = (await readLease(records.db, mesh))?.beat ?? 0;
  return (await renewLease(records.db, { mesh, holder, epoch: under, beats: { least: beat, most: beat } })).kind;
}

describe("a host that has what these records never sent (R35)", () => {
  it("stops the mesh: nothing is numbered, and the reason names it", async () => {
    await sendOne(controller, epoch, "node-a");
    expect(await report("node-a", { epoch, number: 7 })).toMatchObject({ kind: "unknown-declaration" });
    const stopped = sendOne(controller, epoch, "node-b");
    await expect(stopped).rejects.toThrow(StoppedError);
    await expect(stopped).rejects.toThrow(/node-a has 1\.7, which these records never sent/);
    expect(await getMesh(records.db, mesh)).toMatchObject({ number: 1 });
    expect(await listConditions(records.db, mesh)).toMatchObject([{ code: "mesh-stopped", urgent: true, count: 1 }]);
  });

  it("stops it also under a newer epoch: who took over after a restore is above all that was lost", async () => {
    epoch = await grant(records.db);
    await report("node-a", { epoch: epoch - 1, number: 1 });
    await expect(sendOne(controller, epoch, "node-a")).rejects.toThrow(StoppedError);
  });

  it("stops it with other content under a number that they sent", async () => {
    const order = await sendOne(controller, epoch, "node-a");
    await report("node-a", order, "something else");
    await expect(sendOne(controller, epoch, "node-a")).rejects.toThrow(/with other content than these records sent/);
  });

  it("stops it by the question what is newer, before it is given anything", async () => {
    const order = await sendOne(controller, epoch, "node-a");
    const asks = { node: "node-a", incarnation: "aaaa", digest: null };
    expect(await keepClaim(gateway, mesh, { ...asks, order })).toEqual({ kind: "known" });
    const lost = { epoch, number: order.number + 1 };
    expect(await keepClaim(gateway, mesh, { ...asks, order: lost })).toEqual({ kind: "ahead", stops: true });
    expect((await readStop(records.db, mesh))?.reason).toBe("hosts-ahead");
  });

  it("does not stop it by the word of a host that another one has replaced, or of no host", async () => {
    const order = { epoch, number: 9 };
    const strangers = [
      { node: "node-a", incarnation: "bbbb", order, digest: null },
      { node: "node-x", incarnation: "aaaa", order, digest: null },
    ];
    for (const claim of strangers) expect(await keepClaim(gateway, mesh, claim)).toEqual({ kind: "known" });
    await sendOne(controller, epoch, "node-a");
  });

  it("leaves reports that are known to be kept as before", async () => {
    const order = await sendOne(controller, epoch, "node-a");
    await report("node-b", { epoch, number: 7 });
    expect(await report("node-a", order, known)).toMatchObject({ kind: "kept" });
  });

  it("is not what a dead controller hears: its own end comes first (R36)", async () => {
    await report("node-a", { epoch, number: 7 });
    await grant(records.db);
    await expect(sendOne(controller, epoch, "node-a")).rejects.toThrow(DeadEpochError);
  });

  it("waits for the composition in flight, and stops the one behind it", async () => {
    const [held, wrote] = [latch(), latch()];
    const ahead = withGate(records.db, { mesh, epoch, count: 1 }, async (tx, [number = 0]) => {
      await send(tx, declarationOf("node-a", { epoch, number }));
      wrote.open();
      await held.opened;
    });
    await wrote.opened;
    const word = report("node-b", { epoch, number: 7 });
    await untilWaiting(records.watcher);
    held.open();
    await ahead;
    await word;
    await expect(sendOne(controller, epoch, "node-a")).rejects.toThrow(StoppedError);
  });
});

describe("a host whose disk was put back (R31, R38)", () => {
  const readStanding = () =>
    inTransaction(records.db, { isolation: "repeatable read" }, async (tx) =>
      standingSend(await loadWorld(tx, mesh), "node-a"),
    );

  it("is said to have gone back, and its account stays what it was, until it has something newer", async () => {
    const [first, second] = [await sendOne(controller, epoch, "node-a"), await sendOne(controller, epoch, "node-a")];
    const digest = digestOf(`node-a ${known}`);
    const say = (has: Order, boot: number, more: Partial<Report> = {}) => {
      const made = { ...reportOf("node-a", { has, digest, boot, sequence: 5 }), ...more };
      return keepAccount(gateway, mesh, made, (facts) => judgeReport(made, facts));
    };
    await say(second, 4, { at: "2026-01-01T00:10:00.000Z" });
    // Late, of a clock that was ahead and was set back since: nobody went back.
    const late = await say(first, 2, { at: "2026-01-01T23:00:00.000Z" });
    const kept = { has: second, boot: 4, sequence: 5 };
    expect(late).toMatchObject({ kind: "older", reversion: null, kept });
    expect((await getAccount(records.db, mesh, "node-a"))?.reverted).toBeNull();
    expect(await say(first, 2, { behind: kept, at: "2025-01-01T00:00:00.000Z" })).toMatchObject({ kind: "older" });
    expect(await getAccount(records.db, mesh, "node-a")).toMatchObject({
      has: second,
      reverted: { to: first, why: expect.stringContaining("its disk was put back") },
    });
    expect(await readStanding()).toBeUndefined();
    const third = await sendOne(controller, epoch, "node-a");
    expect(await readStanding()).toMatchObject({ order: third });
    expect(await say(third, 2)).toMatchObject({
      kind: "kept",
    });
    expect((await getAccount(records.db, mesh, "node-a"))?.reverted).toBeNull();
  });

  it("is heard: a recovery does not wait for another word of it, and says what it has", async () => {
    const [first, second] = [await sendOne(controller, epoch, "node-a"), await sendOne(controller, epoch, "node-a")];
    const digest = digestOf(`node-a ${known}`);
    const say = (has: Order, boot: number, more: Partial<Report> = {}) => {
      const made = { ...reportOf("node-a", { has, digest, boot }), ...more };
      return keepAccount(gateway, mesh, made, (facts) => judgeReport(made, facts));
    };
    await say(second, 4);
    const behind = { has: second, boot: 4, sequence: 1 };
    await say(first, 2, { behind });
    await report("node-b", { epoch, number: 9 });
    const standingOf = async () =>
      (await foreseeRecovery(records.db, mesh, [])).plan.hosts.find(({ node }) => node === "node-a")?.standing;
    expect(await standingOf()).toBe("not-heard");
    await say(first, 2, { behind, sequence: 2 });
    expect(await standingOf()).toBe("known");
    expect((await recover()).plan).toMatchObject({ kind: "ready", hosts: [{ has: first }, { node: "node-b" }] });
  });
});

describe("a recovery (R35)", () => {
  it("goes above everything that was seen, ends the holder's term and lifts the stop", async () => {
    const order = await sendOne(controller, epoch, "node-a");
    await report("node-a", { epoch: 4, number: 30 });
    await report("node-b", null);
    const { plan } = await recover();
    expect(plan).toMatchObject({ kind: "ready", epoch: 5, number: 30 });
    expect(await readStop(records.db, mesh)).toBeNull();
    expect(await listConditions(records.db, mesh)).toEqual([]);
    await expect(sendOne(controller, epoch, "node-a")).rejects.toThrow(DeadEpochError);
    expect(await renew("controller-1", epoch)).toBe("lost");
    expect(await readLease(records.db, mesh)).toMatchObject({ holder: null });
    const next = await grant(records.db, "controller-2");
    expect(await sendOne(controller, next, "node-a")).toEqual({ epoch: 6, number: 31 });
    expect((await listGrants(records.db, mesh)).map((one) => one.epoch)).toEqual([6, 5, order.epoch]);
    expect(await listRecoveries(records.db, mesh)).toMatchObject([
      { epoch: 5, number: 30, recoveredBy: "ada", why: "restored", without: [] },
    ]);
  });

  it.each([
    { reason: "restored", left: [] },
    { reason: "hosts-ahead", left: ["lease-records-lost"] },
  ])("of a mesh that stopped for $reason leaves open of the lease's loss: $left (R33)", async ({ reason, left }) => {
    await records.db.query(`update mesh set stopped_at = now(), stopped_for = $1`, [reason]);
    const lost = {
      code: "lease-records-lost",
      subject: `mesh/${mesh}`,
      message: "the lease had been reset",
      remedy: "",
    };
    await observeCondition(records.db, mesh, { ...lost, urgent: true });
    expect((await recover(["node-a", "node-b"])).plan.kind).toBe("ready");
    expect((await listConditions(records.db, mesh)).map(({ code }) => code)).toEqual(left);
  });

  it("changes nothing while a host was not heard since the stop, unless it is named", async () => {
    await report("node-a", { epoch, number: 7 });
    const blocked = await recover();
    expect(blocked.plan).toMatchObject({ kind: "blocked", missing: ["node-b"], tooFar: [] });
    expect(await readStop(records.db, mesh)).not.toBeNull();
    expect((await recover(["node-b"])).plan).toMatchObject({ kind: "ready", number: 7 });
    expect(await readStop(records.db, mesh)).toBeNull();
  });

  it("is stopped again by a host that was left unheard and has more", async () => {
    await report("node-a", { epoch, number: 7 });
    await recover(["node-b"]);
    epoch = await grant(records.db);
    await report("node-b", { epoch: 1, number: 5 });
    await sendOne(controller, epoch, "node-b");
    await report("node-b", { epoch: 9, number: 1 });
    await expect(sendOne(controller, epoch, "node-b")).rejects.toThrow(/node-b has 9\.1/);
  });

  it("does not follow a host that claims the end of the number space, and hears it no more once it is left out", async () => {
    await report("node-a", { epoch: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER });
    await report("node-b", null);
    expect((await recover()).plan).toMatchObject({ kind: "blocked", tooFar: ["node-a"] });
    expect((await recover(["node-a"])).plan).toMatchObject({ kind: "ready", epoch: 2, number: 0 });
    epoch = await grant(records.db);
    await report("node-a", { epoch: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER });
    expect(await sendOne(controller, epoch, "node-b")).toEqual({ epoch: 3, number: 1 });
    expect(await listClaims(records.db, mesh)).toMatchObject([{ node: "node-a", leftOutBy: "ada" }]);
  });

  it("has nothing to do where nothing is stopped", async () => {
    expect((await recover()).plan.kind).toBe("not-stopped");
    expect((await foreseeRecovery(records.db, mesh, [])).stop).toBeNull();
    expect(await listRecoveries(records.db, mesh)).toEqual([]);
  });

  it("lets a node be told again what it was sent last, until its host has taken something newer", async () => {
    await sendOne(controller, epoch, "node-a");
    await report("node-a", { epoch, number: 7 });
    await report("node-b", null);
    await recover();
    epoch = await grant(records.db);
    const claims = () =>
      inTransaction(records.db, { isolation: "repeatable read" }, async (tx) => (await loadWorld(tx, mesh)).claims);
    expect(await claims()).toEqual(new Map([["node-a", { epoch: 1, number: 7 }]]));
    const order = await sendOne(controller, epoch, "node-a");
    expect(await report("node-a", order, known)).toMatchObject({ kind: "kept" });
    expect(await claims()).toEqual(new Map());
  });
});
