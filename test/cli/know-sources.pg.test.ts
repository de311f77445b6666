import { beforeEach, describe, expect, it } from "vitest";
import { recordLookFailure } from "../../src/store/source-heads.ts";
import { grant, mesh } from "../store/open-records.ts";
import { type ComparedBed, openComparedBed } from "./compared-bed.ts";

let bed: ComparedBed;

beforeEach(async () => {
  bed = await openComparedBed();
  await grant(bed.records.db);
  await bed.plan();
  return () => bed.close();
});

const commands = [
  ["status", "core"],
  ["why", "core"],
  ["module", "show", "core"],
  ["module", "list"],
] as const;

/** Every command that says how a module stands ends with this code, and says this. */
async function expectAll(code: number, words: RegExp): Promise<void> {
  for (const command of commands) {
    const ran = await bed.run(...command);
    expect({ command, code: ran.code, text: ran.stdout }).toEqual({
      command,
      code,
      text: expect.stringMatching(words) as string,
    });
  }
}

const newer = `update source_head set commit = repeat('b', 40)`;

describe("status, why, module show and module list say the same of a module (R26, R48)", () => {
  it("that is as it was compared: current, and when its own source was looked at", async () => {
    await expectAll(0, /^(?!.*cannot)/);
    expect((await bed.run("why", "core")).stdout).toMatch(
      /^core is current, its source seen .*\n.*\n {2}shop \(main\) was at/,
    );
  });

  it("whose newest commit was seen a moment ago: it is being compared, and not settled", async () => {
    await bed.records.db.query(`${newer}, commit_seen_at = now()`);
    await expectAll(1, /shop \(main\) was seen at bbbbbbb \d s ago, and is being compared/);
  });

  it("whose newest commit waits to be compared: cannot tell, and what helps is no circle", async () => {
    await bed.records.db.query(`${newer}, commit_seen_at = now() - interval '30 seconds'`);
    await expectAll(
      3,
      /cannot[- ](be told|tell)[^]*shop \(main\) was seen at bbbbbbb 3\d s ago, and that is not compared yet/,
    );
    expect((await bed.run("why", "core")).stdout).toMatch(/ {2}next: mesh build --wait\n$/);
  });

  it("whose repository is gone: cannot tell as soon as the last look is too old", async () => {
    await recordLookFailure(bed.records.db, mesh, { repository: "shop", branch: "main", failure: "gone" });
    await expectAll(0, /./);
    expect((await bed.run("why", "core")).stdout).toContain("shop (main) does not answer since");
    await bed.records.db.query(`update source_head set looked_at = now() - interval '2 minutes'`);
    await expectAll(
      3,
      /cannot[- ](be told|tell)[^]*shop \(main\) does not answer since .*looked at 2 min ago: it may have moved/,
    );
  });

  it("while no controller acts: cannot tell, whatever was seen a moment ago (R34)", async () => {
    await bed.records.db.query(`update lease set renewed_at = now() - interval '16 seconds'`);
    await expectAll(
      3,
      /cannot[- ](be told|tell)[^]*no controller acts since .*, so nobody looks: shop \(main\) was last looked at/,
    );
    const status = await bed.run("status");
    expect([status.code, status.stdout]).toEqual([
      3,
      expect.stringContaining("no controller acts, so nobody looks: the controller"),
    ]);
    expect((await bed.run("why", "core")).stdout).toMatch(/ {2}next: npm start \(or mesh serve\)/);
  });
});
