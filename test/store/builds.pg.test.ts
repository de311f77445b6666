import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Closure } from "../../src/core/artifact.ts";
import { getArtifact, getArtifactByBlob, listArtifacts, putArtifact } from "../../src/store/artifacts.ts";
import {
  claimBuild,
  getBuild,
  listBuilds,
  listBuildsByInputs,
  listLostBuilds,
  recordVerdict,
  touchBuild,
  type BuildClaim,
} from "../../src/store/builds.ts";
import { listMakers } from "../../src/store/builds-to-plan.ts";
import { artifactOf, digestOf, manifestOf, mesh, openRecords, treeOf, type Records } from "./open-records.ts";

let records: Records;
const inputs = digestOf("inputs");
const closure: Closure = {
  module: "core",
  language: "files",
  tree: treeOf("tree"),
  dependencies: {},
  toolchain: "none",
  builder: "1",
  thirdParties: null,
  settings: {},
};
const claim = (claimant: string, more: Partial<BuildClaim> = {}) =>
  claimBuild(records.db, mesh, {
    module: "core",
    inputs,
    closure,
    commit: treeOf("commit"),
    claimant,
    staleMs: 60_000,
    ...more,
  });
const judge = (attempt: number, verdict: Parameters<typeof recordVerdict>[2]["verdict"], logTail = "") =>
  recordVerdict(records.db, mesh, { module: "core", inputs, attempt, verdict, logTail, retryInMs: 1000 });

beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());
beforeEach(() => records.db.query(`truncate build, artifact`));

describe("a build at exact inputs (R9)", () => {
  it("is claimed by one of 20 at the same moment", async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(`build-${index}`)));
    expect(results.filter(({ kind }) => kind === "claimed")).toEqual([{ kind: "claimed", attempt: 1 }]);
    expect(results.filter(({ kind }) => kind === "building")).toHaveLength(19);
  });

  it("is not built again once there is a verdict that counts", async () => {
    await claim("one");
    expect(await judge(1, { verdict: "unfit", stage: "test", message: "1 test failed" })).toBe(true);
    expect(await claim("two")).toMatchObject({
      kind: "judged",
      build: { state: "unfit", stage: "test", message: "1 test failed" },
    });
  });

  it("is tried again after outstanding, which is no verdict (R11)", async () => {
    await claim("one");
    await judge(1, { verdict: "outstanding", class: "disk", message: "no space" });
    const build = await getBuild(records.db, mesh, "core", inputs);
    expect(build).toMatchObject({ state: "outstanding", class: "disk", attempts: 1 });
    expect(Date.parse(build?.nextTryAt ?? "")).toBeGreaterThan(Date.parse(build?.endedAt ?? ""));
    expect(await claim("two")).toEqual({ kind: "claimed", attempt: 2 });
    expect(await getBuild(records.db, mesh, "core", inputs)).toMatchObject({
      state: "building",
      nextTryAt: null,
      endedAt: null,
    });
  });

  it("keeps what the builder noticed, and is found by the artifact it made, the first of several (R8)", async () => {
    const finding = { severity: "warning", file: "package.json", line: 0, message: "no tests\0" } as const;
    const artifact = digestOf("made");
    for (const at of [inputs, digestOf("inputs of a README")]) {
      await claim("one", { inputs: at });
      const verdict = { verdict: "fit", artifact } as const;
      const record = { module: "core", inputs: at, attempt: 1, verdict, logTail: "long", findings: [finding] };
      await recordVerdict(records.db, mesh, record);
    }
    expect((await getBuild(records.db, mesh, "core", inputs))?.findings[0]?.message).toBe("no tests\uFFFD");
    const makers = await listMakers(records.db, mesh, [
      { module: "core", artifact },
      { module: "gone", artifact },
    ]);
    expect(makers.map((build) => build.inputs)).toEqual([inputs]);
    expect(makers[0]).not.toHaveProperty("logTail");
  });

  it("is taken over from a builder that is gone, whose late verdict then does not count", async () => {
    await claim("one");
    expect(await claim("two")).toMatchObject({ kind: "building", build: { claimant: "one" } });
    await records.db.query(`update build set started_at = now() - interval '61 seconds'`);
    expect(await claim("two")).toEqual({ kind: "claimed", attempt: 2 });
    expect(await judge(1, { verdict: "unfit", stage: "test", message: "late" })).toBe(false);
    expect(await judge(2, { verdict: "fit", artifact: digestOf("out") })).toBe(true);
    expect(await judge(2, { verdict: "unfit", stage: "test", message: "twice" })).toBe(false);
    expect(await claim("three")).toMatchObject({
      kind: "judged",
      build: { state: "fit", artifact: digestOf("out"), message: "" },
    });
  });

  it("is claimed again by the same claimant, e.g. a retried activity", async () => {
    await claim("one");
    expect(await claim("one")).toEqual({ kind: "claimed", attempt: 2 });
  });

  it("keeps a log that holds NUL and half a character as data (case 52)", async () => {
    await claim("one");
    expect(
      await judge(
        1,
        { verdict: "unfit", stage: "compile", message: "a\0b \u001b[31m" },
        "\ud800 <script> '; drop table build; --",
      ),
    ).toBe(true);
    expect(await listBuilds(records.db, mesh, "core", 10)).toMatchObject([
      { message: "a\uFFFDb \u001b[31m", logTail: "\uFFFD <script> '; drop table build; --" },
    ]);
    expect(await listBuildsByInputs(records.db, mesh, [inputs, digestOf("others")])).toHaveLength(1);
  });
});

