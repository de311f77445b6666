import { Context } from "@temporalio/activity";
import type { Digest, Name } from "../core/names.ts";
import { recordVerdict } from "../store/builds.ts";
import type { Database } from "../store/database.ts";

/** Whoever ended it wanted it to end: it is not begun again at once. */
const pauseMs = 120_000;

/**
 * A build that somebody ended in Temporal runs no more, and has no verdict: *outstanding* (R11), and not *building* until its
 * worker counts as lost. An attempt that was taken over by another one changes nothing.
 */
export async function noteGivenUp(
  { db, mesh }: { readonly db: Database; readonly mesh: Name },
  { module, inputs, attempt }: { readonly module: Name; readonly inputs: Digest; readonly attempt: number },
): Promise<void> {
  const { log } = Context.current();
  const message = "its build was cancelled, or ended, in Temporal before it had a verdict";
  try {
    await recordVerdict(db, mesh, {
      module,
      inputs,
      attempt,
      verdict: { verdict: "outstanding", class: "lost-worker", message },
      logTail: "",
      retryInMs: pauseMs,
    });
  } catch (error) {
    // Whoever asked is gone, and what ended the build is thrown on: it counts as lost once nobody was heard of for long enough.
    log.warn("it could not be kept that a build was given up", { module, error: String(error) });
  }
}
