import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import { clearCondition, type Observation, observeCondition } from "../store/conditions.ts";
import type { Queryable } from "../store/database.ts";

/** The condition of one background loop: open while it does not get on, closed by its first success (R33). */
export interface LoopTrouble {
  /** Never rejects: what cannot be kept is in the log. */
  failed(error: unknown): Promise<void>;
  /** Cheap while nothing was wrong. The first one ends what a controller before left open. */
  fine(): Promise<void>;
}

export interface TroubleOf extends Pick<Observation, "code" | "subject" | "remedy"> {
  /** When somebody should look now. Left out: no. */
  readonly urgent?: boolean;
  /** What does not work, as the beginning of a sentence. */
  readonly what: string;
}

export function watchTrouble(
  { db, mesh, log }: { readonly db: Queryable; readonly mesh: Name; readonly log: Logger },
  { what, urgent = false, ...condition }: TroubleOf,
): LoopTrouble {
  let isOpen = true;
  // One write after the other: a loss and the success behind it are told in one moment, on two connections.
  let last: Promise<void> = Promise.resolve();
  const inOrder = (act: () => Promise<void>): Promise<void> => {
    last = last.then(act);
    return last;
  };
  const keep = async (write: () => Promise<unknown>): Promise<boolean> => {
    try {
      await write();
      return true;
    } catch (error) {
      log.error({ err: error, code: condition.code }, "a condition could not be kept in the records");
      // absence is the answer: whether it was kept is the question, and a loop goes on without its condition.
      return false;
    }
  };
  return {
    failed: (error) =>
      inOrder(async () => {
        isOpen = true;
        const message = `${what}: ${error instanceof Error ? error.message : String(error)}`;
        await keep(() => observeCondition(db, mesh, { ...condition, message, urgent }));
      }),
    fine: () =>
      inOrder(async () => {
        if (isOpen && (await keep(() => clearCondition(db, mesh, condition)))) isOpen = false;
      }),
  };
}
