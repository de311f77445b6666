import { beforeEach, describe, expect, it, vi } from "vitest";
import { claimBuild, getBuild, recordVerdict } from "../../src/store/builds.ts";
import { getModule } from "../../src/store/modules.ts";
import { readWaveProgress } from "../../src/store/wave-progress.ts";
import { endWave, getWave, listWaves } from "../../src/store/waves.ts";
import { type ComparedBed, openComparedBed } from "../cli/compared-bed.ts";
import { digestOf, mesh, treeOf } from "../store/open-records.ts";

let bed: ComparedBed;
beforeEach(async () => {
  bed = await openComparedBed();
  await bed.plan();
  return () => bed.close();
});

const counts = async () => {
  const progress = await readWaveProgress(bed.records.db, mesh);
  return { announced: progress?.announced, ...progress?.counts };
};

const says = (step: { kind: string; key: string }) => step.key;

async function commit(files: Record<string, string>, wave?: string): Promise<string> {
  await bed.shop.commit(files);
  const compared = await bed.compare(wave);
  if (compared.wave === null) throw new Error("it finds something to build");
  return compared.wave;
}

interface Begun {
  readonly key: string;
  /** Fit. `artifact`: null: as it was before. */
  end(artifact: string | null): Promise<void>;
  fail(): Promise<void>;
}

/** The build that the last plan asked for begins. */
async function begin(module: string): Promise<Begun> {
  const { db } = bed.records;
  const row = await getModule(db, mesh, module);
  if (row?.wantedInputs == null || row.fitInputs === null || row.fitArtifact === null) throw new Error("it was fit");
  const { wantedInputs: inputs, fitInputs, fitArtifact } = row;
  const closure = (await getBuild(db, mesh, module, fitInputs))?.closure;
  if (closure === undefined) throw new Error("it was built");
  const own = { ...closure, tree: row.tree ?? "" };
  const claim = { module, inputs, closure: own, commit: treeOf("c"), claimant: "a test", staleMs: 60_000 };
  const claimed = await claimBuild(db, mesh, claim);
  if (claimed.kind !== "claimed") throw new Error(`${module} is ${claimed.kind}`);
  const judge = async (verdict: Parameters<typeof recordVerdict>[2]["verdict"]): Promise<void> => {
    await recordVerdict(db, mesh, { module, inputs, attempt: claimed.attempt, verdict, logTail: "" });
  };
  return {
    key: `build ${module}@${inputs}`,
    end: (artifact) => judge({ verdict: "fit", artifact: artifact === null ? fitArtifact : digestOf(artifact) }),
    fail: () => judge({ verdict: "unfit", stage: "test", message: "a test failed" }),
  };
}

const comment = (text: string) => ({ "core/src/index.ts": `export const one = 1; // ${text}\n` });

it("what is built against a library whose output is as it was is cut off while its wave goes on, extended or not (R9, R10, R16)", async () => {
  const wave = await commit(comment("a"));
  await bed.plan(wave);
  const core = await begin("core");
  // Another source moves meanwhile, and belongs to the same wave.
  expect(await commit({ "other/src/index.ts": "export const two = 2;\n" }, wave)).toBe(wave);
  const planned = await bed.plan(wave, [core.key]);
  expect(planned.steps.map(says)).toEqual([expect.stringMatching(/^build other@/)]);
  expect(await counts()).toEqual({ announced: 4 });
  const other = await begin("other");
  await core.end(null);
  await bed.plan(wave, [other.key]);
  expect(await counts()).toEqual({ announced: 4, built: 1, "cut-off": 2 });

  // The same library moves again, and what is built against it is to come again.
  await commit(comment("b"), wave);
  await bed.plan(wave, [other.key]);
  expect(await counts()).toEqual({ announced: 4 });
  const again = await begin("core");
  await other.end("another");
  await bed.plan(wave, [again.key]);
  expect(await counts()).toEqual({ announced: 4, built: 1 });
  await again.end(null);
  await bed.plan(wave);
  expect(await counts()).toEqual({ announced: 4, built: 2, "cut-off": 2 });
  expect(Object.keys((await getWave(bed.records.db, mesh, wave))?.accounted ?? {})).toHaveLength(4);
});

