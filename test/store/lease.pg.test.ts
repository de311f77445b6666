import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listConditions } from "../../src/store/conditions.ts";
import { listGrants, readLease, releaseLease, renewLease, takeLease } from "../../src/store/lease.ts";
import { listPastGrants, readLeaseStand } from "../../src/store/lease-history.ts";
import { announceStandby, listStandbys, withdrawStandby } from "../../src/store/standbys.ts";
import type { SeenLease } from "../../src/decide/lease.ts";
import { withGate } from "../../src/store/gate.ts";
import { getMesh } from "../../src/store/meshes.ts";
import { grant, mesh, openRecords, untilWaiting, type Records } from "./open-records.ts";

let records: Records;

beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());
beforeEach(() => records.db.query(`truncate condition`));

const take = (holder: string, seen: SeenLease) => takeLease(records.db, { mesh, holder, ageMs: 15_000, seen });

/** As who knows the beat of the record as it is now. */
async function renew(holder: string, under: number): Promise<string> {
  const beat = (await readLease(records.db, mesh))?.beat ?? 0;
  return (await renewLease(records.db, { mesh, holder, epoch: under, beats: { least: beat, most: beat } })).kind;
}

describe("the lease (R34)", () => {
  it("is granted to one of 20 candidates that saw the same record", async () => {
    const epoch = await grant(records.db, "controller-0");
    const seen = await readLease(records.db, mesh);
    const candidates: ReturnType<typeof take>[] = [];
    const other = records.open();
    // A composition in flight holds them all up, so that they go on at the same moment.
    await withGate(other, { mesh, epoch, count: 1 }, async () => {
      candidates.push(...Array.from({ length: 20 }, (_, index) => take(`controller-${index}`, seen)));
      await untilWaiting(other, 10);
    });
    const results = await Promise.all(candidates);
    const granted = results.filter((result) => result !== null);
    expect(granted).toEqual([{ epoch: (seen?.epoch ?? 0) + 1, beat: (seen?.beat ?? 0) + 1 }]);
  });

  it("is refused to a candidate behind whose back it was renewed", async () => {
    const epoch = await grant(records.db, "controller-1");
    const seen = await readLease(records.db, mesh);
    expect(await renew("controller-1", epoch)).toBe("renewed");
    expect(await take("controller-2", seen)).toBeNull();
    expect(await take("controller-2", null)).toBeNull();
    expect((await readLease(records.db, mesh))?.holder).toBe("controller-1");
  });

  it("cannot be renewed by a copy of its holder, which has its name and its epoch, once the other one did (R34)", async () => {
    const epoch = await grant(records.db, "controller-1");
    const beat = (await readLease(records.db, mesh))?.beat ?? 0;
    // What both remember: the snapshot was taken of a running process.
    const asBoth = (least: number, most = least) =>
      renewLease(records.db, { mesh, holder: "controller-1", epoch, beats: { least, most } });
    expect(await asBoth(beat)).toEqual({ kind: "renewed", beat: beat + 1 });
    expect(await asBoth(beat)).toEqual({ kind: "copied" });
    // Of whom one answer was lost cannot tell at once; the other one can, at its next renewal.
    expect(await asBoth(beat, beat + 1)).toEqual({ kind: "renewed", beat: beat + 2 });
    expect(await asBoth(beat + 1)).toEqual({ kind: "copied" });
  });

  it("cannot be renewed or given back by who lost it", async () => {
    const epoch = await grant(records.db, "controller-1");
    const next = await grant(records.db, "controller-2");
    expect(next).toBe(epoch + 1);
    expect(await renew("controller-1", epoch)).toBe("lost");
    expect(await releaseLease(records.db, { mesh, holder: "controller-1", epoch })).toBe(false);
    expect(await renew("controller-2", next)).toBe("renewed");
  });

  it("is given back as a record that a candidate can see, under a beat it had not", async () => {
    const epoch = await grant(records.db, "controller-1");
    const before = await readLease(records.db, mesh);
    expect(await releaseLease(records.db, { mesh, holder: "controller-1", epoch })).toBe(true);
    const after = await readLease(records.db, mesh);
    expect(after).toMatchObject({ holder: null, epoch, beat: (before?.beat ?? 0) + 1, ageMs: 15_000 });
    expect(await renew("controller-1", epoch)).toBe("lost");
  });
});

