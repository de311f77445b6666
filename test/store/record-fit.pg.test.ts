import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { recordFit, recordModulePlans } from "../../src/store/module-plans.ts";
import { addModule, getModule } from "../../src/store/modules.ts";
import { removeModule } from "../../src/store/remove-module.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { digestOf, mesh, openRecords, treeOf, type Records } from "./open-records.ts";

let records: Records;
beforeEach(async () => {
  records = await openRecords();
  for (const name of ["wrong", "right"]) await addRepository(records.db, mesh, { name, url: `file:///${name}.git` });
  await register("wrong");
});
afterEach(() => records.close());

const register = (repository: string) =>
  addModule(records.db, mesh, { name: "app", repository, branch: "main", path: "app" });
const fitOf = async () => (await getModule(records.db, mesh, "app"))?.fitArtifact ?? null;

async function begin(inputs: string): Promise<() => Promise<void>> {
  const { db } = records;
  const digest = digestOf(inputs);
  const closure = {
    module: "app",
    language: "files",
    tree: treeOf(inputs),
    dependencies: {},
    toolchain: "none",
    builder: "1",
    thirdParties: null,
    settings: {},
  };
  const commit = treeOf("commit");
  const claim = { module: "app", inputs: digest, closure, commit, claimant: "a test", staleMs: 60_000 };
  const claimed = await claimBuild(db, mesh, claim);
  if (claimed.kind !== "claimed") throw new Error(claimed.kind);
  return async () => {
    const artifact = digestOf(`built from ${inputs}`);
    const verdict = { verdict: "fit", artifact } as const;
    await recordVerdict(db, mesh, { module: "app", inputs: digest, attempt: claimed.attempt, verdict, logTail: "" });
    await recordFit(db, mesh, { module: "app", inputs: digest, artifact });
  };
}

const plan = (standing: "current" | "out-of-date", wanted: string) =>
  recordModulePlans(records.db, mesh, [
    { module: "app", standing, standingWhy: "", wantedInputs: digestOf(wanted), fit: null },
  ]);

describe("a build that becomes fit late", () => {
  it("is the newest fit one, also where newer commits came meanwhile (R16, case 6)", async () => {
    await plan("out-of-date", "b");
    const judge = await begin("b");
    await plan("out-of-date", "c");
    await judge();
    expect(await fitOf()).toBe(digestOf("built from b"));
  });

  it("is not, where its branch went back to what is fit while it ran (R13, case 4)", async () => {
    await (
      await begin("a")
    )();
    const judge = await begin("b");
    await plan("current", "a");
    await judge();
    expect(await fitOf()).toBe(digestOf("built from a"));
  });

  it("is not, where the module was registered anew, of another repository, while it ran (R13)", async () => {
    const judge = await begin("of the wrong repository");
    const removal = await removeModule(records.db, mesh, "app", { whereImported: "stays" });
    expect(removal.removed).toBe(true);
    await register("right");
    await judge();
    expect(await fitOf()).toBeNull();
  });
});
