import { answerForError } from "./answer-for-error.ts";
import { openController } from "./controller.ts";
import type { MeshConnection } from "./mesh-connection.ts";

/**
 * Tells the controller that there may be something to do. Only makes it sooner (R7): the record is kept already, so
 * where nobody answers the command has still done its work, and says so.
 */
export async function wakeController(
  connection: MeshConnection,
  why: string,
): Promise<{ readonly asked: true } | { readonly asked: false; readonly why: string }> {
  try {
    const controller = await openController(connection);
    try {
      await controller.wake(why);
    } finally {
      await controller.close();
    }
    return { asked: true };
  } catch (error) {
    const answer = answerForError(error);
    if (answer.kind !== "unavailable") throw error;
    return { asked: false, why: answer.message };
  }
}
