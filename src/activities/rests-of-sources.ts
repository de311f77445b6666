import { backOffMs } from "../decide/back-off.ts";
import type { FetchBounds } from "./fetch-desk.ts";

export interface Surroundings {
  readonly nowMs: () => number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

export interface Rests {
  /** It hung. Answers for how many seconds it is left alone, about. */
  begin(dir: string): number;
  /** It answered. */
  end(dir: string): void;
  /** Why it is not asked now; null: it may be. */
  why(dir: string): string | null;
}

/** Which sources hung, by folder of the clone, and until when nobody waits for them again (R33). */
export function createRests(
  { patienceMs, restLongestMs }: Pick<FetchBounds, "patienceMs" | "restLongestMs">,
  { nowMs, random }: Surroundings,
): Rests {
  const rests = new Map<string, { readonly times: number; readonly untilMs: number }>();
  const rhythm = { baseMs: patienceMs, longestMs: restLongestMs };
  return {
    begin(dir) {
      const times = (rests.get(dir)?.times ?? 0) + 1;
      rests.set(dir, { times, untilMs: nowMs() + backOffMs(rhythm, times - 1, random()) });
      return Math.round(backOffMs(rhythm, times - 1, 0.5) / 1000);
    },
    end: (dir) => void rests.delete(dir),
    why(dir) {
      const rest = rests.get(dir);
      if (rest === undefined || nowMs() >= rest.untilMs) return null;
      const times = rest.times === 1 ? "once" : `${rest.times} times in a row`;
      return `hung ${times} for ${patienceMs / 1000} s, and is left alone for a while before it is asked again`;
    },
  };
}
