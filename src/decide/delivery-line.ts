import type { Digest, Name, ObjectId } from "../core/names.ts";
import type { SituationWord } from "./situation.ts";

/** How a module stands, from the last comparison (`module.standing`). */
export type Standing = "current" | "out-of-date" | "building" | "waiting" | "unfit" | "outstanding" | "broken" | "new";

export interface DeliveryFacts {
  readonly module: Name;
  readonly sourceCommit: ObjectId | null;
  readonly standing: Standing;
  readonly standingWhy: string;
  /** The newest fit artifact and the commit it was built from. */
  readonly fit: { readonly artifact: Digest; readonly commit: ObjectId } | null;
  /** Commits between what it was built from and the source; null: not known. */
  readonly behindBy: number | null;
  /** Modules it waits for. */
  readonly waitingFor: readonly Name[];
  /** Every node it is assigned to or was last sent to. */
  readonly nodes: readonly DeliveryNode[];
}

export interface DeliveryNode {
  readonly node: Name;
  /** The build of this module the node was last sent; null: never sent it. */
  readonly declared: Digest | null;
  /** The node's primary word. */
  readonly word: SituationWord;
  /** The host read back this very declaration as applied. */
  readonly applied: boolean;
}

/** R15: a line about effect, not about a job. */
export interface DeliveryLine {
  readonly module: Name;
  readonly source: string | null;
  readonly builtFrom: string | null;
  /** `fit`, `unfit`, `outstanding`, `building`, `waiting for core`, `not built`, `broken`. */
  readonly verdict: string;
  readonly behindBy: number | null;
  readonly declaredOn: number;
  readonly appliedOn: number;
  readonly outstandingOn: number;
  /** Nodes that have another build of it declared. */
  readonly olderOn: number;
  /** Assigned and never sent it. */
  readonly notDeclaredOn: number;
  /** Words other than outstanding that keep a declared build from being applied, with how many nodes. */
  readonly others: readonly { readonly word: SituationWord; readonly nodes: number }[];
  readonly text: string;
}

/** `nameWidth`: columns to pad the module's name to. */
export function deliveryLine(_facts: DeliveryFacts, _nameWidth = 0): DeliveryLine {
  throw new Error("not written yet");
}
