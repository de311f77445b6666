import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import { reconcileWorkflowId } from "../decide/ids.ts";
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
  readonly controller: Pick<ControllerClient, "expectAnswer" | "readLoop" | "wakeReconcile">;
  readonly log: Logger;
  readonly everyMs?: number;
}

const code = "temporal-silent";
const everyMs = 3_000;
const longestPauseMs = 15_000;
/** A server that starts again is away for so long: that is no trouble yet. */
const failuresBefore = 2;
/** The mesh's loop is looked at so rarely, in looks. */
const looksPerLoop = 10;
/** A task that fails once may be one that a worker's end cut off. */
const taskFailuresBefore = 3;

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
  const lookAtLoop = createLoopLook({ db, mesh, log }, controller);
  let looks = 0;
  return keepLooking({
    trouble: afterSome(failuresBefore, temporalTrouble({ db, mesh, log }, address)),
    log,
    failed: "Temporal does not answer",
    rhythm: { baseMs, longestMs: longestPauseMs },
    async look() {
      await controller.expectAnswer();
      if (looks % looksPerLoop === 0) await lookAtLoop();
      looks += 1;
      return "enough";
    },
  });
}

/**
 * Whether the mesh's loop goes on: Temporal answers also where each of its tasks fails, and tries that again for ever, while
 * nothing is compared, built, or sent by policy. A loop that is not there is begun: somebody ended it.
 */
function createLoopLook(
  parts: Reach,
  controller: Pick<ControllerClient, "readLoop" | "wakeReconcile">,
): () => Promise<void> {
  const { mesh } = parts;
  const workflow = reconcileWorkflowId(mesh);
  const trouble = watchTrouble(parts, {
    code: "loop-stuck",
    subject: workflow,
    urgent: true,
    what: `the mesh's loop does not go on, so that nothing is compared, built, or sent by policy; pushes are`,
    remedy: `see why its task fails: workflow ${workflow} in the Temporal UI. Terminated there, it is begun anew, and reads from the records what is to be done`,
  });
  return async () => {
    const state = await controller.readLoop(mesh);
    if (state.kind === "absent") await controller.wakeReconcile({ mesh, why: "the loop was not there" });
    if (state.kind === "failing" && state.times >= taskFailuresBefore)
      await trouble.failed(new Error(`its task failed ${state.times} times in a row`));
    else await trouble.fine();
  };
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
