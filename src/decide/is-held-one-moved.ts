import type { Digest, Name } from "../core/names.ts";
import type { Composition, Problem } from "./composition.ts";
import { listProvidersAmong } from "./explain-change.ts";
import type { FindChangedInput } from "./find-changed.ts";

export interface HeldOne extends Pick<FindChangedInput, "world" | "told" | "sentLast" | "effects"> {
  readonly node: Name;
  readonly before: Digest | null;
  /** At the newest builds. */
  readonly heldAs: Composition;
}

/** What is wrong with a node because of what others offer, or offer no more. */
const aboutProviders: ReadonlySet<Problem["code"]> = new Set([
  "no-provider",
  "several-providers",
  "chosen-provider-missing",
  "provider-never-told",
]);

/**
 * A held node is compared at its newest builds, so it is something else with every build that becomes fit while the push runs;
 * that is nothing which the push did (R19, R21). It did where it minted or withdrew there, or where the round before sent
 * something to one that the node's modules depend on. Looked at once, it is held for the rest of the push: it is sent
 * nothing, so it moves nobody, and would only keep the push from settling.
 */
export function isHeldOneMoved({ world, node, before, heldAs, told, sentLast, effects }: HeldOne): boolean {
  if (told.has(node)) return false;
  if ([...effects.minted, ...effects.withdrawn].some(({ provider }) => provider.node === node)) return true;
  if (heldAs.kind !== "not-worked-out")
    return listProvidersAmong(sentLast, { world, node, composition: heldAs }).length > 0;
  return before !== null && sentLast.size > 0 && heldAs.problems.some(({ code }) => aboutProviders.has(code));
}
