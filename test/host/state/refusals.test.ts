import { describe, expect, it } from "vitest";
import { refusalSchema, type Refusal } from "../../../src/core/report.ts";
import { countRefusal } from "../../../src/host/state/refusals.ts";

const at = new Date("2026-03-01T12:00:00.000Z");

describe("the count of refusals (R38)", () => {
  it("counts the same one, and keeps others apart", () => {
    const older = { check: "older", message: "it is 1.4", offered: { epoch: 1, number: 4 } } as const;
    let refusals: readonly Refusal[] = [];
    for (const refused of [older, older, { ...older, offered: { epoch: 1, number: 3 } }]) {
      refusals = countRefusal(refusals, refused, at);
    }
    expect(refusals.map(({ offered, count }) => [offered?.number, count])).toEqual([
      [3, 1],
      [4, 2],
    ]);
  });

  it("stays within what a report holds, however many come", () => {
    let refusals: readonly Refusal[] = [];
    for (let number = 1; number <= 200; number += 1) {
      const message = "x".repeat(5000);
      refusals = countRefusal(refusals, { check: "older", message, offered: { epoch: 1, number } }, at);
    }
    expect(refusals).toHaveLength(50);
    expect(refusals[0]?.offered?.number).toBe(200);
    for (const refusal of refusals) refusalSchema.parse(refusal);
  });
});
