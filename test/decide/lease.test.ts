import { describe, expect, it } from "vitest";
import {
  isSameLease,
  type KnownEpochs,
  leaseAgeMs,
  leaseDeadline,
  leaseMarginMs,
  mayAct,
  mayTakeLease,
  nextEpoch,
  type SeenLease,
} from "../../src/decide/lease.ts";

const seen: SeenLease = { holder: "one", epoch: 4, beat: 7 };

describe("whether a lease has moved (R34)", () => {
  it.each<[string, SeenLease, SeenLease, boolean]>([
    ["the same twice", seen, { ...seen }, true],
    ["another holder", seen, { ...seen, holder: "two" }, false],
    ["nobody holds it any more", seen, { ...seen, holder: null }, false],
    ["another epoch", seen, { ...seen, epoch: 5 }, false],
    ["another beat", seen, { ...seen, beat: 8 }, false],
    ["there was none, and is none", null, null, true],
    ["there was none", null, seen, false],
    ["there is none any more", seen, null, false],
  ])("%s", (_what, a, b, same) => {
    expect(isSameLease(a, b)).toBe(same);
  });

  it("is asked for at once where nobody holds it, else after its own whole age", () => {
    const held = { ...seen, ageMs: 9_000 };
    expect(mayTakeLease(null, 0)).toBe(true);
    expect(mayTakeLease({ ...held, holder: null }, 0)).toBe(true);
    expect(mayTakeLease(held, 8_999)).toBe(false);
    expect(mayTakeLease(held, 9_000)).toBe(true);
  });
});

describe("how long a holder acts (R34, case 36)", () => {
  const deadline = leaseDeadline({ monotonicMs: 1_000, wallMs: 50_000 });
  const forMs = leaseAgeMs - leaseMarginMs;

  it("ends a margin before anybody else may take it, counted from before it asked", () => {
    expect(deadline).toEqual({ monotonicMs: 1_000 + forMs, wallMs: 50_000 + forMs });
    expect(mayTakeLease({ ...seen, ageMs: leaseAgeMs }, forMs)).toBe(false);
    expect(leaseMarginMs).toBeGreaterThan(0);
  });

  it.each([
    ["in time by both clocks", -1, -1, true],
    ["out of time by the monotonic clock", 0, -1, false],
    ["out of time by the wall clock, as after a suspend", -1, 0, false],
    ["out of time by both", 0, 0, false],
  ])("is judged by both clocks: %s", (_what, monotonic, wall, acts) => {
    const now = { monotonicMs: deadline.monotonicMs + monotonic, wallMs: deadline.wallMs + wall };
    expect(mayAct(deadline, now)).toBe(acts);
  });
});

describe("the epoch that is granted next (R35)", () => {
  const whole: KnownEpochs = { mesh: 6, floor: 0, lease: 6, grants: 6 };

  it.each<[string, Partial<KnownEpochs>, number, string | null]>([
    ["is above the last where every place knows it", {}, 7, null],
    ["is the first of all where nothing was granted", { mesh: 0, lease: null, grants: null }, 1, null],
    [
      "is above the floor of a recovery, which the lease and the grants know later",
      { floor: 9 },
      10,
      "the lease and the list of grants",
    ],
    ["is above the mesh's own where that is highest", { mesh: 8 }, 9, "the lease and the list of grants"],
    [
      "is above the lease where the mesh's own was lost",
      { mesh: 2, grants: 2 },
      7,
      "the mesh's own epoch and the list of grants",
    ],
    [
      "is above the grants where both others were lost",
      { mesh: 0, lease: null },
      7,
      "the mesh's own epoch and the lease",
    ],
    [
      "is the second where only the mesh knows of the first",
      { mesh: 1, lease: null, grants: null },
      2,
      "the lease and the list of grants",
    ],
    ["is above all where only the lease was lost", { lease: null }, 7, "the lease"],
    ["is above all where only the grants were lost", { grants: null }, 7, "the list of grants"],
  ])("%s", (_what, known, epoch, lost) => {
    expect(nextEpoch({ ...whole, ...known })).toEqual({ epoch, lost });
  });
});
