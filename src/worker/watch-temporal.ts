import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import { clearOtherConditions } from "../store/conditions.ts";
import type { Queryable } from "../store/database.ts";
import type { ControllerClient } from "./client.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { type LoopTrouble, watchTrouble } from "./note-trouble.ts";
import { connectClient, connectWorker } from "./temporal/connect-temporal.ts";
import type { TemporalServer } from "./temporal/temporal-server.ts";

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

const code = "temporal-silent";
const everyMs = 3_000;
const longestPauseMs = 15_000;
/** A server that starts again is away for so long: that is no trouble yet. */
const failuresBefore = 2;

type Reach = Pick<WatchTemporal, "db" | "mesh" | "log">;

function temporalTrouble(parts: Reach, address: string): LoopTrouble {
  return watchTrouble(parts, {
    code,
    subject: address,
    what: `Temporal at ${address} does not answer, so that nothing is compared, built or pushed`,
    remedy: "see whether it runs and can be reached: npm start brings up the mesh's own; it goes on by itself",
  });
}

export interface TemporalReached {
  readonly connection: Awaited<ReturnType<typeof connectClient>>;
  readonly native: Awaited<ReturnType<typeof connectWorker>>;
}

/**
 * Connects a controller that starts. One that Temporal does not answer ends, and its lease with it: the condition stays, and
 * the first question that is answered closes it (R33). The client asks first: it gives up three times sooner.
 */
export async function reachTemporal(parts: Reach, server: TemporalServer): Promise<TemporalReached> {
  // The address may have been the fault: nobody asks at another one any more.
  await clearOtherConditions(parts.db, parts.mesh, { code, subject: server.address });
  try {
    const connection = await connectClient(server);
    try {
      return { connection, native: await connectWorker(server) };
    } catch (error) {
      await connection.close();
      throw error;
    }
  } catch (error) {
    await temporalTrouble(parts, server.address).failed(error);
    throw error;
  }
}

/** Asks Temporal whether it answers: nothing is compared, built or pushed while it does not, and only this says so (R33). */
export function watchTemporal({ db, mesh, address, controller, log, everyMs: baseMs = everyMs }: WatchTemporal): Watch {
  return keepLooking({
    trouble: afterSome(failuresBefore, temporalTrouble({ db, mesh, log }, address)),
    log,
    failed: "Temporal does not answer",
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
