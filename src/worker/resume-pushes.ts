import type { Logger } from "pino";
import { countTold } from "../activities/count-told.ts";
import type { Name } from "../core/names.ts";
import type { Database } from "../store/database.ts";
import { endPush, getPush, listOpenPushes, listTold, type ToldRecord } from "../store/pushes.ts";
import type { ControllerClient } from "./client.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface ResumePushes {
  readonly db: Database;
  readonly mesh: Name;
  readonly controller: Pick<ControllerClient, "resumePush">;
  readonly mayAct: () => boolean;
  readonly log: Logger;
  readonly everyMs?: number;
}

const everyMs = 10_000;
const longestPauseMs = 300_000;

/**
 * A push that the records have as open and Temporal does not run is begun again from the records, under its own id: what
 * it told it does not tell again (R50, case 43). One that was cancelled, or that failed for good, is recorded as ended.
 */
export function resumePushes(options: ResumePushes): Watch {
  return keepLooking({
    ...options,
    trouble: watchTrouble(options, {
      code: "push-resume-failing",
      subject: "pushes",
      what: "open pushes could not be looked after",
      remedy: "see the controller's log; it tries again with growing pauses",
    }),
    failed: "open pushes could not be looked after",
    rhythm: { baseMs: options.everyMs ?? everyMs, longestMs: longestPauseMs },
    async look() {
      if (options.mayAct()) await resumeOnce(options);
      return "enough";
    },
  });
}

async function resumeOnce({ db, mesh, controller, log }: ResumePushes): Promise<void> {
  for (const push of await listOpenPushes(db, mesh)) {
    const isOpen = async (): Promise<boolean> => (await getPush(db, mesh, push.id))?.endedAt === null;
    const { kind, why } = await controller.resumePush(mesh, push, isOpen);
    if (kind === "resumed") log.warn({ push: push.id, why }, "a push is begun again from the records");
    if (kind === "over") {
      await endPush(db, mesh, push.id, describeEnd(push.id, why, await listTold(db, mesh, push.id)));
      log.warn({ push: push.id, why }, "a push that will not go on is recorded as ended");
    }
  }
}

/** With what it did until then: what it sent, it sent. */
function describeEnd(push: string, why: string, told: readonly ToldRecord[]): Parameters<typeof endPush>[3] {
  const { rounds, sent, held, notWorkedOut } = countTold(told);
  const counts = { rounds, sent, held, notWorkedOut, moving: [] };
  const until = sent === 0 ? "nothing was sent" : `it had sent to ${sent} ${sent === 1 ? "node" : "nodes"}`;
  return { push, outcome: "failed", ...counts, message: `${why} before it came to its end; ${until}` };
}
