import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { fullSetting } from "../setting.ts";
import { listReplacements, mutate } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { tryMutant } from "./try-mutant.ts";

/** Each is found in a few dozen seeds; the bound is what the simulator promises of itself. */
const seedsAtMost = 2_000;
/** Against a run that hangs, on a machine that has other things to do. */
const patienceMs = 900_000;

describe("a bug planted in the real source", () => {
  it.each(mutants)(
    "$name: $why, and $breaks is named (R27–R38)",
    async (mutant) => {
      const workers = Math.min(4, availableParallelism());
      const { violation } = await tryMutant(mutant, {
        base: "planted",
        count: seedsAtMost,
        workers,
        setting: fullSetting,
      });
      expect(mutant.breaks, violation?.message ?? "nothing was broken").toContain(violation?.invariant);
    },
    patienceMs,
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
