import type { CliContext } from "./context.ts";
import { findMesh } from "./find-mesh.ts";
import { listModules } from "../store/modules.ts";
import { listNodes } from "../store/nodes.ts";
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
    const { db, mesh } = connection;
    const [nodes, modules] = await Promise.all([listNodes(db, mesh), listModules(db, mesh)]);
    return { nodes: nodes.map((node) => node.name), modules: modules.map((module) => module.name) };
  } finally {
    await connection.close();
  }
}
