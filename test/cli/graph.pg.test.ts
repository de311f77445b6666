import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { compareAll } from "../../src/activities/compare-all.ts";
import type { ControlDependencies } from "../../src/activities/control-dependencies.ts";
import { createImportCache } from "../../src/activities/import-cache.ts";
import { createRepositoryPool } from "../../src/activities/repository-pool.ts";
import { judgeAll } from "../../bench/mesh/judge-all.ts";
import { createPushRecords } from "../../src/activities/push-records.ts";
import { mesh } from "../store/open-records.ts";
import { typescriptModule } from "../support/build-bed.ts";
import { createGitRepository, type GitRepository } from "../support/git-repository.ts";
import { type CommandBed, openCommandBed } from "./command-bed.ts";

let bed: CommandBed;
let shop: GitRepository;
let deps: ControlDependencies;

const compare = () => compareAll(deps, { mesh, reasons: ["a test"], wave: null }, new AbortController().signal);

beforeEach(async () => {
  bed = await openCommandBed();
  shop = await createGitRepository();
  const first = await shop.commit({
    ...typescriptModule("core", { "src/index.ts": "export const one = 1;\n" }),
    ...typescriptModule("mid", { "src/index.ts": `import "@test/core";\n` }),
    ...typescriptModule("page", {
      "src/index.ts": `\nimport "@test/mid";\n`,
      "src/a.test.ts": `import "@test/core";\n`,
    }),
    ...typescriptModule("other", { "src/index.ts": "export {};\n" }),
  });
  await bed.run("repo", "add", "shop", shop.dir);
  for (const name of ["core", "mid", "page", "other"])
    await bed.run("module", "add", name, "--repo", "shop", "--path", name);
  const { db } = bed.records;
  deps = {
    db,
    mesh,
    repositories: createRepositoryPool(join(bed.state, "clones")),
    imports: createImportCache(db),
    describeToolchains: () => ({ typescript: "node 20" }),
    builders: { typescript: "typescript-1" },
    settingsFor: () => ({}),
    records: createPushRecords(db, mesh),
    lostAfterMs: 60_000,
    starvedAfterMs: 60_000,
    limits: { silentAfterMs: 60_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 60_000 },
    nowMs: () => Date.now(),
    makeSuffix: () => "test",
    random: () => 0.5,
  };
  await compare();
  await judgeAll(deps, first);
  return async () => {
    await bed.close();
    await shop.remove();
  };
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
    await shop.commit({ "core/src/index.ts": "export const one = 2;\n" });
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
    await shop.remove();
    expect((await bed.run("build", "--dry-run")).code).toBe(3);
  });

  it("is explained by why the same way once the controller has looked", async () => {
    await shop.commit({ "core/src/index.ts": "export const one = 3;\n" });
    await compare();
    expect((await bed.run("why", "mid")).stdout).toMatch(
      /mid may be out of date: core moved \(.*, commit ".*", .* ago\); mid imports core at src\/index\.ts:1/,
    );
  });
});
