import { percentile } from "./percentile.ts";

export type Unit = "ms" | "s" | "events" | "tasks" | "statements" | "files" | "lines" | "nodes/s";

/** One line of the table. `ratio` is what was measured divided by the goal, or by the row it is compared with. */
export interface Row {
  readonly bench: string;
  readonly what: string;
  readonly ratio: number | null;
  /** What the ratio is to, in words. */
  readonly of: string;
  readonly met: boolean | null;
  readonly unit: Unit;
  readonly p50: number;
  readonly p95: number | null;
  readonly runs: number;
  readonly note: string;
  readonly command: string;
}

export interface Goal {
  readonly limit: number;
  readonly at: "p50" | "p95";
  /** The goal says *fewer than*, not *at most*. */
  readonly below?: boolean;
}

export interface Measured {
  readonly bench: string;
  readonly what: string;
  readonly unit: Unit;
  readonly values: readonly number[];
  readonly goal?: Goal;
  /** Another row's middle value, when the ratio to it is what counts. `equal`: the goal is a ratio of 1. */
  readonly against?: { readonly words: string; readonly p50: number; readonly equal?: boolean };
  readonly note?: string;
}

export function toRow(measured: Measured): Row {
  const { bench, what, unit, values, goal, against, note = "" } = measured;
  const p50 = percentile(values, 0.5);
  const p95 = values.length > 1 ? percentile(values, 0.95) : null;
  const shared = { bench, what, unit, p50, p95, runs: values.length, note, command: `npm run bench -- ${bench}` };
  if (goal !== undefined) {
    const value = goal.at === "p95" ? (p95 ?? p50) : p50;
    return {
      ...shared,
      ratio: value / goal.limit,
      of: `goal: ${goal.at} ${goal.below === true ? "<" : "≤"} ${goal.limit} ${unit}`,
      met: goal.below === true ? value < goal.limit : value <= goal.limit,
    };
  }
  if (against === undefined) return { ...shared, ratio: null, of: "", met: null };
  const ratio = p50 / against.p50;
  return { ...shared, ratio, of: against.words, met: against.equal === true ? ratio === 1 : null };
}
