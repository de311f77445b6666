import type { CommandCall } from "./command.ts";
import { explainNoAnswer } from "./explain-no-answer.ts";
import { findMesh } from "./find-mesh.ts";
import type { MeshConnection } from "./mesh-connection.ts";

/** Opens the mesh that a command is about, and closes it whatever happens. */
export async function withMesh<T>(call: CommandCall, use: (connection: MeshConnection) => Promise<T>): Promise<T> {
  const { context, options } = call;
  const connection = await context.openMesh(
    findMesh({ state: options.state, env: context.env, cwd: context.cwd }),
    call.as,
  );
  try {
    return await use(connection);
  } catch (error) {
    throw explainNoAnswer(error, connection.state);
  } finally {
    await connection.close();
  }
}
