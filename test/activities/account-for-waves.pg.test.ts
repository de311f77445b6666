import { afterEach, beforeEach, expect, it } from "vitest";
import { accountForWaves } from "../../src/activities/account-for-waves.ts";
import type { Closure } from "../../src/core/artifact.ts";
import type { BuildPlan } from "../../src/decide/plan-builds.ts";
import type { Database } from "../../src/store/database.ts";
import { claimBuild, recordVerdict } from "../../src/store/builds.ts";
import { extendWave } from "../../src/store/extend-wave.ts";
import { isUnaccounted, readWaveProgress } from "../../src/store/wave-progress.ts";
import { endWave, getWave, openWave } from "../../src/store/waves.ts";
import { addModules, digestOf, mesh, openRecords, treeOf, type Records } from "../store/open-records.ts";

let records: Records;

beforeEach(async () => {
  records = await openRecords();
  await addModules(records.db, "core", "page");
  await openWave(records.db, mesh, { id: "w", reason: "a test", announced: ["core", "page"] });
});
afterEach(() => records.close());

const closure: Closure = {
  module: "core",
  language: "files",
  tree: treeOf("1"),
  dependencies: {},
  toolchain: "none",
  builder: "1",
  thirdParties: null,
  settings: {},
};
const nothing: BuildPlan = {
  ready: [],
  building: [],
  current: [],
  waiting: [],
  unfit: [],
  outstanding: [],
  broken: [],
  cannotTell: [],
  cycles: [],
  order: [],
};
const inputs = digestOf("inputs");
const unfit: BuildPlan = {
  ...nothing,
  unfit: [{ module: "core", kind: "unfit", inputs, closure, why: "a test failed" }],
  waiting: [{ module: "page", kind: "waiting", for: ["core"], why: "page waits for core (unfit)" }],
};
const ready: BuildPlan = {
  ...unfit,
  unfit: [],
  ready: [{ module: "core", kind: "ready", inputs: digestOf("newer"), closure, why: "its source moved" }],
};

async function judgeCore(): Promise<void> {
  const claim = { module: "core", inputs, closure, commit: treeOf("c"), claimant: "a test", staleMs: 1 };
  const claimed = await claimBuild(records.db, mesh, claim);
  if (claimed.kind !== "claimed") throw new Error("it was to be claimed");
  const verdict = { verdict: "unfit", stage: "test", message: "a test failed" } as const;
  await recordVerdict(records.db, mesh, { module: "core", inputs, attempt: claimed.attempt, verdict, logTail: "" });
}

const account = (plan: BuildPlan, isLast: boolean) =>
  accountForWaves({ db: records.db, mesh }, { wave: "w", open: ["w"], plan, isLast });
const counts = async () => (await readWaveProgress(records.db, mesh))?.counts;

it("a module that is to be built again in its wave is to come, whatever it came to before (R9)", async () => {
  await judgeCore();
  await account(unfit, false);
  expect(await counts()).toEqual({ failed: 1 });
  await account(ready, false);
  expect(await counts()).toEqual({});
  // At its end what it came to in this wave is said.
  await account(unfit, true);
  expect(await counts()).toEqual({ failed: 1, waiting: 1 });
});

it("a module that is announced again is waited for again, though it was accounted for (R9)", async () => {
  await judgeCore();
  await account(unfit, false);
  expect(await isUnaccounted(records.db, mesh, ["core"])).toBe(false);
  await extendWave(records.db, mesh, "w", ["core"]);
  expect(await isUnaccounted(records.db, mesh, ["core"])).toBe(true);
  expect(await counts()).toEqual({});
});

it("a plan in the middle of a large wave asks what builds came to of what is newly over, and of nothing else", async () => {
  const { db } = records;
  const names = Array.from({ length: 200 }, (_, at) => `m${at}`);
  const current = (module: string): BuildPlan["current"][number] => ({
    module,
    kind: "current",
    inputs,
    artifact: digestOf("out"),
  });
  await extendWave(db, mesh, "w", names);
  await judgeCore();
  const asked: unknown[] = [];
  const counting: Database = {
    ...db,
    query: (sql, values) => {
      if (sql.includes("from build")) asked.push(values?.[2]);
      return db.query(sql, values);
    },
  };
  const accountOf = (plan: BuildPlan, over: number) => {
    const waiting = names.slice(over).map((module) => ({ module, kind: "waiting", for: ["core"], why: "" }) as const);
    const whole = { ...plan, current: names.slice(0, over).map(current), waiting: [...plan.waiting, ...waiting] };
    return accountForWaves({ db: counting, mesh }, { wave: "w", open: ["w"], plan: whole, isLast: false });
  };
  await accountOf(ready, 100);
  await accountOf(unfit, 100);
  await accountOf(unfit, 101);
  await accountOf(unfit, 101);
  expect(asked).toEqual([names.slice(0, 100).toSorted(), ["core"], ["m100"]]);
  expect(await counts()).toEqual({ "cut-off": 101, failed: 1 });
});

it("a plan that came late ends no wave of a newer round, and one that is in time ends what nobody goes on with (R9)", async () => {
  const { db } = records;
  const endOf = async (wave: string) => (await getWave(db, mesh, wave))?.endedAt ?? null;
  const announced = ["core"];
  await openWave(db, mesh, { id: "left", reason: "its loop was forgotten", announced });
  await judgeCore();
  await accountForWaves({ db, mesh }, { wave: "w", open: ["left", "w"], plan: unfit, isLast: false });
  expect(await getWave(db, mesh, "left")).toMatchObject({
    endedAt: expect.any(String),
    accounted: { core: { outcome: "failed" } },
  });
  expect(await endOf("w")).toBeNull();

  await endWave(db, mesh, "w");
  await openWave(db, mesh, { id: "newer", reason: "the next round", announced });
  // Its attempt was given up, and goes on: it had begun before the newer wave, or was held up before its first question.
  for (const open of [["w"], ["newer"]]) {
    await accountForWaves({ db, mesh }, { wave: "w", open, plan: unfit, isLast: true });
    expect(await getWave(db, mesh, "newer")).toMatchObject({ endedAt: null, accounted: {} });
  }
});
