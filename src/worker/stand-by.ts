import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import type { Queryable } from "../store/database.ts";
import { announceStandby, withdrawStandby } from "../store/standbys.ts";

/** Well within the age of a lease, after which nobody counts a standby that is silent. */
const everyMs = 5_000;

export interface StandBy {
  /** It acts now, or ends. */
  stop(): Promise<void>;
}

/** Says in the records that this controller waits for the lease, again and again; who is killed goes by its age. */
export function standBy(db: Queryable, who: { mesh: Name; holder: string }, log: Logger): StandBy {
  const stopped = new AbortController();
  const running = loop();

  async function loop(): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        await announceStandby(db, who.mesh, who.holder);
      } catch (error) {
        // Whether it may act is asked of the lease, not of this row.
        log.warn({ err: error }, "that this controller stands by could not be kept in the records");
      }
      // absence is the answer: stopped while it waited
      await sleep(everyMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  }

  return {
    async stop() {
      stopped.abort();
      await running;
      try {
        await withdrawStandby(db, who.mesh, who.holder);
      } catch (error) {
        log.warn(
          { err: error },
          "that this controller stands by no more could not be kept; it is forgotten by its age",
        );
      }
    },
  };
}
