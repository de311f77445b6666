import { beforeEach, describe, expect, it } from "vitest";
import { readLease, releaseLease } from "../../src/store/lease.ts";
import { announceStandby } from "../../src/store/standbys.ts";
import { grant, mesh } from "../store/open-records.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

let bed: CommandBed;

beforeEach(async () => {
  bed = await openCommandBed();
  return () => bed.close();
});

describe("mesh lease show (R34, R48)", () => {
  it("nobody has ever held it: 1, and how to begin", async () => {
    const ran = await bed.run("lease", "show");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/nobody has ever held the lease\n.*above 0\n {2}next: npm start/);
  });

  it("somebody holds it and renews it: 0", async () => {
    await grant(bed.records.db, "host/7");
    await announceStandby(bed.records.db, mesh, "host/8");
    const ran = await bed.run("lease", "show");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/host\/7 acts under epoch 1 since (just now|.* ago), renewed .*lasts 15 s without/);
    expect(ran.stdout).toContain("host/8 stands by");
  });

  it("a holder that did not renew it for its age: 3, never *held* on stale knowledge", async () => {
    await grant(bed.records.db, "host/7");
    await bed.records.db.query("update lease set renewed_at = now() - interval '40 seconds'");
    expect(await bed.documentOf("lease", "show")).toMatchObject({
      standing: "not-renewed",
      holder: "host/7",
      epoch: 1,
    });
    const ran = await bed.run("lease", "show");
    expect(ran.code).toBe(3);
    expect(ran.stdout).toMatch(/cannot tell who acts: host\/7/);
  });

  it("a standby that was not heard for the age of a lease is not listed", async () => {
    await announceStandby(bed.records.db, mesh, "host/8");
    await bed.records.db.query("update standby set last_seen = now() - interval '16 seconds'");
    expect(await bed.documentOf("lease", "show")).toMatchObject({ standbys: [] });
  });

  it("given back: 1, and the history tells each grant and its end", async () => {
    const epoch = await grant(bed.records.db, "host/7");
    await releaseLease(bed.records.db, { mesh, holder: "host/7", epoch });
    await grant(bed.records.db, "host/8");
    await grant(bed.records.db, "host/9");
    const seen = await readLease(bed.records.db, mesh);
    await releaseLease(bed.records.db, { mesh, holder: "host/9", epoch: seen?.epoch ?? 0 });
    const ran = await bed.run("lease", "show", "--history", "2");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/nobody holds the lease; the last one gave it back at epoch 3/);
    expect(ran.stdout).toMatch(/\n3 +host\/9 .* given back .*\n2 +host\/8 .* not given back: .*epoch 3 followed/);
    expect(ran.stdout).not.toContain("host/7");
    expect(await bed.documentOf("lease", "show", "--history")).toMatchObject({ grants: [{}, {}, { epoch: 1 }] });
  });

  it.each(["0", "-1", "1001", "many"])("--history %s is refused before anything is opened: 2", async (count) => {
    const ran = await bed.run("lease", "show", "--history", count);
    expect(ran).toMatchObject({ code: 2, opened: false });
  });
});
