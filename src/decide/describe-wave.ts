import type { Name } from "../core/names.ts";
import type { Accounted } from "./account-wave.ts";
import { listNames } from "./short-names.ts";

/** How far a wave is (R9). What is announced and in no count is still to come. */
export interface WaveProgress {
  readonly id: string;
  readonly announced: number;
  readonly counts: Readonly<Partial<Record<Accounted["outcome"], number>>>;
  /** Modules that others wait for, sorted. */
  readonly waitingFor: readonly Name[];
  readonly endedAt: string | null;
}

/** `wave 2026-…: 12 announced · 7 built · 2 cut off · 1 failed · 2 waiting for lib`. Counts of zero are left out. */
export function describeWave({ id, announced, counts, waitingFor, endedAt }: WaveProgress): string {
  const waiting = waitingFor.length === 0 ? "waiting" : `waiting for ${listNames(waitingFor, 3)}`;
  const words: readonly (readonly [Accounted["outcome"], string])[] = [
    ["built", "built"],
    ["cut-off", "cut off"],
    ["failed", "failed"],
    ["waiting", waiting],
    ["superseded", "superseded"],
  ];
  const accounted = words.map(([outcome]) => counts[outcome] ?? 0).reduce((sum, count) => sum + count, 0);
  const parts = words.flatMap(([outcome, word]) => (counts[outcome] ? [`${counts[outcome]} ${word}`] : []));
  const rest = announced - accounted;
  if (rest > 0) parts.push(`${rest} ${endedAt === null ? "to come" : "not accounted for"}`);
  return `wave ${id}: ${[`${announced} announced`, ...parts].join(" · ")}`;
}
