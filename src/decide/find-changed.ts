import type { Digest, Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { World } from "./world.ts";

/** What this push did so far: where the reasons of a cascade come from. */
export interface PushEffects {
  readonly minted: readonly Provision[];
  readonly withdrawn: readonly Provision[];
}

export interface FindChangedInput {
  readonly world: World;
  readonly named: ReadonlySet<Name>;
  /** Before the named compose. */
  readonly baseline: ReadonlyMap<Name, Digest | null>;
  /**
   * The digest of `decideTell` for every node this push has looked at, whatever became of it (null: not worked out).
   * So what was held is not looked at again until it changes again.
   */
  readonly told: ReadonlyMap<Name, Digest | null>;
  readonly effects: PushEffects;
}

/** A node whose turn it is in the next round, and why: a sentence. */
export interface Changed {
  readonly node: Name;
  readonly why: string;
}

/**
 * The digest by which one node is compared in a push: named ones at the newest builds, the others at the builds they
 * were last sent. Held ones are compared at the newest, so that a change of them is seen and said (case 20). Null: not
 * worked out.
 */
export function digestOf(_world: World, _node: Name, _how: { readonly named: boolean }): Digest | null {
  throw new Error("not written yet");
}

/** Taken before the named nodes are composed (R18). */
export function captureBaseline(_world: World): Map<Name, Digest | null> {
  throw new Error("not written yet");
}

/** Whose turn it is: named ones not looked at yet, and every node that this push (or the world under it) changed. */
export function findChanged(_input: FindChangedInput): Changed[] {
  throw new Error("not written yet");
}