it("what was built in a wave, and is announced in it again and then not built, was built (R9, R16)", async () => {
  const wave = await commit({ "core/src/index.ts": "export const one = 5;\n" });
  await bed.plan(wave);
  await (await begin("core")).end("core 5");
  await bed.plan(wave);
  expect(await counts()).toEqual({ announced: 3, built: 1 });
  await (await begin("mid")).end("mid 5");
  await bed.plan(wave);
  const page = await begin("page");
  await bed.plan(wave, [page.key]);
  expect(await counts()).toEqual({ announced: 3, built: 2 });
  // A comment of the library, while the last of the wave is built: all of them are to come again.
  await commit({ "core/src/index.ts": "export const one = 5; // a comment\n" }, wave);
  await bed.plan(wave, [page.key]);
  const core = await begin("core");
  await page.end("page 5");
  await bed.plan(wave, [core.key]);
  expect(await counts()).toEqual({ announced: 3 });
  await core.end(null);
  await bed.plan(wave);
  expect(await counts()).toEqual({ announced: 3, built: 3 });
});

it("what was built in a wave, and is announced in it again and then waits, is waiting (R9, case 9)", async () => {
  const wave = await commit({ "core/src/index.ts": "export const one = 5;\n" });
  await bed.plan(wave);
  for (const module of ["core", "mid", "page"]) {
    await (await begin(module)).end(`${module} 5`);
    await bed.plan(wave);
  }
  expect(await counts()).toEqual({ announced: 3, built: 3 });
  await commit({ "core/src/index.ts": "export const one = 6;\n" }, wave);
  await bed.plan(wave);
  await (await begin("core")).fail();
  await bed.plan(wave);
  expect(await counts()).toEqual({ announced: 3, failed: 1, waiting: 2 });
  // The same plan again, as after a push of the round.
  await bed.plan(wave);
  expect(await counts()).toEqual({ announced: 3, failed: 1, waiting: 2 });
  expect((await getWave(bed.records.db, mesh, wave))?.accounted).toMatchObject({
    core: { why: "core is unfit: a test failed" },
    mid: { for: ["core"] },
    page: { for: ["core"] },
  });
});

it("what was built in a wave stays built where it has to wait for another reason than a new commit (R9)", async () => {
  const wave = await commit({ "core/src/index.ts": "export const one = 5;\n" });
  await bed.plan(wave);
  for (const module of ["core", "mid", "page"]) {
    await (await begin(module)).end(`${module} 5`);
    await bed.plan(wave);
  }
  await bed.records.db.query(
    `update build b set state = 'outstanding', class = 'artifact-store', next_try_at = now() + interval '10 minutes', message = 'lost'
       from module m where m.name = 'core' and b.module = 'core' and b.inputs = m.wanted_inputs`,
  );
  await bed.plan(wave);
  expect(await counts()).toEqual({ announced: 3, built: 2, failed: 1 });
});

describe("a comparison that nobody waits for any more, and whose next attempt went on (R9)", () => {
  /** Held up where it announces what it found, until the other one has done this and the wave has ended. */
  const compareLate = async (wave: string, meanwhile: () => Promise<unknown>) => {
    const { db } = bed.records;
    const query = db.query.bind(db);
    let isHeld = false;
    const spy = vi.spyOn(db, "query").mockImplementation(async (sql, values) => {
      if (!isHeld && sql.startsWith("update wave set announced")) {
        isHeld = true;
        await meanwhile();
        await endWave(db, mesh, wave);
      }
      return query(sql, values);
    });
    try {
      return await bed.compare(wave);
    } finally {
      spy.mockRestore();
      expect(isHeld).toBe(true);
    }
  };

  const otherBuilt = async (): Promise<string> => {
    const wave = await commit({ "other/src/index.ts": "export const two = 2;\n" });
    await bed.plan(wave);
    await (await begin("other")).end("other 2");
    await bed.plan(wave);
    await bed.shop.commit(comment("a"));
    return wave;
  };

  it("leaves what is accounted for, and the wave that ended, as they are", async () => {
    const { db } = bed.records;
    const wave = await otherBuilt();
    let accounted: unknown;
    const late = await compareLate(wave, async () => {
      await bed.compare(wave);
      await bed.plan(wave);
      await (await begin("core")).end(null);
      await bed.plan(wave);
      accounted = (await getWave(db, mesh, wave))?.accounted;
    });
    expect(late.wave).toBeNull();
    expect(await listWaves(db, mesh, 5)).toMatchObject([{ id: wave, accounted }, {}]);
    expect(Object.keys(accounted ?? {}).toSorted()).toEqual(["core", "mid", "other", "page"]);
  });

  it("announces in another wave what is still to be built", async () => {
    const { db } = bed.records;
    const wave = await otherBuilt();
    const late = await compareLate(wave, () => Promise.resolve());
    expect(late.wave).not.toBe(wave);
    expect(await getWave(db, mesh, late.wave ?? "")).toMatchObject({
      announced: ["core", "mid", "page"],
      endedAt: null,
    });
    expect(await getWave(db, mesh, wave)).toMatchObject({
      announced: ["other"],
      accounted: { other: { outcome: "built" } },
      endedAt: expect.any(String),
    });
  });
});
