import { beforeEach, describe, expect, it } from "vitest";
import { type ComparedBed, openComparedBed } from "./compared-bed.ts";

let bed: ComparedBed;

beforeEach(async () => {
  bed = await openComparedBed();
  return () => bed.close();
});

describe("what is built against what, asked on the command line (R6)", () => {
  it("shows edges with file and line, one direction or both, and the order", async () => {
    const dependents = await bed.run("graph", "core", "--dependents");
    expect(dependents.code).toBe(0);
    expect(dependents.stdout).toMatch(/mid +core +build +src\/index\.ts:1\npage +core +test +src\/a\.test\.ts:1/);
    expect((await bed.documentOf("graph", "--order"))["order"]).toEqual(["core", "mid", "other", "page"]);
    expect(await bed.documentOf("graph", "--why", "page", "core", "--kind", "build")).toMatchObject({
      schema: "mesh.graph.v1",
      path: [
        { from: "page", to: "mid", at: "src/index.ts:2" },
        { from: "mid", to: "core", at: "src/index.ts:1" },
      ],
    });
    expect((await bed.run("graph", "--dot")).stdout).toContain(
      `"page" -> "core" [label="src/a.test.ts:1", style=dashed];`,
    );
  });

  it("names the cycles that a module is part of, and no others", async () => {
    await bed.shop.commit({
      "core/src/index.ts": `import "@test/mid";\n`,
      "other/src/index.ts": `import "@test/mid";\n`,
    });
    await bed.compare();
    const round = /their imports go round: .*core.*mid/;
    expect((await bed.run("graph", "core")).stdout).toMatch(round);
    // What lies on the way to a cycle is told of it; who has nothing to do with it is not.
    expect((await bed.run("graph", "other", "--dependencies")).stdout).toMatch(round);
    expect((await bed.run("graph", "other", "--dependents")).stdout).not.toMatch(round);
  });

  it.each([
    ["an unknown module", ["graph", "gone"], /there is no module gone/],
    ["one module to --why", ["graph", "--why", "core"], /--why wants two modules/],
    ["a kind that is none", ["graph", "--kind", "presence"], /is no kind of edge/],
    ["a direction of nothing", ["graph", "--dependents"], /about one module/],
  ])("refuses %s and says what to do", async (_what, words, expected) => {
    const ran = await bed.run(...words);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(expected);
  });
});

describe("what would be built, without a controller", () => {
  it("is nothing where nothing moved, and nothing is read", async () => {
    const ran = await bed.documentOf("build", "--behind", "--dry-run");
    expect(ran).toMatchObject({ mayRebuild: [], readModules: 0, parsedFiles: 0, modules: 4 });
    expect((await bed.run("build", "--dry-run")).code).toBe(0);
  });

  it("is the most that may be, with the chain from the commit, and changes nothing (R8, R9)", async () => {
    await bed.shop.commit({ "core/src/index.ts": "export const one = 2;\n" });
    const before = await bed.records.db.query("select m::text from module m order by name");
    const ran = await bed.run("build", "--behind", "--dry-run");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^3 of 4 modules may be rebuilt, in this order/);
    expect(ran.stdout).toMatch(
      /page +page may be out of date: core moved \([0-9a-f]{7} → [0-9a-f]{7}, commit ".*", .* ago\); page imports core at src\/a\.test\.ts:1/,
    );
    expect(await bed.documentOf("build", "--dry-run")).toMatchObject({ readModules: 1, parsedFiles: 1 });
    expect((await bed.records.db.query("select m::text from module m order by name")).rows).toEqual(before.rows);
  });

  it("is not told where a source does not answer: never a shorter plan (R26)", async () => {
    await bed.shop.remove();
    expect((await bed.run("build", "--dry-run")).code).toBe(3);
  });

  it("is explained by why the same way once the controller has looked", async () => {
    await bed.shop.commit({ "core/src/index.ts": "export const one = 3;\n" });
    await bed.compare();
    expect((await bed.run("why", "mid")).stdout).toMatch(
      /mid may be out of date: core moved \(.*, commit ".*", .* ago\); mid imports core at src\/index\.ts:1/,
    );
  });

  it("names the import that is of types only where imports go round, and what to do (R6, case 15)", async () => {
    await bed.shop.commit({
      "core/src/types.ts": `import type { Page } from "@test/mid";\nexport type One = Page;\n`,
      "core/src/also.ts": `export type Two = import("@test/mid").Page;\n`,
    });
    await bed.compare();
    const { stdout } = await bed.run("why", "core");
    expect(stdout).toContain("core imports mid at src/also.ts:1, types only; mid imports core at src/index.ts:1)");
    expect(stdout).toContain("core needs only types of mid, and these too come of a build of mid; move them");
    await bed.shop.commit({ "core/src/value.ts": `import "@test/mid";\n` });
    await bed.compare();
    expect((await bed.run("why", "core")).stdout).not.toMatch(/types only|only types/);
  });
});
