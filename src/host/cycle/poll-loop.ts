import type { Controller } from "../controller.ts";
import { describeFailure } from "../describe-failure.ts";
import type { HostClock } from "../host-clock.ts";
import type { Log } from "../log.ts";
import { orderOf, type OpenInbox, type Received } from "./inbox.ts";
import { retryDelayMs } from "./retry-delay.ts";

export interface PollOptions {
  readonly controller: Pick<Controller, "fetchDeclaration">;
  readonly inbox: OpenInbox;
  readonly log: Log;
  readonly clock: HostClock;
  readonly chance: () => number;
  /** The controller has answered. */
  readonly onWord: () => void;
  /** Something was accepted, refused, could not be written down, or need not be any more. */
  readonly onChange: (what: Received | "overtaken") => void;
}

/** As long as the gateway lets a request wait, less what the way takes. */
const waitMs = 50_000;
/** An answer of *nothing* that came this soon was not waited for. */
const soonMs = 1_000;

/** Asks for what is newer than what the host has, again and again. The controller away changes nothing here (R44). */
export async function pollLoop(options: PollOptions, signal: AbortSignal): Promise<void> {
  const { controller, inbox, log, clock, chance, onWord, onChange } = options;
  let failures = 0;
  let refusals = 0;
  let soon = 0;
  while (!signal.aborted) {
    const askedMs = clock.nowMs();
    try {
      const envelope = await controller.fetchDeclaration(orderOf(inbox.accepted), waitMs, signal);
      if (failures > 0) log.info("the controller answers again", { failures });
      failures = 0;
      onWord();
      if (envelope === null) {
        // Records that were put back to an earlier day offer nothing instead.
        if (inbox.overtake()) onChange("overtaken");
        // The gateway lets one question of a node wait: of two copies of a host each would end the other's at once.
        soon = clock.nowMs() - askedMs < soonMs ? soon + 1 : 0;
        if (soon > 0) await clock.wait(retryDelayMs(soon, chance()), signal);
        continue;
      }
      soon = 0;
      const what = await inbox.receive(envelope);
      onChange(what);
      // The same document comes again at once: asking for it may not become a loop without a pause.
      refusals = what === "accepted" ? 0 : refusals + 1;
      if (what !== "accepted") await clock.wait(retryDelayMs(refusals, chance()), signal);
    } catch (error) {
      // absence is the answer: the host stops, that is why the request ended.
      if (signal.aborted) return;
      if (failures === 0)
        log.warn("no word from the controller: going on with what is here", { why: describeFailure(error) });
      failures += 1;
      await clock.wait(retryDelayMs(failures, chance()), signal);
    }
  }
}
