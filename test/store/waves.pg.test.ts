import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Closure } from "../../src/core/artifact.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { listRecentVerdicts } from "../../src/store/recent-verdicts.ts";
import { endWave, listEndedInWave, listOpenWaves, openWave } from "../../src/store/waves.ts";
import { digestOf, mesh, openRecords, treeOf, type Records } from "./open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

async function judge(module: string, source: string, message: string | null): Promise<void> {
  const { db } = records;
  const closure: Closure = {
    module,
    language: "files",
    tree: treeOf(source),
    dependencies: {},
    toolchain: "none",
    builder: "1",
    thirdParties: null,
    settings: {},
  };
  const inputs = digestOf(`${module} ${source}`);
  await claimBuild(db, mesh, { module, inputs, closure, commit: treeOf(source), claimant: "x", staleMs: 1 });
  if (message === null) return;
  const verdict = { verdict: "unfit", stage: "test", message } as const;
  await recordVerdict(db, mesh, { module, inputs, attempt: 1, verdict, logTail: "much" });
}

describe("the builds of a wave (R9)", () => {
  it("are the newest one of each announced module, where it ended since the wave began", async () => {
    const { db } = records;
    await judge("before", "one", "long ago");
    await openWave(db, mesh, { id: "w1", reason: "a test", announced: ["runs", "twice", "before", "never"] });
    await judge("twice", "one", "first");
    await judge("twice", "two", "second");
    await judge("runs", "one", "ended");
    await judge("runs", "two", null);
    await judge("stranger", "one", "not announced");
    expect(await listEndedInWave(db, mesh, "w1")).toEqual([
      { module: "twice", inputs: digestOf("twice two"), state: "unfit", artifact: null, message: "second" },
    ]);
    expect(await listOpenWaves(db, mesh)).toEqual(["w1"]);
    await endWave(db, mesh, "w1");
    expect(await listOpenWaves(db, mesh)).toEqual([]);
  });

  it("are read for what repeats without what they printed, newest first, so many of each", async () => {
    const verdicts = await listRecentVerdicts(records.db, mesh, ["twice", "before"], 1);
    expect(verdicts.map(({ module, message }) => [module, message])).toEqual([
      ["before", "long ago"],
      ["twice", "second"],
    ]);
    expect(verdicts[0]).not.toHaveProperty("logTail");
  });
});
