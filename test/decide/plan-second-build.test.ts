import fc from "fast-check";
import { expect, it } from "vitest";
import { digestValue } from "../../src/decide/digest.ts";
import { sampleOneIn, whySecondBuild } from "../../src/decide/plan-second-build.ts";

it("builds the first of each module twice, and of the later ones those that their digest picks (R10)", () => {
  const picked = Array.from({ length: 2000 }, (_, at) => digestValue(`inputs ${at}`)).filter(
    (inputs) => whySecondBuild({ inputs, isFirst: false }) !== null,
  );
  expect(whySecondBuild({ inputs: digestValue("x"), isFirst: true })).toMatch(/first build/);
  expect(picked.length).toBeGreaterThan((2000 / sampleOneIn) * 0.6);
  expect(picked.length).toBeLessThan((2000 / sampleOneIn) * 1.4);
});

it("gives everybody who asks the same answer", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), (text, oneIn) => {
      const build = { inputs: digestValue(text.toWellFormed()), isFirst: false };
      expect(whySecondBuild(build, oneIn)).toBe(whySecondBuild(build, oneIn));
      if (oneIn === 1) expect(whySecondBuild(build, oneIn)).not.toBeNull();
    }),
  );
});
