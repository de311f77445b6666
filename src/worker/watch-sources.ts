import type { Logger } from "pino";
import { UnavailableError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { lookAtSources, type LookDependencies } from "../activities/look-at-sources.ts";
import type { SilentSources } from "../activities/silent-sources.ts";
import { backOffMs } from "../decide/back-off.ts";
import { dueWords } from "../decide/own-reasons.ts";
import { readBuiltWith } from "../store/build-surroundings.ts";
import { describeDue } from "../store/due-work.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface SourceWatch {
  /** A webhook named this repository: look now, and again for a while where its server still answers the old tip (case 2). */
  lookSoon(repository: Name): void;
  stop(): Promise<void>;
}

export interface WatchOptions extends LookDependencies {
  /** Shared with comparisons: neither asks what did not answer the other a moment ago. */
  readonly silent: SilentSources;
  readonly pollIntervalMs: number;
  readonly lostAfterMs: number;
  readonly describeToolchains: () => Readonly<Record<string, string>>;
  readonly wake: (why: string) => Promise<void>;
  readonly log: Logger;
  readonly random: () => number;
}

/** After a webhook the tip is asked again after these waits: a forge may announce before it answers. */
const soonMs = [0, 500, 1_000, 2_000, 4_000, 8_000];
const longestPauseMs = 60_000;
/** Where a wake did not come through, it is sent again within this. */
const longestUnheardMs = 15_000;
/** What stays due for the same reason wakes less and less often: each wake costs history. */
const longestRepeatMs = 300_000;

/**
 * Asks the sources for their tips outside of Temporal, so that an idle mesh costs no history, and wakes reconcile when
 * the records show that something is due: a tip that was not compared, a module never looked at, a build to be tried
 * again, or another toolchain on this machine. It compares records and counts no events, so a wake that was lost is sent again at the next look (R7).
 */
export function watchSources(options: WatchOptions): SourceWatch {
  const stopped = new AbortController();
  const soon = new Map<Name, number>();
  let nudge: () => void = () => undefined;
  let lookedAtAllMs = Number.NEGATIVE_INFINITY;
  const wakeIfDue = createDueWaker(options);
  const { silent } = options;
  const trouble = watchTrouble(options, {
    code: "source-watch-failing",
    subject: "sources",
    what: "the sources could not be looked at",
    remedy: "see the controller's log; it tries again with growing pauses",
  });
  const running = loop();

  async function loop(): Promise<void> {
    let failures = 0;
    while (!stopped.signal.aborted) {
      try {
        await look([...soon.keys()]);
        failures = 0;
        await trouble.fine();
      } catch (error) {
        // What was cut off by the stop is no trouble.
        if (stopped.signal.aborted) break;
        failures += 1;
        options.log.error({ err: error, failures }, "looking at the sources failed");
        await trouble.failed(error);
      }
      await pause(nextPauseMs(options, soon, failures));
    }
  }

  /** Repositories that a webhook named; all of them when the interval is over, however many webhooks come. */
  async function look(only: readonly Name[]): Promise<void> {
    const nowMs = performance.now();
    const isOfAll = only.length === 0 || nowMs - lookedAtAllMs >= options.pollIntervalMs;
    const isAsked = (repository: Name): boolean => (isOfAll ? silent.isDue(repository) : only.includes(repository));
    // Who stops has the lease to give back: no source is waited for (R34).
    await lookAtSources(options, { isAsked, onLook: silent.heard, signal: stopped.signal });
    if (isOfAll) lookedAtAllMs = nowMs;
    await wakeIfDue();
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, ms);
      function end(): void {
        clearTimeout(timer);
        stopped.signal.removeEventListener("abort", end);
        resolve();
      }
      stopped.signal.addEventListener("abort", end, { once: true });
      nudge = end;
    });
  }

  return {
    lookSoon(repository) {
      soon.set(repository, 0);
      // Before the wake that follows: its comparison asks it too.
      silent.askNow(repository);
      nudge();
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

/** Until the nearest look; a step further for each repository that a webhook named. */
function nextPauseMs(options: WatchOptions, soon: Map<Name, number>, failures: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (const [repository, step] of soon) {
    const waitMs = soonMs[step + 1];
    if (waitMs === undefined) soon.delete(repository);
    else {
      soon.set(repository, step + 1);
      shortest = Math.min(shortest, waitMs);
    }
  }
  if (shortest !== Number.POSITIVE_INFINITY) return shortest;
  return backOffMs({ baseMs: options.pollIntervalMs, longestMs: longestPauseMs }, failures, options.random());
}

/** Wakes for a new reason at once, and for the one before again after a pause that doubles. */
function createDueWaker(options: WatchOptions): () => Promise<void> {
  let last = { why: "", pauseMs: 0, againMs: 0 };
  let unheard = 0;
  return async () => {
    const due = await describeDue(options.db, options.mesh, options.lostAfterMs);
    const why = due ?? (await describeNewToolchains(options));
    if (why === null) {
      last = { why: "", pauseMs: 0, againMs: 0 };
      return;
    }
    const nowMs = performance.now();
    if (why === last.why && nowMs < last.againMs) return;
    try {
      await options.wake(why);
      unheard = 0;
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      // The sources were looked at all the same: that Temporal does not answer is said by who watches it.
      options.log.warn({ err: error, why }, "what is due could not be said to the mesh's loop");
      unheard += 1;
    }
    if (unheard > 0) {
      const rhythm = { baseMs: options.pollIntervalMs / 2, longestMs: longestUnheardMs };
      last = { why, pauseMs: 0, againMs: performance.now() + backOffMs(rhythm, unheard, options.random()) };
      return;
    }
    const pauseMs = why === last.why ? Math.min(last.pauseMs * 2, longestRepeatMs) : options.pollIntervalMs / 2;
    last = { why, pauseMs, againMs: nowMs + pauseMs };
  };
}

/** Null: what is installed is what the last comparison planned with. */
async function describeNewToolchains({ db, mesh, describeToolchains }: WatchOptions): Promise<string | null> {
  const known = await readBuiltWith(db, mesh);
  if (known === null) return null;
  const moved = Object.entries(describeToolchains()).filter(([language, text]) => known.toolchains[language] !== text);
  return moved.length === 0 ? null : `${dueWords.toolchains}: ${moved.map(([language]) => language).join(", ")}`;
}
