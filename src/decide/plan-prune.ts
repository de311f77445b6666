import type { Order } from "../core/declaration.ts";
import { compareOrder } from "./order.ts";

/** What is history and goes in time, in the order in which it goes: what refers to others before those. */
export const prunedKinds = [
  "declarations",
  "told",
  "targets",
  "pushes",
  "waves",
  "builds",
  "checks",
  "artifacts",
  "boxes",
  "provisions",
  "tokens",
  "imports",
] as const;
export type PrunedKind = (typeof prunedKinds)[number];

export interface PruneBounds {
  /** Younger records stay. */
  readonly keepMs: number;
  /** So many declarations of each node, builds of each module, pushes and waves stay, however old. */
  readonly last: number;
}

const dayMs = 86_400_000;

export const pruneDefaults = { days: 90, last: 20 } as const;

export function pruneBoundsOf(given: { readonly days?: number; readonly last?: number }): PruneBounds {
  return { keepMs: (given.days ?? pruneDefaults.days) * dayMs, last: given.last ?? pruneDefaults.last };
}

/** One record, with all that says whether it is needed. `ageMs` by the records' clock; null: it goes on. */
export type PastRecord =
  | {
      readonly kind: "declarations";
      readonly ageMs: number;
      readonly isAmongLast: boolean;
      readonly order: Order;
      /** Of the host that it was sent to. */
      readonly incarnation: string;
      /** Of the host that is enrolled now. */
      readonly enrolled: string | null;
      /** What was last reported; `order` is 0.0 where that was nothing. */
      readonly account: { readonly incarnation: string; readonly order: Order } | null;
      readonly claim: Order | null;
      /** Its push has not ended. */
      readonly isOpen: boolean;
    }
  | {
      readonly kind: "told";
      /** Since its push ended. */
      readonly ageMs: number | null;
      /** The declaration that it tells of is there. */
      readonly hasDeclaration: boolean;
      /** The last that any push made of its node. */
      readonly isLast: boolean;
    }
  | { readonly kind: "targets"; readonly ageMs: number | null }
  | {
      readonly kind: "pushes";
      readonly ageMs: number | null;
      readonly isAmongLast: boolean;
      readonly hasTold: boolean;
      readonly hasTargets: boolean;
    }
  | { readonly kind: "waves"; readonly ageMs: number | null; readonly isAmongLast: boolean }
  | {
      readonly kind: "builds";
      readonly ageMs: number | null;
      readonly isAmongLast: boolean;
      /** At the inputs that its module wants, or that were fit last. */
      readonly isWanted: boolean;
      /** What came out is there, or its closure's provenance is. */
      readonly hasArtifact: boolean;
      readonly hasProvenance: boolean;
      /** It is to be built a second time, or again for a lost artifact. */
      readonly isAsked: boolean;
    }
  | { readonly kind: "checks"; readonly ageMs: number | null; readonly hasArtifact: boolean }
  | {
      readonly kind: "artifacts";
      /** Since it was collected; null: it was not. */
      readonly ageMs: number | null;
      readonly hasBuild: boolean;
      readonly hasProvenance: boolean;
    }
  /** Since the provider confirmed that it is gone; null: it has not. */
  | { readonly kind: "boxes"; readonly ageMs: number | null }
  | {
      readonly kind: "provisions";
      readonly ageMs: number | null;
      /** The highest version of its id: none is ever issued twice. */
      readonly isHighest: boolean;
      readonly hasBoxes: boolean;
      readonly isOpen: boolean;
    }
  /** Since nobody can enrol with it; null: somebody can. */
  | { readonly kind: "tokens"; readonly ageMs: number | null }
  /** Since it was read from the file; it is read again where it is wanted. */
  | { readonly kind: "imports"; readonly ageMs: number };

/** Why a record must stay, as a phrase; null: it may go. Nothing that a decision reads may depend on what goes. */
export function whyStays(record: PastRecord, { keepMs }: PruneBounds): string | null {
  if (record.ageMs === null) return "it goes on";
  if (record.ageMs < keepMs) return "it is young";
  switch (record.kind) {
    case "declarations":
      return whyDeclarationStays(record);
    case "told":
      if (record.hasDeclaration) return "its declaration is there";
      return record.isLast ? "it is the last that became of its node" : null;
    case "pushes":
      if (record.isAmongLast) return amongLast;
      return record.hasTold || record.hasTargets ? "what became of its nodes is there" : null;
    case "waves":
      return record.isAmongLast ? amongLast : null;
    case "builds":
      return whyBuildStays(record);
    case "checks":
      return record.hasArtifact ? "its artifact is there" : null;
    case "artifacts":
      if (record.hasBuild) return "a build of it is there";
      return record.hasProvenance ? "how it was built is there" : null;
    case "provisions":
      if (record.isHighest) return "its version is the highest, and none is issued twice";
      if (record.hasBoxes) return "its credentials are there";
      return record.isOpen ? "its push goes on" : null;
    case "targets":
    case "boxes":
    case "tokens":
    case "imports":
      return null;
  }
}

const amongLast = "it is among the last";

/**
 * A host may have anything that it was sent since what it last reported: without the record of it, its word would stop the
 * mesh (R35). What is below its account it has left for good. A host that was replaced says nothing that counts.
 */
function whyDeclarationStays(sent: Extract<PastRecord, { kind: "declarations" }>): string | null {
  const { account, order, incarnation } = sent;
  if (sent.isAmongLast) return amongLast;
  if (sent.isOpen) return "its push goes on";
  if (sent.claim !== null && compareOrder(sent.claim, order) === 0) return "its host says that it has it";
  if (account?.incarnation === incarnation)
    return compareOrder(order, account.order) < 0 ? null : "its host may have it";
  return incarnation === sent.enrolled ? "its host may have it" : null;
}

function whyBuildStays(build: Extract<PastRecord, { kind: "builds" }>): string | null {
  if (build.isAmongLast) return amongLast;
  if (build.isWanted) return "it is what its source gives, or gave last";
  if (build.hasArtifact) return "its artifact is there";
  if (build.hasProvenance) return "how it was built is there";
  return build.isAsked ? "somebody asked for it" : null;
}
