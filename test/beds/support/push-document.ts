import { z } from "zod";
import type { BedMesh } from "./bed-mesh.ts";

export const pushDocumentSchema = z.object({
  push: z.string(),
  outcome: z.string(),
  rounds: z.number(),
  nodes: z.array(
    z.object({ node: z.string(), round: z.number(), outcome: z.string(), why: z.string(), effect: z.string() }),
  ),
});
export type PushRows = z.infer<typeof pushDocumentSchema>;

/** `mesh push` of these nodes, until it is applied everywhere that was told: exit code 0 or an error. */
export async function pushNodes(mesh: BedMesh, ...nodes: string[]): Promise<PushRows> {
  return pushDocumentSchema.parse(await mesh.ask("push", ...nodes, "--timeout", "90"));
}

/** `node-b round 1 sent applied`, by round and node. */
export function listRows(push: PushRows): string[] {
  return push.nodes.map((one) => `${one.node} round ${one.round} ${one.outcome} ${one.effect}`);
}
