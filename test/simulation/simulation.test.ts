import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleSimulator } from "./runner/bundle.ts";
import { openPool, type Pool } from "./runner/pool.ts";
import { readRegressions } from "./runner/read-regressions.ts";
import { sayFailed } from "./runner/say-result.ts";
import { seedOf } from "./runner/seed-of.ts";
import { trySeeds } from "./runner/try-seeds.ts";
import { fullSetting } from "./setting.ts";

/** Bounds against a run that hangs, on a machine that has other things to do: not a measure of speed. */
const patienceMs = 600_000;

/**
 * The same new seeds on every machine: whoever makes a commit can know before whether they hold. Longer runs still meet the
 * violations that docs/simulation-runs.md lists as known.
 */
const freshSeeds = 100;

let file: string;
let pool: Pool;

beforeAll(async () => {
  file = await bundleSimulator();
  pool = openPool(file, Math.min(4, availableParallelism()));
}, patienceMs);

afterAll(async () => {
  await pool.close();
  await rm(dirname(file), { recursive: true });
});

describe("a mesh under faults", () => {
  it.each([
    { what: "the same seeds at every commit", base: "always", count: 60 },
    { what: "new seeds at every commit", base: commitHash(), count: freshSeeds },
  ])(
    "keeps every promise, with $what (R27, R28, R34–R38)",
    async ({ what: _what, ...tries }) => {
      const { failed } = await trySeeds(pool, { ...tries, setting: fullSetting });
      expect(failed === null ? "" : sayFailed(failed, fullSetting, null)).toBe("");
    },
    patienceMs,
  );

  it(
    "does not break again where it once did",
    async () => {
      for (const { seed, setting, invariant } of await readRegressions()) {
        const { violation } = await pool.run(seed, setting);
        expect(violation, `seed ${seed}, which broke ${invariant}`).toBeNull();
      }
    },
    patienceMs,
  );

  it(
    "gives the same run for the same seed",
    async () => {
      const seeds = Array.from({ length: 50 }, (_, index) => seedOf("twice", index));
      const runAll = (): Promise<string[]> =>
        Promise.all(seeds.map(async (seed) => (await pool.run(seed, fullSetting)).hash));
      const first = await runAll();
      expect(await runAll()).toEqual(first);
      expect(new Set(first).size).toBe(seeds.length);
    },
    patienceMs,
  );
});

function commitHash(): string {
  return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
}
