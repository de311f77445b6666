import type { Provision } from "../core/provision.ts";
import type { Sent, WorldNode } from "./world.ts";

export interface DebtFacts {
  readonly provision: Pick<Provision, "provider">;
  /** The provider's node, as it is now; undefined: there is none. */
  readonly node: Pick<WorldNode, "incarnation"> | undefined;
  /** What it was last sent; undefined: nothing. */
  readonly sent: Pick<Sent, "builds"> | undefined;
}

/**
 * What a person has to do so that a withdrawal is confirmed. A host that was enrolled in the place of the one which gave the
 * access, and is not told of the provider's module any more, reads none of its servers: it can confirm nothing (R20). Null:
 * the host confirms it by itself when it reports.
 */
export function remedyOfDebt({ provision: { provider }, node, sent }: DebtFacts): string | null {
  const { node: name, module } = provider;
  const isReplaced = node?.incarnation != null && node.incarnation !== provider.incarnation;
  if (!isReplaced || sent?.builds == null || module in sent.builds) return null;
  return `its host was replaced, and ${module} is not there to be asked: mesh assign ${name} ${module}, mesh push ${name}, and take it off again when the debt is gone`;
}
