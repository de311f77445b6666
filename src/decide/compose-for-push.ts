import type { Digest, Name } from "../core/names.ts";
import { compose } from "./compose.ts";
import type { Composition } from "./composition.ts";
import { pinsOfLastSend } from "./pins-of-last-send.ts";
import { artifactKey, type World, type WorldModule } from "./world.ts";

export interface ComposedForPush {
  readonly composition: Composition;
  /**
   * By what the node is compared in this push. A held one is compared at the newest builds, so that a change of what it
   * should be is seen and said although it is not sent (case 20). Null: not worked out.
   */
  readonly digest: Digest | null;
  /** Of a node that is held: what it would be at the newest builds, by which it is compared. Null: it is not held. */
  readonly heldAs: Composition | null;
}

export interface PushedHow {
  readonly named: boolean;
  /** Named by an upgrade policy and not by a person: only modules under `auto` move (R14, R21). */
  readonly byPolicy?: boolean;
}

/**
 * A world is never changed, so a node is composed once for each: under the gate a batch decides twice, first for the mints,
 * then for the send. As many as the largest batch, a few times over, are kept; a mesh of thousands is not kept whole.
 */
const composed = new WeakMap<World, Map<string, ComposedForPush>>();
const keptAtMost = 256;

/**
 * As a push composes it: nodes that a person named at the newest builds, nodes that a policy named at the builds they
 * were last sent but for modules under `auto`, the others at the builds they were last sent (R21).
 */
export function composeForPush(world: World, node: Name, how: PushedHow): ComposedForPush {
  const kept = composed.get(world) ?? new Map<string, ComposedForPush>();
  composed.set(world, kept);
  const key = `${node} ${how.named ? (how.byPolicy === true ? "by policy" : "named") : "cascaded"}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const fresh = composeAfresh(world, node, how);
  if (kept.size >= keptAtMost) kept.clear();
  kept.set(key, fresh);
  return fresh;
}

function composeAfresh(world: World, node: Name, how: PushedHow): ComposedForPush {
  const newest = (): Composition => compose(world, node, { at: "newest" });
  const byPolicy = how.byPolicy === true;
  if (how.named && !byPolicy) return withDigest(newest());
  const last = how.named ? withAutoBuilds(world, pinsOfLastSend(world, node)) : pinsOfLastSend(world, node);
  if (last.kind === "hold") {
    const heldAs = newest();
    if (heldAs.kind !== "composed") return { ...withDigest(heldAs), heldAs };
    return { composition: { kind: "held", node, holds: [last.hold] }, digest: heldAs.digest, heldAs };
  }
  const composition = compose(world, node, last.pins);
  if (composition.kind !== "held") return withDigest(composition);
  const heldAs = newest();
  return { composition, digest: digestIn(heldAs), heldAs };
}

/** The last send's builds, with the newest fit one of every module under `auto`. */
function withAutoBuilds(world: World, last: LastSendPins): LastSendPins {
  if (last.kind === "hold" || last.pins.at !== "builds") return last;
  const builds: Record<Name, Digest> = { ...last.pins.builds };
  for (const module of Object.keys(builds)) {
    const known = world.modules.get(module);
    if (known !== undefined && known.fit !== null && isUnderAuto(world, known, known.fit)) builds[module] = known.fit;
  }
  return { kind: "pins", pins: { at: "builds", builds } };
}

/**
 * A build goes out by itself where it was made to, and its source does not say otherwise since (R14): one that a person let
 * lie does not follow a commit that only says `auto` and has no verdict yet; and a newest manifest that cannot be read says nothing.
 */
function isUnderAuto(world: World, { name, upgrade }: WorldModule, fit: Digest): boolean {
  const made = world.artifacts.get(artifactKey(name, fit))?.manifest.upgrade;
  return made === "auto" && (upgrade === null || upgrade === "auto");
}

type LastSendPins = ReturnType<typeof pinsOfLastSend>;

function withDigest(composition: Composition): ComposedForPush {
  return { composition, digest: digestIn(composition), heldAs: null };
}

function digestIn(composition: Composition): Digest | null {
  return composition.kind === "composed" ? composition.digest : null;
}
