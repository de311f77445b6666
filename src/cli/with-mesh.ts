import type { CommandCall } from "./command.ts";
import { explainNoAnswer } from "./explain-no-answer.ts";
import { findMesh } from "./find-mesh.ts";
import { LostLeaseError } from "./lost-lease-error.ts";
import type { MeshConnection } from "./mesh-connection.ts";

/** Opens the mesh that a command is about, and closes it whatever happens; a lost lease alone is answered before it is closed. */
export async function withMesh<T>(call: CommandCall, use: (connection: MeshConnection) => Promise<T>): Promise<T> {
  const { context, options } = call;
  const connection = await context.openMesh(
    findMesh({ state: options.state, env: context.env, cwd: context.cwd }),
    call.as,
  );
  let isLost = false;
  try {
    return await use(connection);
  } catch (error) {
    isLost = error instanceof LostLeaseError;
    throw explainNoAnswer(error, connection.state);
  } finally {
    const closed = connection.close();
    // absence is the answer: the process ends, and with it what this waits for
    if (isLost) closed.catch(() => undefined);
    else await closed;
  }
}
