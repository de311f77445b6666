import { beforeEach, describe, expect, it } from "vitest";
import { claimBuild, getBuild } from "../../src/store/builds.ts";
import { getModule } from "../../src/store/modules.ts";
import { grant, mesh, treeOf } from "../store/open-records.ts";
import { type ComparedBed, openComparedBed } from "./compared-bed.ts";

let bed: ComparedBed;

beforeEach(async () => {
  bed = await openComparedBed();
  await grant(bed.records.db);
  await bed.shop.commit({ "core/src/index.ts": "export const one = 2;\n" });
  await bed.compare();
  // As a controller does before it begins builds, and not again until one of them has ended.
  await bed.plan();
  return () => bed.close();
});

/** The build that the plan asked for begins, and its worker is heard of from time to time. */
async function beginBuild({ startedAgo, heardAgo }: { startedAgo: string; heardAgo: string }): Promise<void> {
  const { db } = bed.records;
  const inputs = (await getModule(db, mesh, "core"))?.wantedInputs;
  const fit = (await getModule(db, mesh, "core"))?.fitInputs;
  if (inputs == null || fit == null) throw new Error("core has wanted inputs, and was fit");
  const closure = (await getBuild(db, mesh, "core", fit))?.closure;
  if (closure === undefined) throw new Error("core was built");
  await claimBuild(db, mesh, { module: "core", inputs, closure, commit: treeOf("c"), claimant: "a", staleMs: 60_000 });
  await db.query(
    `update build set started_at = now() - $1::interval, seen_at = now() - $2::interval where state = 'building'`,
    [startedAgo, heardAgo],
  );
}

describe("a module that was fit, while its newest source is built (R8, R15, R48)", () => {
  it("is being built since the build began, in why, status, module show and module list alike", async () => {
    expect((await bed.run("status", "core")).stdout).toMatch(/^core +source \w+ · built from .* · out of date/m);
    await beginBuild({ startedAgo: "4 minutes", heardAgo: "3 seconds" });
    const why = await bed.run("why", "core");
    expect(why.stdout).toMatch(/^core is building, .*\n {2}core is being built\n {2}since 4 min\n/);
    const status = await bed.run("status", "core");
    expect(status.stdout).toMatch(
      /^core +source \w+ · built from .* · building · .*\n {2}core is being built, since 4 min ago$/m,
    );
    const document = await bed.documentOf("status", "core");
    const standing = { standing: "building", standingWhy: "core is being built" };
    const since = expect.stringMatching(/Z$/) as string;
    expect(document).toMatchObject({ modules: [{ ...standing, verdict: "building", buildingSince: since }] });
    expect(await bed.documentOf("why", "core")).toMatchObject({ module: { standing: "building" } });
    expect(await bed.documentOf("module", "show", "core")).toMatchObject({ module: standing });
    expect((await bed.run("module", "list")).stdout).toMatch(/^core .* building .* core is being built$/m);
    // Explained, and pending.
    expect([why.code, status.code]).toEqual([0, 1]);
  });

  it("is out of date again in all of them where the worker is not heard of any more", async () => {
    await beginBuild({ startedAgo: "20 minutes", heardAgo: "10 minutes" });
    await bed.records.db.query(`update module set standing = 'building' where name = 'core'`);
    expect((await bed.run("why", "core")).stdout).toMatch(/^core is out of date, .*\n.*the build .* was lost/);
    for (const command of [
      ["status", "core"],
      ["module", "show", "core"],
    ])
      expect((await bed.run(...command)).stdout).toMatch(/out of date/);
  });

  it("is said to wait for a build slot, where it was taken to be built and its turn has not come (R9, R48)", async () => {
    const inputs = (await getModule(bed.records.db, mesh, "core"))?.wantedInputs;
    // A wave goes on: the controller began this build, and no machine has room for it.
    await bed.plan(undefined, [`build core@${inputs}`]);
    expect(await getModule(bed.records.db, mesh, "core")).toMatchObject({ standing: "building" });
    const stands = {
      standing: "out-of-date",
      standingWhy: expect.stringContaining("it waits for a build slot") as string,
    };
    expect(await bed.documentOf("status", "core")).toMatchObject({ modules: [{ ...stands, buildingSince: null }] });
    expect(await bed.documentOf("module", "show", "core")).toMatchObject({ module: stands });
    expect((await bed.run("module", "list")).stdout).toMatch(/^core .* out of date .*it waits for a build slot/m);
    expect((await bed.run("status", "core")).stdout).toMatch(/waits for a build slot/);
    await beginBuild({ startedAgo: "4 minutes", heardAgo: "3 seconds" });
    expect((await bed.run("status", "core")).stdout).not.toContain("slot");
  });

  it("is being built, and the newest after it, where its source moved meanwhile (R16)", async () => {
    await beginBuild({ startedAgo: "4 minutes", heardAgo: "3 seconds" });
    await bed.shop.commit({ "core/src/index.ts": "export const one = 3;\n" });
    await bed.compare();
    const why = await bed.run("why", "core");
    expect(why.stdout).toMatch(/^core is building, .*\n {2}core is being built; the newest .*\n {2}since 4 min\n/);
    expect((await bed.run("status", "core")).stdout).toContain(" · building · ");
  });
});
