import type { Order } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import { compareOrder, describeOrder } from "./order.ts";
import { listNames } from "./short-names.ts";

/**
 * What an enrolled host says that it has: in a report that it signed, or in the question that it proved to be its own.
 * Such a word is no more than one host's: it can stop the mesh, and a person sees whose word it was.
 */
export interface Claim {
  readonly node: Name;
  readonly incarnation: string;
  readonly order: Order;
  /** Null: it asked for what is newer than this, and named no content. */
  readonly digest: Digest | null;
}

export interface ClaimFacts {
  /** Of the node as enrolled now. */
  readonly incarnation: string | null;
  /** Digest of what the node was sent under that order; null: these records sent it no such declaration. */
  readonly sentDigest: Digest | null;
  /** Up to where declarations of this node were pruned: its host had reported a later one, or was replaced. Null: none were. */
  readonly pruned: Order | null;
  /** What the last recovery raised the records above; null: there was none. */
  readonly recovered: Order | null;
  /** A person went on without this host's word. */
  readonly isLeftOut: boolean;
}

/** `ahead`: a declaration that these records do not know. `fork`: they know another content under its number. */
export type ClaimJudgement =
  | { readonly kind: "known" }
  /** `stops`: the records are behind what was once issued, and nobody has gone on above it yet. */
  | { readonly kind: "ahead" | "fork"; readonly stops: boolean };

/**
 * Does a host have what these records never sent? Declarations are recorded in the transaction that sends them, and go only
 * once their host reported a later one, so that there is no innocent way to it: the records lost something, or another
 * writer signs with our key. A host at what was pruned was put back; nothing above it was lost here.
 * Not compared with the newest number: a controller that took over after a restore has a higher epoch than everything
 * that was lost (R35).
 */
export function judgeClaim(claim: Claim, facts: ClaimFacts): ClaimJudgement {
  // Of a host that another one has replaced: its word says nothing about these records.
  if (claim.incarnation !== facts.incarnation) return { kind: "known" };
  const { sentDigest } = facts;
  if (sentDigest !== null && (claim.digest === null || claim.digest === sentDigest)) return { kind: "known" };
  if (sentDigest === null && facts.pruned !== null && compareOrder(claim.order, facts.pruned) <= 0)
    return { kind: "known" };
  const isOvercome = facts.recovered !== null && compareOrder(claim.order, facts.recovered) <= 0;
  return { kind: sentDigest === null ? "ahead" : "fork", stops: !isOvercome && !facts.isLeftOut };
}

export interface StopFacts {
  /** ISO. */
  readonly since: string;
  readonly reason: StopReason;
  /** The last time that the records were read in from a backup. */
  readonly restored: { readonly at: string; readonly takenAt: string } | null;
  /** Of hosts whose word counts. */
  readonly claims: readonly { readonly node: Name; readonly order: Order; readonly kind: "ahead" | "fork" }[];
}

export type StopReason = "hosts-ahead" | "restored";

/** The one sentence that everything which would send says instead. */
export function sayStopped(mesh: Name, why: string): string {
  return `mesh ${mesh} is stopped, and nothing is sent: ${why}`;
}

/** Why the mesh is stopped, in a sentence. */
export function describeStop({ reason, restored, claims }: StopFacts): string {
  const parts: string[] = [];
  if (reason === "restored" && restored !== null)
    parts.push(`the records were restored at ${restored.at} from a backup of ${restored.takenAt}`);
  if (claims.length > 0) {
    const words = claims.map(({ node, order, kind }) =>
      kind === "ahead"
        ? `${node} has ${describeOrder(order)}, which these records never sent`
        : `${node} has ${describeOrder(order)} with other content than these records sent`,
    );
    parts.push(`hosts are ahead of the records: ${listNames(words, 3)}`);
  }
  return parts.length === 0 ? "hosts were ahead of the records" : parts.join("; ");
}
