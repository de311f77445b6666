import { beforeEach, describe, expect, it } from "vitest";
import { listConditions, observeCondition } from "../../src/store/conditions.ts";
import { grant, mesh } from "../store/open-records.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

let bed: CommandBed;

beforeEach(async () => {
  bed = await openCommandBed();
  return () => bed.close();
});

const away = {
  code: "source-unreachable",
  subject: "shop#main",
  message: "no answer\u001b[31m",
  remedy: "check the address",
  urgent: false,
};
const lost = {
  code: "lease-records-lost",
  subject: `mesh/${mesh}`,
  message: "emptied",
  remedy: "find out",
  urgent: true,
};

describe("mesh conditions (R33, R48)", () => {
  it("none is open and a controller acts: 0", async () => {
    await grant(bed.records.db);
    expect(await bed.run("conditions")).toMatchObject({ code: 0, stdout: "no condition is open\n" });
  });

  it("none is open and no controller acts: 3, because nobody looks", async () => {
    const ran = await bed.run("conditions");
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain("nobody looks");
  });

  it("says since when, how often, what to do; urgent first, controls of a terminal as text: 2", async () => {
    await grant(bed.records.db);
    await observeCondition(bed.records.db, mesh, away);
    await observeCondition(bed.records.db, mesh, away);
    expect((await bed.run("conditions")).code).toBe(1);
    await observeCondition(bed.records.db, mesh, lost);
    const ran = await bed.run("conditions");
    expect(ran.code).toBe(2);
    expect(ran.stdout).toMatch(/^! lease-records-lost .*[^]*\n\nsource-unreachable shop#main\n {2}no answer·\[31m\n/);
    expect(ran.stdout).toMatch(/since just now, 2 times, last seen just now\n {2}what to do: check the address/);
    expect(await bed.documentOf("conditions")).toMatchObject({
      conditions: [
        { code: lost.code, clearedByHand: true },
        { code: away.code, clearedByHand: false, count: 2 },
      ],
    });
  });

  it("is told to be cleared by its whole subject, as one word of a shell (R48)", async () => {
    const subject = `a file with a name of its own/${"x".repeat(150)}`;
    await observeCondition(bed.records.db, mesh, { ...lost, subject });
    expect((await bed.run("conditions")).stdout).toContain(`then: mesh conditions clear ${lost.code} '${subject}'\n`);
    expect((await bed.run("conditions", "clear", lost.code, subject)).code).toBe(0);
  });

  it("is cleared by a person only where nothing watches its end", async () => {
    await observeCondition(bed.records.db, mesh, away);
    await observeCondition(bed.records.db, mesh, lost);
    const refused = await bed.run("conditions", "clear", away.code, away.subject);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("source-unreachable ends by itself");
    expect((await bed.run("conditions", "clear", lost.code, "mesh/other")).stderr).toContain(
      "is not open for mesh/other",
    );
    expect((await bed.run("conditions", "clear", lost.code, lost.subject)).code).toBe(0);
    expect((await listConditions(bed.records.db, mesh)).map((one) => one.code)).toEqual([away.code]);
  });

  it.each([
    ["end", ["end", "x", "y"]],
    ["clear without a subject", ["clear", "lease-records-lost"]],
    ["a code that is none", ["clear", "../../x", "y"]],
  ])("refuses %s before anything is opened: 2", async (_what, words) => {
    expect(await bed.run("conditions", ...words)).toMatchObject({ code: 2, opened: false });
  });
});
