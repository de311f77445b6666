import { atStep } from "../../core/failpoints.ts";
import type { Report, ReportPlace } from "../../core/report.ts";
import type { Controller } from "../controller.ts";
import { RefusedError } from "../../link/refused-error.ts";
import { cutText, describeFailure } from "../describe-failure.ts";
import type { HostClock } from "../host-clock.ts";
import type { Log } from "../log.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { createWake } from "./wait.ts";

/** Holds the newest report and sends it until it is answered. An older one that was not sent yet is not needed. */
export interface Outbox {
  readonly put: (report: Report) => void;
  /** What the controller answered it cannot read, since this start: put aside, and not sent again. Null: nothing. */
  readonly unread: NonNullable<Report["unread"]> | null;
  run(signal: AbortSignal): Promise<void>;
}

export interface OutboxOptions {
  readonly controller: Pick<Controller, "sendReport">;
  /** The signed bytes that travel. */
  readonly signReport: (report: Report) => Uint8Array;
  readonly clock: HostClock;
  readonly log: Log;
  readonly chance: () => number;
  /** The controller has answered. */
  readonly onWord: () => void;
  /** It keeps this one of this host, which comes after what was sent. */
  readonly onBehind: (kept: ReportPlace) => void;
}

/** What its bytes are refused for, whoever sends them again: they do not read, or are too many. */
const unreadStatuses: readonly number[] = [400, 413];
const whyLimit = 500;

/** While there is nothing to send it is only woken. */
const idleMs = 3_600_000;

export function createOutbox(options: OutboxOptions): Outbox {
  const wake = createWake(options.clock);
  let newest: Report | null = null;
  let unread: Outbox["unread"] = null;
  const onUnread = (why: string): number => {
    unread = { count: (unread?.count ?? 0) + 1, why: cutText(why, whyLimit) };
    return unread.count;
  };
  return {
    get unread() {
      return unread;
    },
    put(report) {
      newest = report;
      wake.look();
    },
    async run(signal) {
      let failures = 0;
      while (!signal.aborted) {
        const report = newest;
        if (report === null) {
          await wake.wait(idleMs, signal);
          continue;
        }
        if (await send(report, failures, signal, { ...options, onUnread })) {
          failures = 0;
          if (newest === report) newest = null;
          continue;
        }
        failures += 1;
        await options.clock.wait(retryDelayMs(failures, options.chance()), signal);
      }
    },
  };
}

/** Whether it was answered. An answer of *no* is one: the same report again would get the same. */
async function send(
  report: Report,
  failures: number,
  signal: AbortSignal,
  options: OutboxOptions & { readonly onUnread: (why: string) => number },
): Promise<boolean> {
  const { controller, signReport, log, onWord, onBehind, onUnread } = options;
  try {
    const answer = await atStep("host.report", () => controller.sendReport(signReport(report), signal));
    onWord();
    if (!answer.kept) {
      log.warn("the controller does not keep the report", { why: answer.why, sequence: report.sequence });
      if (answer.behind !== null) onBehind(answer.behind);
    }
    return true;
  } catch (error) {
    // absence is the answer: the host stops: the report goes with the next start.
    if (signal.aborted) return false;
    if (error instanceof RefusedError && unreadStatuses.includes(error.status)) {
      onWord();
      const count = onUnread(error.reason);
      log.error("the controller cannot read the report: it is put aside", {
        why: describeFailure(error),
        sequence: report.sequence,
        count,
      });
      return true;
    }
    if (error instanceof RefusedError) {
      log.error("the controller refuses the report", { why: describeFailure(error), sequence: report.sequence });
    } else if (failures === 0) log.warn("the report is not sent yet", { why: describeFailure(error) });
    // absence is the answer: it is said above; `false` keeps the report and sends it again.
    return false;
  }
}
