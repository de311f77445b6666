import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { createLanes } from "../runner/lanes.ts";
import { fullSetting } from "../setting.ts";
import { listReplacements, mutate } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { tryMutant, tryWithoutBug } from "./try-mutant.ts";

/** Each is found in a few dozen seeds; the bound is what the simulator promises of itself. */
const seedsAtMost = 2_000;
/** Against a run that hangs, on a machine that has other things to do. */
const patienceMs = 900_000;

const inLane = createLanes(Math.min(4, availableParallelism()));

describe("a bug planted in the real source", () => {
  it.concurrent.for(mutants)(
    "$name: $why, and $breaks is named (R27–R38)",
    { timeout: patienceMs },
    async (mutant, { expect: expectHere }) => {
      const tries = { base: "planted", count: seedsAtMost, setting: fullSetting };
      const { violation, seed } = await inLane(() => tryMutant(mutant, tries));
      expectHere(mutant.breaks, violation?.message ?? "nothing was broken").toContain(violation?.invariant);
      if (mutant.often === undefined || seed === null) return;
      const without = await inLane(() => tryWithoutBug(mutant, seed, fullSetting));
      expectHere(without.violation, "its faults alone break a promise").toBeNull();
    },
  );

  it.each(mutants)("$name: its text stands in $file exactly once", (mutant) => {
    for (const one of listReplacements(mutant)) {
      const source = readFileSync(new URL(`../../../${one.file}`, import.meta.url), "utf8");
      expect(mutate(source, one)).not.toBe(source);
    }
  });

  it("is refused where its text does not stand in the source exactly once", () => {
    const mutant = { file: "f.ts", find: "a", replace: "b" };
    expect(() => mutate("no such text: xyz", { ...mutant, find: "q" })).toThrow("0 times");
    expect(() => mutate("aa", mutant)).toThrow("2 times");
    expect(mutate("xay", mutant)).toBe("xby");
  });
});
