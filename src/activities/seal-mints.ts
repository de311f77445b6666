import type { Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { NodeRecord } from "../store/nodes.ts";
import type { GateRecords } from "./push-records.ts";
import type { TellDependencies } from "./tell.ts";

/**
 * Credentials of new provisions, sealed once to the consumer's host and once to the provider's. The clear password
 * lives in this function only (R46).
 */
export async function sealMints(
  gate: GateRecords,
  deps: Pick<TellDependencies, "makePassword" | "sealSecret">,
  mints: readonly Provision[],
): Promise<void> {
  const names = new Set(mints.flatMap((mint) => [mint.consumer.node, mint.provider.node]));
  const nodes = new Map((await gate.listNodesNamed([...names])).map((node) => [node.name, node]));
  for (const mint of mints) {
    const password = deps.makePassword();
    const recipients = new Set([mint.consumer.node, mint.provider.node]);
    for (const name of recipients) {
      const { incarnation, keys } = enrolled(nodes, name);
      const secret = { node: name, provision: mint.id, version: mint.version, user: mint.name, password };
      const box = await deps.sealSecret(secret, keys.seal);
      await gate.insertSealedBoxes({ node: name, incarnation }, [{ provision: mint.id, version: mint.version, box }]);
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
