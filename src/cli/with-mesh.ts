import { sayRoom } from "../core/tight-disk.ts";
import type { CommandCall } from "./command.ts";
import { explainFailure } from "./explain-no-answer.ts";
import { findMesh } from "./find-mesh.ts";
import { LostLeaseError } from "./lost-lease-error.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import { findFullDisk } from "./own-disk.ts";

/** Opens the mesh that a command is about, and closes it whatever happens; a lost lease alone is answered before it is closed. */
export async function withMesh<T>(call: CommandCall, use: (connection: MeshConnection) => Promise<T>): Promise<T> {
  const { context, options } = call;
  const connection = await context.openMesh(
    findMesh({ state: options.state, env: context.env, cwd: context.cwd }),
    call.as,
  );
  let isLost = false;
  try {
    if (call.as !== "viewer") await warnOfFullDisk(call, connection);
    return await use(connection);
  } catch (error) {
    isLost = error instanceof LostLeaseError;
    throw await explainFailure(error, { context, state: connection.state });
  } finally {
    const closed = connection.close();
    // absence is the answer: the process ends, and with it what this waits for
    if (isLost) closed.catch(() => undefined);
    else await closed;
  }
}

/** What acts writes, and where the records lie on that disk nobody can keep a condition about it. */
async function warnOfFullDisk({ context }: CommandCall, { state }: MeshConnection): Promise<void> {
  const disk = await findFullDisk(context, state);
  if (disk !== null)
    context.stderr.write(
      `mesh: the disk of ${state} is full (${sayRoom(disk)}): what is written there fails until there is room\n`,
    );
}