describe("an artifact", () => {
  it("is named by its content: the first record of a digest stands", async () => {
    const artifact = artifactOf("core", "out");
    await putArtifact(records.db, mesh, artifact, manifestOf("core"));
    await putArtifact(records.db, mesh, { ...artifact, blob: digestOf("packed otherwise") }, manifestOf("core"));
    expect(await listArtifacts(records.db, mesh, "core")).toMatchObject([{ artifact, manifest: manifestOf("core") }]);
    expect((await getArtifactByBlob(records.db, mesh, artifact.blob))?.artifact).toEqual(artifact);
    expect(await getArtifactByBlob(records.db, mesh, digestOf("not ours"))).toBeNull();
    expect(await getArtifact(records.db, mesh, "core", digestOf("not ours"))).toBeNull();
  });
});

describe("a build that nobody could judge (R11, R33)", () => {
  const fails = (attempt: number, kind: "registry" | "disk") =>
    judge(attempt, { verdict: "outstanding", class: kind, message: "no" });
  const read = async () => {
    const found = await getBuild(records.db, mesh, "core", inputs);
    return [found?.class, found?.classCount, found?.classSince];
  };

  it("counts failures of one class on end and keeps when they began; another class and a verdict begin anew", async () => {
    await claim("one");
    await fails(1, "registry");
    const [, , since] = await read();
    await claim("one");
    expect(await read()).toEqual(["registry", 1, since]);
    await fails(2, "registry");
    expect(await read()).toEqual(["registry", 2, since]);
    await claim("one");
    await fails(3, "disk");
    const [kind, count, later] = await read();
    expect([kind, count]).toEqual(["disk", 1]);
    expect(String(later) > String(since)).toBe(true);
    await claim("one");
    await judge(4, { verdict: "unfit", stage: "test", message: "no" });
    expect(await read()).toEqual([null, 0, null]);
  });

  it("is lost once its worker was not heard of for long, whenever it began", async () => {
    await claim("one");
    await records.db.query(`update build set started_at = now() - interval '1 hour'`);
    expect(await listLostBuilds(records.db, mesh, 60_000)).toMatchObject([{ claimant: "one", attempts: 1 }]);
    expect(await touchBuild(records.db, mesh, { module: "core", inputs, attempt: 1 })).toBe(true);
    expect(await listLostBuilds(records.db, mesh, 60_000)).toEqual([]);
    expect((await claim("two")).kind).toBe("building");
    await records.db.query(`update build set seen_at = now() - interval '1 hour'`);
    expect((await claim("two")).kind).toBe("claimed");
    expect(await read()).toEqual(["lost-worker", 1, expect.any(String)]);
    expect(await touchBuild(records.db, mesh, { module: "core", inputs, attempt: 1 })).toBe(false);
    await claim("two");
    expect((await read()).slice(0, 2)).toEqual(["lost-worker", 2]);
  });

  it("is lost where it was heard of at a time to come, of a clock that was set back since (R33)", async () => {
    await claim("one");
    await records.db.query(`update build set seen_at = now() + interval '5 seconds'`);
    expect(await listLostBuilds(records.db, mesh, 60_000)).toEqual([]);
    expect((await claim("two")).kind).toBe("building");
    for (const column of ["seen_at", "started_at"]) {
      await records.db.query(`update build set seen_at = null, started_at = now()`);
      await records.db.query(`update build set ${column} = now() + interval '5 hours'`);
      expect(await listLostBuilds(records.db, mesh, 60_000)).toMatchObject([{ claimant: "one" }]);
    }
    // Who lives says so with its next word.
    await touchBuild(records.db, mesh, { module: "core", inputs, attempt: 1 });
    expect((await claim("two")).kind).toBe("building");
    await records.db.query(`update build set seen_at = now() + interval '5 hours'`);
    expect((await claim("two")).kind).toBe("claimed");
  });
});
