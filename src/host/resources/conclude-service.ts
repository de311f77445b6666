import { cutText } from "../describe-failure.ts";
import type { Conclusion } from "./resource-handler.ts";
import type { ObservedService, WantedService } from "./service.ts";
import { endsAgain, isExit } from "../supervisor/ending-words.ts";
import { attemptsBeforeFailed } from "../supervisor/restart-delay.ts";
import type { ServiceRun } from "../supervisor/service-run.ts";

/**
 * A process that ends at once was alive for a moment, and meanwhile another program may have answered its health check
 * on the same port: it must have stayed.
 */
const settleMs = 1000;
/** One that has just ended is watched longer, */
const settleAfterEndingMs = 10_000;
/** but not so long when it answers: a slow machine takes about this long to let a program find its port taken. */
const settleAnsweringAfterEndingMs = 3000;
/** and longer than the process that ended before it, which may have been as slow: so many times as long. */
const outliveFactor = 2;

/** What a read of a service shows, first match wins. A process that is there is not yet *applied* (R43, case 33). */
export function concludeService(wanted: WantedService, observed: ObservedService): Conclusion {
  return { ...judge(wanted, observed), ...describeEnding(observed) };
}

function describeEnding({ ended, run }: ObservedService): Pick<Conclusion, "drift"> {
  if (ended === null) return {};
  const again =
    run?.alive === true ? "; it was started again" : run?.startsAgain === true ? "; it is started again" : "";
  const how = cutText(isExit(ended) ? `ended with ${ended}` : ended, 450);
  return { drift: { wanted: "running", found: `${how}${again}` } };
}

function judge(wanted: WantedService, observed: ObservedService): Conclusion {
  const { run, health, nowMs } = observed;
  if (run === null) return { state: "failed", message: "not running" };
  if (run.spec !== wanted.spec.digest) return { state: "failed", message: "another version of it is running" };
  const upMs = nowMs - run.startedMs;
  // The run was read after its check was answered: it is still there, and has been for a while.
  const hasStayed = run.alive && upMs >= neededUpMs(wanted, run);
  if (hasStayed) {
    if (wanted.health === null) return { state: "applied", message: "running" };
    if (health?.ok === true) return { state: "applied", message: `running and healthy: ${health.said}` };
  }
  const why = wanted.hasProvisions ? "; perhaps a provider has not made yet what it requires" : "";
  if (!run.alive || run.endings >= attemptsBeforeFailed) {
    // What it requires may come any moment: within its bound it may end as often as it likes.
    const mayComeYet = wanted.hasProvisions && nowMs - run.firstStartedMs < wanted.withinMs;
    const isFailed = run.endings >= attemptsBeforeFailed && !mayComeYet;
    return { state: isFailed ? "failed" : "waiting", message: `${sayEndings(run)}${isFailed ? why : ""}` };
  }
  const isIll = health !== null && !health.ok;
  // Whatever answers at its address, it may be another program: until it has stayed, how it ended is what is known of it.
  const isEnding = run.endings > 0 && !(hasStayed && isIll);
  const before = run.endings > 0 ? `${run.lastEnding ?? "ended"}; it was started again; ` : "";
  if (isIll && upMs >= wanted.withinMs) {
    const seconds = Math.round(wanted.withinMs / 1000);
    return { state: "un-ready", message: `${before}not healthy within ${seconds} s: ${health.said}${why}` };
  }
  if (isEnding) return { state: "waiting", message: sayEndings(run) };
  if (isIll) return { state: "waiting", message: `${before}not healthy yet: ${health.said}` };
  return { state: "waiting", message: "started; it is watched whether it stays" };
}

/**
 * How it ended, and how often as far as it matters. The same words while it waits for its next start and while that
 * runs, and from the third ending to any later one: the same failure is the same (R32).
 */
function sayEndings({ lastEnding, endings }: ServiceRun): string {
  const ending = lastEnding ?? "ended";
  if (endings >= attemptsBeforeFailed) return `${ending}; ${endsAgain}`;
  return `${ending}; ${endings === 2 ? "it has ended twice and" : "it"} is started again`;
}

/** Milliseconds that the process must have run before it is believed to stay. */
function neededUpMs(wanted: WantedService, { endings, lastRanMs }: ServiceRun): number {
  if (endings === 0) return settleMs;
  const leastMs = wanted.health === null ? settleAfterEndingMs : settleAnsweringAfterEndingMs;
  // A run longer than it may take to be healthy was no failing start, unless that is how it goes again and again.
  if (lastRanMs === null || (endings < attemptsBeforeFailed && lastRanMs > wanted.withinMs)) return leastMs;
  // One that ends five seconds after each start is alive and answered for at its fourth.
  return Math.max(leastMs, outliveFactor * lastRanMs);
}
