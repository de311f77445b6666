import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import type { Queryable } from "../store/database.ts";
import type { ControllerClient } from "./client.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { type LoopTrouble, watchTrouble } from "./note-trouble.ts";

export interface WatchTemporal {
  /** Temporal is what does not answer: the condition goes to PostgreSQL from here. */
  readonly db: Queryable;
  readonly mesh: Name;
  /** For people: where it is asked. */
  readonly address: string;
  /** Fails where there is no answer within `answerMs`. */
  readonly controller: Pick<ControllerClient, "expectAnswer">;
  readonly log: Logger;
  readonly everyMs?: number;
}

const everyMs = 3_000;
const longestPauseMs = 15_000;
/** A server that starts again is away for so long: that is no trouble yet. */
const failuresBefore = 2;

/** Asks Temporal whether it answers: nothing is compared, built or pushed while it does not, and only this says so (R33). */
export function watchTemporal({ db, mesh, address, controller, log, everyMs: baseMs = everyMs }: WatchTemporal): Watch {
  const failed = "Temporal does not answer";
  const trouble = watchTrouble(
    { db, mesh, log },
    {
      code: "temporal-silent",
      subject: address,
      what: `Temporal at ${address} does not answer, so that nothing is compared, built or pushed`,
      remedy: "see whether it runs and can be reached: npm start brings up the mesh's own; it goes on by itself",
    },
  );
  return keepLooking({
    trouble: afterSome(failuresBefore, trouble),
    log,
    failed,
    rhythm: { baseMs, longestMs: longestPauseMs },
    async look() {
      await controller.expectAnswer();
      return "enough";
    },
  });
}

/** Trouble only from so many failures in a row on. */
function afterSome(count: number, trouble: LoopTrouble): LoopTrouble {
  let failures = 0;
  return {
    async failed(error) {
      failures += 1;
      if (failures >= count) await trouble.failed(error);
    },
    async fine() {
      failures = 0;
      await trouble.fine();
    },
  };
}
