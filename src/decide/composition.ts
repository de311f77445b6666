import type { Content } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { Offer } from "./world.ts";

/** Which build of each module: the newest fit ones, or those given (R21). */
export type Pins =
  | { readonly at: "newest" }
  | { readonly at: "builds"; readonly builds: Readonly<Record<Name, Digest>> };

/** The result of composing one node: a value that can be printed, compared and stored. */
export type Composition =
  | {
      readonly kind: "composed";
      readonly node: Name;
      readonly content: Content;
      readonly digest: Digest;
      readonly offers: readonly Offer[];
      /** Provisions this node requires and nobody issued yet; content already names them. */
      readonly mints: readonly Provision[];
      /** Ids of issued provisions this node no longer requires. */
      readonly withdrawals: readonly string[];
      /** Sentences: modules left out because they were never sent here (pinned only), settings that nothing reads. */
      readonly notes: readonly string[];
    }
  | {
      readonly kind: "not-worked-out";
      readonly node: Name;
      readonly problems: readonly Problem[];
      /** What it would have been composed of, those with a problem too. Left out: that was not known either. */
      readonly builds?: Readonly<Record<Name, Digest>>;
    }
  | { readonly kind: "held"; readonly node: Name; readonly holds: readonly Hold[] };

/** Why the mesh cannot say what a node should be. */
export interface Problem {
  readonly code:
    | "unknown-node"
    | "not-enrolled"
    | "unknown-module"
    | "no-fit-artifact"
    | "no-provider"
    | "several-providers"
    | "chosen-provider-missing"
    | "provider-never-told"
    | "missing-config"
    | "bad-config"
    | "missing-presence"
    | "presence-cycle"
    | "too-large";
  readonly module: Name | null;
  /** A sentence that says what is missing and what to do. */
  readonly why: string;
}

/** A reason, with a name, why something that could move does not. */
export interface Hold {
  readonly module: Name | null;
  readonly build: Digest | null;
  readonly why: string;
}
