import { UnavailableError } from "../core/errors.ts";
import { openStateFolder } from "../embedded/state-folder.ts";
import { providePostgres } from "../embedded/provide-postgres.ts";
import type { CommandCall } from "./command.ts";
import { interrupted } from "./interrupted.ts";
import { type MeshConnection, readDatabaseUrl } from "./mesh-connection.ts";
import { keepPorts } from "./up/up-plan.ts";

/**
 * Where nothing answers and the server is this state folder's own, it runs for as long as this takes. After Ctrl-C it is
 * ended first, and with it what `act` has begun.
 */
export async function withRecords<T>(
  call: CommandCall,
  { db, state, paths }: Pick<MeshConnection, "db" | "state" | "paths">,
  act: () => Promise<T>,
): Promise<T> {
  if (await answers(db)) return act();
  const interrupt = call.context.listenForInterrupt();
  const say = (line: string): void => call.context.stderr.write(`${line}\n`);
  // Refused where `mesh up` has it: then it is for that one to say why the records do not answer.
  const folder = await openStateFolder({ path: state, progress: say });
  try {
    const { postgres: port } = await keepPorts(folder);
    if (!isOwn(await readDatabaseUrl(paths.databaseUrl), port)) return await act();
    const { env } = call.context;
    const server = await providePostgres({ env, paths: folder.paths, port, signal: interrupt, progress: say });
    const acting = interrupt.aborted ? null : act();
    try {
      return await Promise.race([acting ?? untilInterrupted(interrupt), untilInterrupted(interrupt)]);
    } finally {
      // Its sessions end with it; what was under way then puts away what it made.
      if (interrupt.aborted) await server.stop();
      // absence is the answer: how it ended is what the race above throws, or that it was interrupted
      await Promise.allSettled([acting]);
      await db.end();
      await server.stop();
    }
  } finally {
    await folder.release();
  }
}

/** The address that `mesh up` wrote for the server which it starts itself. A server of somebody else's is not ours to start. */
function isOwn(address: string, port: number): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  return url.hostname === "127.0.0.1" && url.port === String(port);
}

async function untilInterrupted(interrupt: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (interrupt.aborted) resolve();
    else interrupt.addEventListener("abort", () => resolve(), { once: true });
  });
  throw interrupted();
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
