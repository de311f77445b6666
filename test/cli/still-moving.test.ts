import { describe, expect, it } from "vitest";
import { waitsForMoving } from "../../src/cli/still-moving.ts";

const edges = [
  { module: "page", dependency: "mid" },
  { module: "mid", dependency: "core" },
  { module: "other", dependency: "core" },
];
const page = { name: "page", standing: "waiting" } as const;
const mid = { name: "mid", standing: "waiting" } as const;

describe("mesh build --wait for a module that waits for another (R9)", () => {
  it.each([
    ["goes on while that is built, however far below", "building", true],
    ["goes on while that is behind", "out-of-date", true],
    ["goes on in the moment between its verdict and the next plan", "current", true],
    ["ends where that is unfit: only a commit helps", "unfit", false],
    ["ends where that is outstanding", "outstanding", false],
    ["ends where that is broken", "broken", false],
  ] as const)("%s", (_what, standing, expected) => {
    expect(waitsForMoving([page], [page, mid, { name: "core", standing }], edges)).toBe(expected);
  });

  it("does not look at what is not below it", () => {
    const all = [page, mid, { name: "core", standing: "unfit" }, { name: "other", standing: "building" }] as const;
    expect(waitsForMoving([page], all, edges)).toBe(false);
  });
});
