import type { CliContext } from "./context.ts";
import { findMesh } from "./find-mesh.ts";
import { sleep } from "./wait.ts";

export interface CompletionNames {
  readonly nodes: readonly string[];
  readonly modules: readonly string[];
}

/** A shell waits for this between two key strokes. */
const patienceMs = 600;

/**
 * The mesh's names for completion. A mesh that is not there or does not answer in time completes nothing: completion
 * is a courtesy, and an error between two key strokes would help nobody.
 */
export async function loadCompletionNames(context: CliContext): Promise<CompletionNames> {
  const none: CompletionNames = { nodes: [], modules: [] };
  return await Promise.race([askForNames(context).catch(() => none), sleep(patienceMs).then(() => none)]);
}

async function askForNames(context: CliContext): Promise<CompletionNames> {
  const connection = await context.openMesh(findMesh({ state: undefined, env: context.env, cwd: context.cwd }));
  try {
    const answer = await connection.db.query(
      `select 'node' as kind, name from node where mesh = $1 union all select 'module', name from module where mesh = $1 order by 2 limit 2000`,
      [connection.mesh],
    );
    const rows = answer.rows as readonly { kind: string; name: string }[];
    return {
      nodes: rows.filter((row) => row.kind === "node").map((row) => row.name),
      modules: rows.filter((row) => row.kind === "module").map((row) => row.name),
    };
  } finally {
    await connection.close();
  }
}
