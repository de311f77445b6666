import { UnavailableError } from "../core/errors.ts";
import { openStateFolder } from "../embedded/state-folder.ts";
import { providePostgres } from "../embedded/provide-postgres.ts";
import type { CommandCall } from "./command.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import { keepPorts } from "./up/up-plan.ts";

/** Where nothing answers and the server is this state folder's own, it runs for as long as this takes. */
export async function withRecords<T>(
  call: CommandCall,
  { db, state }: MeshConnection,
  act: () => Promise<T>,
): Promise<T> {
  if (await answers(db)) return act();
  const say = (line: string): void => call.context.stderr.write(`${line}\n`);
  // Refused where `mesh up` has it: then it is for that one to say why the records do not answer.
  const folder = await openStateFolder({ path: state, progress: say });
  try {
    const { postgres: port } = await keepPorts(folder);
    const server = await providePostgres({ env: call.context.env, paths: folder.paths, port, progress: say });
    try {
      return await act();
    } finally {
      await db.end();
      await server.stop();
    }
  } finally {
    await folder.release();
  }
}

async function answers(db: MeshConnection["db"]): Promise<boolean> {
  try {
    await db.query("select 1");
    return true;
  } catch (error) {
    // absence is the answer: whether anything answers is the question.
    if (error instanceof UnavailableError) return false;
    throw error;
  }
}
