import type { CliContext } from "./context.ts";
import { findMesh } from "./find-mesh.ts";
import { listModules } from "../store/modules.ts";
import { listNodes } from "../store/nodes.ts";
import { listRepositories } from "../store/repositories.ts";
import { sleep } from "./wait.ts";

export interface CompletionNames {
  readonly nodes: readonly string[];
  readonly modules: readonly string[];
  readonly repositories: readonly string[];
}

/** A shell waits for this between two key strokes. */
const patienceMs = 600;

/**
 * The mesh's names for completion. A mesh that is not there or does not answer in time completes nothing: completion
 * is a courtesy, and an error between two key strokes would help nobody.
 */
export async function loadCompletionNames(context: CliContext): Promise<CompletionNames> {
  const none: CompletionNames = { nodes: [], modules: [], repositories: [] };
  return await Promise.race([askForNames(context).catch(() => none), sleep(patienceMs).then(() => none)]);
}

async function askForNames(context: CliContext): Promise<CompletionNames> {
  const connection = await context.openMesh(
    findMesh({ state: undefined, env: context.env, cwd: context.cwd }),
    "viewer",
  );
  try {
    const { db, mesh } = connection;
    const lists = [listNodes(db, mesh), listModules(db, mesh), listRepositories(db, mesh)] as const;
    const [nodes, modules, repositories] = await Promise.all(lists);
    return { nodes: nodes.map(nameOf), modules: modules.map(nameOf), repositories: repositories.map(nameOf) };
  } finally {
    await connection.close();
  }
}

function nameOf(record: { readonly name: string }): string {
  return record.name;
}
