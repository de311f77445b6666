import { describe, expect, it } from "vitest";
import { type Leftover, planLeftovers } from "../../src/decide/plan-leftovers.ts";

const nowMs = Date.parse("2026-03-01T12:00:00.000Z");
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const bounds = { logDays: 10, logBytes: 100, cacheDays: 20, cacheBytes: 1000 };

const left = (kind: Leftover["kind"], name: string, ageMs: number, more: Partial<Leftover> = {}): Leftover => ({
  kind,
  name,
  bytes: 40,
  usedAtMs: nowMs - ageMs,
  neededFor: null,
  ...more,
});

const removed = (...leftovers: Leftover[]): string[] =>
  planLeftovers(leftovers, bounds, nowMs).remove.map(({ name, why }) => `${name}: ${why}`);

describe("what builds left behind", () => {
  it("is each in one of the two lists", () => {
    const all = [left("log", "a", 11 * dayMs), left("package", "b", dayMs), left("work", "c", hourMs)];
    const { remove, keep } = planLeftovers(all, bounds, nowMs);
    expect([...remove, ...keep].map(({ name }) => name).toSorted()).toEqual(["a", "b", "c"]);
  });

  it.each([
    ["log", 10 * dayMs, "it is older than 10 days, and a newer build is shown"],
    ["package", 20 * dayMs, "no build used it for 20 days"],
    ["unnamed", dayMs, "no record names it"],
    ["clone", dayMs, "no repository is registered under its name and address"],
    ["work", 6 * hourMs, "the build that made it was killed"],
  ] as const)("a %s goes at its age, and not a moment before", (kind, ageMs, why) => {
    expect(removed(left(kind, "it", ageMs))).toEqual([`it: ${why}`]);
    expect(removed(left(kind, "it", ageMs - 1))).toEqual([]);
  });

  it("stays while something needs it, however old and large it is", () => {
    const neededFor = "it is shown for core";
    expect(removed(left("log", "a", 99 * dayMs, { neededFor, bytes: 10_000 }))).toEqual([]);
  });

  it.each([
    ["log", "logs take more than 100 bytes, and it was used longest ago"],
    ["package", "third-party packages take more than 100 bytes, and it was used longest ago"],
  ] as const)("a %s past the bytes: what was used longest ago goes first, only as much as needed", (kind, why) => {
    const old = left(kind, "old", 3 * dayMs);
    const rest = [left(kind, "new", dayMs), left(kind, "newer", 7 * hourMs)];
    const { remove } = planLeftovers([...rest, old], { ...bounds, cacheBytes: 100 }, nowMs);
    expect(remove.map((one) => `${one.name}: ${one.why}`)).toEqual([`old: ${why}`]);
  });

  it("never what a build may still use: six hours are longer than any build", () => {
    const big = left("package", "big", 6 * hourMs - 1, { bytes: 1e12 });
    expect(removed(big)).toEqual([]);
  });

  it("what is needed counts, so that the others go for it", () => {
    const needed = left("log", "shown", 9 * dayMs, { neededFor: "it is shown for core", bytes: 90 });
    expect(removed(needed, left("log", "other", dayMs)).map((line) => line.split(":")[0])).toEqual(["other"]);
  });
});
