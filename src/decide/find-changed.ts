import type { Digest, Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import { composeForPush, type PushedHow } from "./compose-for-push.ts";
import type { DigestOf } from "./composition-memory.ts";
import { explainChange } from "./explain-change.ts";
import { isHeldOneMoved } from "./is-held-one-moved.ts";
import { compareText } from "./short-names.ts";
import type { World } from "./world.ts";

/** What this push did so far: where the reasons of a cascade come from. */
export interface PushEffects {
  readonly minted: readonly Provision[];
  readonly withdrawn: readonly Provision[];
}

export interface FindChangedInput {
  readonly world: World;
  readonly named: ReadonlySet<Name>;
  /** The named ones were named by an upgrade policy. */
  readonly byPolicy?: boolean;
  /** Before the named compose. */
  readonly baseline: ReadonlyMap<Name, Digest | null>;
  /**
   * The digest of `decideTell` for every node this push has looked at, whatever became of it (null: not worked out).
   * So what was held is not looked at again until it changes again.
   */
  readonly told: ReadonlyMap<Name, Digest | null>;
  /** Whom the round before sent something. */
  readonly sentLast: ReadonlySet<Name>;
  readonly effects: PushEffects;
  /** Composes all of them where it is left out. */
  readonly digestIn?: DigestOf;
}

/** A node whose turn it is in the next round, and why: a sentence. */
export interface Changed {
  readonly node: Name;
  readonly why: string;
}

/** The digest by which one node is compared in a push; null: not worked out. See `composeForPush`. */
export function digestOf(world: World, node: Name, how: PushedHow): Digest | null {
  return composeForPush(world, node, how).digest;
}

/** Each node composed anew. */
function composedIn(world: World): DigestOf {
  return (node, how) => digestOf(world, node, how);
}

/** What every machine should be, taken before the named nodes are composed (R18). */
export function captureBaseline(world: World, digestIn: DigestOf = composedIn(world)): Map<Name, Digest | null> {
  return new Map([...world.nodes.keys()].map((node) => [node, digestIn(node, { named: false })]));
}

/**
 * Whose turn it is: named nodes that were not looked at yet, and every node that is now to be something else than when
 * this push last looked at it, or than before the push. A machine that was behind for its own reasons is in neither
 * (R19, case 17). A held one is compared at the newest builds, which others make fit meanwhile: it is named where this push
 * moved it, and once. Sorted by name.
 */
export function findChanged(input: FindChangedInput): Changed[] {
  const { world, named, baseline, told, effects, byPolicy = false } = input;
  const { digestIn = composedIn(world) } = input;
  const owing = listProviders(effects);
  const changed: Changed[] = [];
  for (const node of [...world.nodes.keys()].toSorted(compareText)) {
    if (named.has(node) && !told.has(node)) {
      changed.push({ node, why: "named in this push" });
      continue;
    }
    const before = told.has(node) ? told.get(node) : baseline.get(node);
    // Registered while the push ran: there is no *before*, and the push did not make it.
    if (before === undefined) continue;
    const how = { named: named.has(node), byPolicy };
    const digest = digestIn(node, how);
    if (digest === before && !owesUnsaid(input, node, { digest, owing })) continue;
    const { composition, heldAs } = composeForPush(world, node, how);
    if (heldAs !== null && !isHeldOneMoved({ ...input, node, before, heldAs })) continue;
    const shown = heldAs ?? composition;
    changed.push({ node, why: explainChange({ world, node, before, composition: shown, toldNodes: told, effects }) });
  }
  return changed;
}

/** It could not be worked out before, and cannot now: what this push minted or withdrew there is not passed over. */
function owesUnsaid(
  { world, told }: FindChangedInput,
  node: Name,
  { digest, owing }: { readonly digest: Digest | null; readonly owing: ReadonlySet<string> },
): boolean {
  return digest === null && !told.has(node) && owing.has(hostOf(node, world.nodes.get(node)?.incarnation ?? ""));
}

function listProviders({ minted, withdrawn }: PushEffects): ReadonlySet<string> {
  return new Set([...minted, ...withdrawn].map(({ provider }) => hostOf(provider.node, provider.incarnation)));
}

function hostOf(node: Name, incarnation: string): string {
  return `${node} ${incarnation}`;
}
