import type { Content } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { Composition, Hold, Problem } from "./composition.ts";
import type { Offer, World } from "./world.ts";

export interface DecideTellInput {
  readonly world: World;
  readonly node: Name;
  readonly named: boolean;
  /** Why it is this node's turn, from `findChanged`. */
  readonly why: string;
  /** The person confirmed what the named nodes lose (R26). It does not cover cascaded ones. */
  readonly confirmRemoval: boolean;
}

/** What to do about one node. `digest` is kept with the outcome: `findChanged` compares with it later. */
export type TellDecision = { readonly why: string; readonly digest: Digest | null } & (
  | {
      readonly kind: "send";
      readonly digest: Digest;
      readonly content: Content;
      readonly offers: readonly Offer[];
      readonly mints: readonly Provision[];
      readonly withdrawals: readonly string[];
      readonly notes: readonly string[];
    }
  | { readonly kind: "already-current"; readonly digest: Digest }
  | { readonly kind: "held"; readonly holds: readonly Hold[] }
  | { readonly kind: "not-worked-out"; readonly problems: readonly Problem[] }
  | { readonly kind: "needs-confirmation"; readonly digest: Digest; readonly dropped: readonly Name[] }
);

/** Composes one node as a push does (named: newest; else: as last sent) and says what becomes of it. */
export function decideTell(_input: DecideTellInput): TellDecision {
  throw new Error("not written yet");
}

/** As a push would compose it. */
export function composeForPush(_world: World, _node: Name, _how: { readonly named: boolean }): Composition {
  throw new Error("not written yet");
}
