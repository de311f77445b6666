import { describe, expect, it } from "vitest";
import { describeWave } from "../../src/decide/describe-wave.ts";

const wave = { id: "w1", announced: 12, counts: {}, waitingFor: [], endedAt: null };

describe("how far a wave is (R9)", () => {
  it("is said in the words of the account: what was announced, and what became of each", () => {
    const counts = { built: 4, "cut-off": 2, failed: 1, waiting: 3, superseded: 2 };
    expect(describeWave({ ...wave, counts, waitingFor: ["lib"], endedAt: "2026-01-01T00:00:00.000Z" })).toBe(
      "wave w1: 12 announced · 4 built · 2 cut off · 1 failed · 3 waiting for lib · 2 superseded",
    );
  });

  it("names what is still to come, and never counts what was not accounted for as done", () => {
    expect(describeWave({ ...wave, counts: { built: 5 } })).toBe("wave w1: 12 announced · 5 built · 7 to come");
    expect(describeWave({ ...wave, counts: { built: 5 }, endedAt: "2026-01-01T00:00:00.000Z" })).toContain(
      "7 not accounted for",
    );
  });
});
