import { hasErrorCode } from "../../core/errors.ts";
import { describeFailure } from "../describe-failure.ts";
import type { Log } from "../log.ts";

export interface MakeRoom {
  readonly log: Log;
  /** Removes what nothing needs any more, and answers what that was. */
  readonly collect: () => Promise<readonly string[]>;
}

/**
 * Does it, and where there is no space removes what nothing needs any more and does it once more. Else a disk that is
 * full of old artifacts stays full: they go after a pass, and no pass would get so far (case 47).
 */
export async function makingRoom<T>({ log, collect }: MakeRoom, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasErrorCode(error, "ENOSPC", "EDQUOT")) throw error;
    const collected = await collectFor(error, { log, collect });
    log.warn("no space: old artifacts were collected, it is tried again", { which: collected.join(", ") });
    return work();
  }
}

/** Throws what has failed where that leaves no more room than there was. */
async function collectFor(failure: unknown, { log, collect }: MakeRoom): Promise<readonly string[]> {
  let collected;
  try {
    collected = await collect();
  } catch (error) {
    log.warn("old artifacts could not be collected", { why: describeFailure(error) });
    throw failure;
  }
  if (collected.length === 0) throw failure;
  return collected;
}
