import type { Name } from "../core/names.ts";
import { backOffMs } from "../decide/back-off.ts";
import type { Surroundings } from "./rests-of-sources.ts";

/** Sources that do not answer are asked less and less often, by whoever looks in this process (R33). */
export interface SilentSources {
  /** False: it did not answer, and is left alone for a while. */
  isDue(repository: Name): boolean;
  readonly heard: (repository: Name, came: "answered" | "no answer") => void;
  /** Somebody named it: it is due at once. */
  askNow(repository: Name): void;
}

/** A source that comes back is found by the poll within this, and at once by a webhook or `mesh build`. */
const longestSilentMs = 300_000;

/** `baseMs`: between two looks at a source that answers. */
export function createSilentSources(
  baseMs: number,
  { nowMs, random }: Surroundings = { nowMs: () => performance.now(), random: Math.random },
): SilentSources {
  const silent = new Map<Name, { readonly failures: number; readonly dueMs: number }>();
  const rhythm = { baseMs, longestMs: longestSilentMs };
  return {
    isDue: (repository) => nowMs() >= (silent.get(repository)?.dueMs ?? Number.NEGATIVE_INFINITY),
    heard(repository, came) {
      if (came === "answered") {
        silent.delete(repository);
        return;
      }
      const failures = (silent.get(repository)?.failures ?? 0) + 1;
      silent.set(repository, { failures, dueMs: nowMs() + backOffMs(rhythm, failures, random()) });
    },
    askNow(repository) {
      const known = silent.get(repository);
      if (known !== undefined) silent.set(repository, { ...known, dueMs: nowMs() });
    },
  };
}
