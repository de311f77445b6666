import { beforeEach, expect, it, onTestFinished } from "vitest";
import { typescriptModule } from "../support/build-bed.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { type ComparedBed, openComparedBed } from "./compared-bed.ts";

let bed: ComparedBed;

beforeEach(async () => {
  bed = await openComparedBed();
  return () => bed.close();
});

it("one source that does not answer: its modules cannot be told, by name; the rest is answered for (R26, R48)", async () => {
  const libs = await createGitRepository();
  onTestFinished(() => libs.remove());
  await libs.commit(typescriptModule("notes", { "src/index.ts": "export {};\n" }));
  await bed.run("repo", "add", "libs", libs.dir);
  await bed.run("module", "add", "notes", "--repo", "libs", "--path", "notes");
  await bed.compare();
  await bed.shop.remove();
  const ran = await bed.documentOf("build", "--behind", "--dry-run");
  expect(ran).toMatchObject({
    cannotTell: ["core", "mid", "other", "page"].map((module) => ({
      module,
      why: expect.stringMatching(/its source cannot be read: .*did not answer/),
    })),
    sources: [
      { repository: "libs", failure: null },
      { repository: "shop", commit: null, failure: expect.stringMatching(/did not answer/) },
    ],
  });
  expect((await bed.run("build", "--dry-run")).code).toBe(3);
  const told = await bed.run("build", "notes", "--dry-run");
  expect([told.code, told.stdout]).toEqual([1, expect.stringMatching(/1 of 5 modules may be rebuilt.*\n *notes /)]);
  expect((await bed.run("build", "core", "--dry-run")).stdout).toMatch(/cannot tell\n *core /);
}, 90_000);

it("a branch that is gone: its modules cannot be told; one that never was, or no folder: what follows it fails (R26, R42, case 4)", async () => {
  await bed.shop.git("branch", "other");
  await bed.run("module", "add", "side", "--repo", "shop", "--branch", "other", "--path", "core");
  await bed.compare();
  await bed.shop.git("branch", "-D", "other");
  expect(await bed.documentOf("build", "--behind", "--dry-run")).toMatchObject({
    cannotTell: [{ module: "side", why: expect.stringContaining("there is no branch other") }],
    sources: [
      { branch: "main", failure: null },
      { branch: "other", commit: null, failure: "there is no branch other" },
    ],
  });
  const side = await bed.run("build", "side", "--dry-run");
  expect([side.code, side.stdout]).toEqual([
    3,
    expect.stringMatching(/cannot tell\n *side .*there is no branch other/),
  ]);

  await bed.run("module", "add", "never", "--repo", "shop", "--branch", "never", "--path", ".");
  await bed.run("module", "add", "nowhere", "--repo", "shop", "--path", "nowhere");
  const failing = [
    { module: "never", kind: "broken", why: "there is no branch never in repository shop" },
    { module: "nowhere", kind: "broken", why: expect.stringContaining("nowhere") },
  ];
  // Before a controller compared them, and after.
  for (const compare of [async () => undefined, () => bed.compare()]) {
    await compare();
    const dry = await bed.documentOf("build", "--behind", "--dry-run");
    const rows = (dry as { readonly failing: readonly { readonly module: string }[] }).failing;
    expect(rows.filter(({ module }) => ["never", "nowhere"].includes(module))).toEqual(failing);
    expect((await bed.run("build", "never", "--dry-run")).code).toBe(2);
  }
}, 90_000);

it("status and why say that it cannot be told where a source never answered, and neither exits with 2 for it (R31, R48)", async () => {
  const gone = await createGitRepository();
  await bed.run("repo", "add", "gone", gone.dir);
  await bed.run("module", "add", "lost", "--repo", "gone", "--path", ".");
  await gone.remove();
  await bed.compare();
  await bed.plan();
  const status = await bed.run("status", "lost");
  expect([status.code, status.stdout]).toEqual([3, expect.stringMatching(/cannot tell: its source cannot be read/)]);
  expect(await bed.documentOf("status", "lost")).toMatchObject({
    modules: [{ module: "lost", standing: "cannot-tell", verdict: "cannot tell" }],
  });
  const why = await bed.run("why", "lost");
  expect(why.stdout).toMatch(/^how lost stands cannot be told, its source was never seen/);
  expect(why.stdout).toMatch(/next: see that gone answers/);
  expect(await bed.documentOf("why", "lost")).toMatchObject({ module: { standing: "cannot-tell" } });
}, 90_000);
