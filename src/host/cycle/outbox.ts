import { atStep } from "../../core/failpoints.ts";
import type { Report, ReportPlace } from "../../core/report.ts";
import type { Controller } from "../controller.ts";
import { describeFailure } from "../describe-failure.ts";
import type { HostClock } from "../host-clock.ts";
import type { Log } from "../log.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { createWake } from "./wait.ts";

/** Holds the newest report and sends it until it is answered. An older one that was not sent yet is not needed. */
export interface Outbox {
  readonly put: (report: Report) => void;
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

/** While there is nothing to send it is only woken. */
const idleMs = 3_600_000;

export function createOutbox(options: OutboxOptions): Outbox {
  const wake = createWake(options.clock);
  let newest: Report | null = null;
  return {
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
        if (await send(report, failures, signal, options)) {
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
async function send(report: Report, failures: number, signal: AbortSignal, options: OutboxOptions): Promise<boolean> {
  const { controller, signReport, log, onWord, onBehind } = options;
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
    if (error instanceof Error && error.name === "RefusedError") {
      log.error("the controller refuses the report", { why: describeFailure(error), sequence: report.sequence });
    } else if (failures === 0) log.warn("the report is not sent yet", { why: describeFailure(error) });
    // absence is the answer: it is said above; `false` keeps the report and sends it again.
    return false;
  }
}
