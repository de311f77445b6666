import type { Order } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Report } from "../core/report.ts";
import type { Composition } from "./composition.ts";
import type { FailureTrack } from "./track-failures.ts";
import type { Sent } from "./world.ts";

/** The words of R31, and no others. */
export type SituationWord =
  | "current"
  | "outstanding"
  | "out-of-date"
  | "never-told"
  | "not-worked-out"
  | "failed"
  | "stuck"
  | "un-ready"
  | "held"
  | "refused"
  | "reverted"
  | "silent"
  | "cannot-tell";

export interface SituationFacts {
  readonly node: Name;
  /** As enrolled now; null: no host yet. */
  readonly incarnation: string | null;
  /** Composed at the newest builds. */
  readonly composition: Composition;
  readonly sent: (Sent & { readonly at: string }) | null;
  readonly account: AccountFacts | null;
  /** The host's last request of any kind; null: never. */
  readonly lastContactAt: string | null;
  /** What the last push that looked at this node made of it, where it was not sent. */
  readonly lastTold: {
    readonly outcome: "held" | "needs-confirmation";
    readonly why: string;
    readonly at: string;
  } | null;
  /** Since when composition differs from what was sent, where known. */
  readonly changedSince: string | null;
  /** When the records were read. */
  readonly readAt: string;
  /** The oldest look at a source of a module on this node; null: never, or it has none. */
  readonly sourcesLookedAt: string | null;
  readonly now: string;
  readonly limits: SituationLimits;
}

export interface AccountFacts {
  readonly incarnation: string;
  readonly has: Order | null;
  readonly digest: Digest | null;
  readonly outcome: Report["outcome"];
  readonly resources: Report["resources"];
  readonly refusals: Report["refusals"];
  readonly receivedAt: string;
  readonly track: FailureTrack;
  /** The host went back by itself (case 33). */
  readonly reverted?: { readonly to: Order; readonly why: string; readonly since: string };
}

export interface SituationLimits {
  /** A host that said nothing for longer is *silent*. */
  readonly silentAfterMs: number;
  /** Rows read longer ago than this are no knowledge any more. */
  readonly recordsStaleAfterMs: number;
  /** Sources not looked at for longer: whether the node is out of date cannot be told. */
  readonly sourcesStaleAfterMs: number;
}

/** One thing that holds about a node. */
export interface Finding {
  readonly word: SituationWord;
  /** ISO; null: not known. */
  readonly since: string | null;
  readonly why: string;
}

/** The word that comes first, and everything that holds. */
export interface Situation extends Finding {
  readonly node: Name;
  /** When what it says was known: it rots by age when read. */
  readonly knownAt: string;
  /** All findings, the primary one first. */
  readonly all: readonly Finding[];
}

/** A node's situation by an ordered table: the first row that matches gives the word, every row that matches is listed. */
export function situationOf(_facts: SituationFacts): Situation {
  throw new Error("not written yet");
}

/** What `push --behind` acts on, and what `status` calls behind: one function for both (R31). */
export function isBehind(_situation: Pick<Situation, "all">): boolean {
  throw new Error("not written yet");
}
