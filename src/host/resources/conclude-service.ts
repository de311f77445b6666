import { cutText } from "../describe-failure.ts";
import type { Conclusion } from "./resource-handler.ts";
import type { ObservedService, WantedService } from "./service.ts";
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

/** What a read of a service shows, first match wins. A process that is there is not yet *applied* (R43, case 33). */
export function concludeService(wanted: WantedService, observed: ObservedService): Conclusion {
  return { ...judge(wanted, observed), ...describeEnding(observed) };
}

function describeEnding({ ended, run }: ObservedService): Pick<Conclusion, "drift"> {
  if (ended === null) return {};
  const again =
    run?.alive === true ? "; it was started again" : run?.startsAgain === true ? "; it is started again" : "";
  const how = cutText(/^(exit code|signal) /.test(ended) ? `ended with ${ended}` : ended, 450);
  return { drift: { wanted: "running", found: `${how}${again}` } };
}

function judge(wanted: WantedService, observed: ObservedService): Conclusion {
  const { run, health, nowMs } = observed;
  if (run === null) return { state: "failed", message: "not running" };
  if (run.spec !== wanted.spec.digest) return { state: "failed", message: "another version of it is running" };
  // The run was read after its check was answered: it is still there, and has been for a while.
  if (run.alive && nowMs - run.startedMs >= neededUpMs(wanted, run)) {
    if (wanted.health === null) return { state: "applied", message: "running" };
    if (health?.ok === true) return { state: "applied", message: `running and healthy: ${health.said}` };
  }
  const why = wanted.hasProvisions ? "; perhaps a provider has not made yet what it requires" : "";
  // The words stay the same from one ending to the next: the same failure is the same (R32).
  if (!run.alive || run.endings >= attemptsBeforeFailed) {
    const ending = run.lastEnding ?? "ended";
    // What it requires may come any moment: within its bound it may end as often as it likes.
    const mayComeYet = wanted.hasProvisions && nowMs - run.firstStartedMs < wanted.withinMs;
    const mayTry = run.endings < attemptsBeforeFailed || mayComeYet;
    if (mayTry) return { state: "waiting", message: `${ending}; it is started again` };
    return { state: "failed", message: `${ending}; it ends again and again${why}` };
  }
  if (health === null || health.ok) return { state: "waiting", message: "started; it is watched whether it stays" };
  if (nowMs - run.startedMs < wanted.withinMs) return { state: "waiting", message: `not healthy yet: ${health.said}` };
  const seconds = Math.round(wanted.withinMs / 1000);
  return { state: "un-ready", message: `not healthy within ${seconds} s: ${health.said}${why}` };
}

function neededUpMs(wanted: WantedService, run: ServiceRun): number {
  if (run.endings === 0) return settleMs;
  return wanted.health === null ? settleAfterEndingMs : settleAnsweringAfterEndingMs;
}
