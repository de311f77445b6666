import type { Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import { sealSecret } from "../link/sealing.ts";
import type { Transaction } from "../store/database.ts";
import { listNodes, type NodeRecord } from "../store/nodes.ts";
import { insertSealedBoxes } from "../store/sealed-boxes.ts";

/**
 * Credentials of new provisions, sealed once to the consumer's host and once to the provider's. The clear password
 * lives in this function only (R46).
 */
export async function sealMints(
  tx: Transaction,
  deps: { readonly mesh: Name; readonly makePassword: () => string },
  mints: readonly Provision[],
): Promise<void> {
  const nodes = new Map((await listNodes(tx, deps.mesh)).map((node) => [node.name, node]));
  for (const mint of mints) {
    const password = deps.makePassword();
    const recipients = new Set([mint.consumer.node, mint.provider.node]);
    for (const name of recipients) {
      const { incarnation, keys } = enrolled(nodes, name);
      const secret = { node: name, provision: mint.id, version: mint.version, user: mint.name, password };
      const box = await sealSecret(secret, keys.seal);
      await insertSealedBoxes(tx, deps.mesh, { node: name, incarnation }, [
        { provision: mint.id, version: mint.version, box },
      ]);
    }
  }
}

function enrolled(
  nodes: ReadonlyMap<Name, NodeRecord>,
  name: Name,
): { incarnation: string; keys: NonNullable<NodeRecord["keys"]> } {
  const node = nodes.get(name);
  if (node === undefined || node.incarnation === null || node.keys === null)
    throw new Error(`${name} has no enrolled host to seal credentials to, though a provision for it was composed`);
  return { incarnation: node.incarnation, keys: node.keys };
}