describe("the history of the lease (R34)", () => {
  it("tells who gave it back, who was followed by a successor and when that one had renewed last", async () => {
    const first = await grant(records.db, "controller-1");
    await releaseLease(records.db, { mesh, holder: "controller-1", epoch: first });
    const second = await grant(records.db, "controller-2");
    await renew("controller-2", second);
    const seen = await readLease(records.db, mesh);
    await takeLease(records.db, { mesh, holder: "a shell", ageMs: 15_000, seen, role: "shell" });
    expect(await listPastGrants(records.db, mesh, 3)).toMatchObject([
      { epoch: second + 1, holder: "a shell", role: "shell", ended: null, endedAt: null },
      { epoch: second, role: "controller", ended: "taken-over", lastRenewedAt: seen?.renewedAt },
      { epoch: first, role: "controller", ended: "given-back", lastRenewedAt: null },
    ]);
    expect(await readLeaseStand(records.db, mesh)).toMatchObject({
      holder: "a shell",
      role: "shell",
      floor: second + 1,
    });
  });

  it("does not know how a grant ended whose row was emptied away, and who lost it changes none", async () => {
    const first = await grant(records.db, "controller-1");
    const second = await grant(records.db, "controller-2");
    expect(await releaseLease(records.db, { mesh, holder: "controller-1", epoch: first })).toBe(false);
    const [newest, before] = await listPastGrants(records.db, mesh, 2);
    expect([newest?.ended, before?.ended]).toEqual([null, "taken-over"]);
    await records.db.query(`delete from epoch_grant`);
    expect(await releaseLease(records.db, { mesh, holder: "controller-2", epoch: second })).toBe(true);
    expect(await listPastGrants(records.db, mesh, 2)).toEqual([]);
    await grant(records.db, "controller-3");
  });

  it("lists who stands by, with how long ago it was heard, and forgets who is gone", async () => {
    await announceStandby(records.db, mesh, "controller-8");
    await announceStandby(records.db, mesh, "controller-9");
    await records.db.query(`update standby set last_seen = now() - interval '1 minute' where holder = 'controller-8'`);
    const [old, fresh] = await listStandbys(records.db, mesh);
    expect(old?.seenMsAgo).toBeGreaterThanOrEqual(60_000);
    expect(fresh?.seenMsAgo).toBeLessThan(60_000);
    await records.db.query(`update standby set last_seen = now() - interval '1 hour' where holder = 'controller-8'`);
    await announceStandby(records.db, mesh, "controller-9");
    expect((await listStandbys(records.db, mesh)).map((one) => one.holder)).toEqual(["controller-9"]);
    await withdrawStandby(records.db, mesh, "controller-9");
    expect(await listStandbys(records.db, mesh)).toEqual([]);
  });
});

describe("epochs never go down (R35, case 38)", () => {
  // From whole records, whatever the test before emptied.
  beforeEach(async () => {
    await grant(records.db, "controller-0");
    await records.db.query(`truncate condition`);
  });

  const lost: readonly (readonly [string, readonly string[]])[] = [
    ["the lease", ["lease"]],
    ["the list of grants", ["epoch_grant"]],
    ["the lease and the list of grants", ["lease", "epoch_grant"]],
  ];
  for (const [what, tables] of lost) {
    it(`starts above the floor when ${what} was emptied, and says so`, async () => {
      const before = await grant(records.db, "controller-1");
      for (const table of tables) await records.db.query(`delete from ${table}`);
      const after = await grant(records.db, "controller-2");
      expect(after).toBe(before + 1);
      expect((await getMesh(records.db, mesh))?.epochFloor).toBe(after);
      const [condition] = await listConditions(records.db, mesh);
      expect(condition).toMatchObject({ code: "lease-records-lost", urgent: true, count: 1 });
      expect(condition?.message).toContain(`${what} had been reset`);
    });
  }

  it("starts above the list of grants when the mesh's own row was set back", async () => {
    const before = await grant(records.db, "controller-1");
    await records.db.query(`update mesh set epoch = 0, epoch_floor = 0`);
    await records.db.query(`delete from lease`);
    expect(await grant(records.db, "controller-2")).toBe(before + 1);
    const [condition] = await listConditions(records.db, mesh);
    expect(condition?.message).toContain("the mesh's own epoch and the lease had been reset");
  });

  it("says nothing when nothing was lost", async () => {
    const before = await grant(records.db, "controller-1");
    expect(await grant(records.db, "controller-2")).toBe(before + 1);
    expect(await listConditions(records.db, mesh)).toEqual([]);
    expect((await listGrants(records.db, mesh))[0]).toMatchObject({ epoch: before + 1, holder: "controller-2" });
  });

  it("ends the lease of a holder whose record was emptied away", async () => {
    const epoch = await grant(records.db, "controller-1");
    await records.db.query(`delete from lease`);
    expect(await renew("controller-1", epoch)).toBe("lost");
  });
});
