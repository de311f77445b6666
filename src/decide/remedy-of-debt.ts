import type { Provision } from "../core/provision.ts";
import type { Sent, WorldNode } from "./world.ts";

export interface DebtFacts {
  readonly provision: Pick<Provision, "provider">;
  /** The provider's node, as it is now; undefined: there is none. */
  readonly node: Pick<WorldNode, "incarnation"> | undefined;
  /** What it was last sent; undefined: nothing. */
  readonly sent: Pick<Sent, "builds"> | undefined;
  /** Its host has read that back, or something later, all of it applied. */
  readonly isApplied: boolean;
}

/**
 * What a person has to do so that a withdrawal is confirmed. A host that is not told of the provider's module any more reads
 * none of its servers. Where it took the place of the one which gave the access, or was away from before that was given until
 * the module had left, it never knew of it and can confirm nothing (R20). Null: the host confirms it by itself when it reports.
 */
export function remedyOfDebt({ provision: { provider }, node, sent, isApplied }: DebtFacts): string | null {
  const { node: name, module } = provider;
  if (node?.incarnation == null || sent?.builds == null || module in sent.builds) return null;
  const isReplaced = node.incarnation !== provider.incarnation;
  if (!isReplaced && !isApplied) return null;
  const why = isReplaced ? "its host was replaced" : "its host has all that it was last sent, and never knew of this";
  return `${why}, and ${module} is not there to be asked: mesh assign ${name} ${module}, mesh push ${name}, and take it off again when the debt is gone`;
}
