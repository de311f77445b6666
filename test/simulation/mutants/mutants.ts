import type { Mutant } from "./mutant.ts";

/** What can be planted. Texts are those of the source today: one that no longer stands there is an error, not a pass. */
export const mutants: readonly Mutant[] = [
  {
    name: "host-without-fence",
    why: "a host takes an older declaration",
    file: "src/decide/accept-declaration.ts",
    find: `if (place > 0) return { kind: "accept" };`,
    replace: `if (place !== 0) return { kind: "accept" };`,
    breaks: ["I1"],
  },
  {
    name: "no-floor",
    why: "the next epoch is counted from the lease alone, which can be emptied",
    file: "src/decide/lease.ts",
    find: `const last = Math.max(before, known.lease ?? 0, known.grants ?? 0);`,
    replace: `const last = known.lease ?? 0;`,
    breaks: ["I2"],
  },
  {
    name: "cascade-takes-newest",
    why: "a cascade carries builds that nobody pushed there",
    file: "src/decide/compose-for-push.ts",
    find: `if (how.named && !byPolicy) return withDigest(newest());`,
    replace: `if (!byPolicy) return withDigest(newest());`,
    breaks: ["I9b"],
  },
  {
    name: "older-report-kept",
    why: "a report that comes late goes over a newer one",
    file: "src/decide/order-reports.ts",
    find: `if (place > 0) return { kind: "kept" };`,
    replace: `if (place !== 0) return { kind: "kept" };`,
    breaks: ["I10"],
  },
];

/** Throws where there is none of this name. */
export function findMutant(name: string): Mutant {
  const found = mutants.find((mutant) => mutant.name === name);
  if (found === undefined) throw new Error(`there is no mutant ${name}: see --list-mutants`);
  return found;
}
