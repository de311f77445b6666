import type { Content } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import { composeForPush } from "./compose-for-push.ts";
import type { Composition, Hold, Problem } from "./composition.ts";
import { describeOrder } from "./order.ts";
import { compareText, listNames } from "./short-names.ts";
import { standingSend, type Offer, type Sent, type World } from "./world.ts";

export interface DecideTellInput {
  readonly world: World;
  readonly node: Name;
  readonly named: boolean;
  /** Named by an upgrade policy: only modules under `auto` move. */
  readonly byPolicy?: boolean;
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

/** Composes one node as a push does and says what becomes of it. Nothing is sent again that was sent already (R50). */
export function decideTell(input: DecideTellInput): TellDecision {
  const { world, node, named, why } = input;
  const { composition, digest } = composeForPush(world, node, { named, byPolicy: input.byPolicy ?? false });
  if (composition.kind === "held") {
    const { holds } = composition;
    return { kind: "held", why: holds.map((hold) => hold.why).join("; "), digest, holds };
  }
  if (composition.kind === "not-worked-out") {
    const { problems } = composition;
    return { kind: "not-worked-out", why: problems.map((problem) => problem.why).join("; "), digest, problems };
  }
  // What another machine under this name was sent says nothing about this one.
  const last = world.sent.get(node);
  const sent = last?.incarnation === world.nodes.get(node)?.incarnation ? last : undefined;
  // Where the host has something above it, or went back from it, what was sent last is not what it has: it is told again (R35).
  const stands = standingSend(world, node) !== undefined;
  if (sent !== undefined && stands && isSent(composition, sent)) {
    const current = `${node} was already sent exactly this, as ${describeOrder(sent.order)}`;
    return { kind: "already-current", why: current, digest: composition.digest };
  }
  const removal = sent === undefined ? null : findRemoval(sent, composition);
  if (removal !== null && !(named && input.confirmRemoval)) {
    return {
      kind: "needs-confirmation",
      why: explainRemoval(node, removal),
      digest: composition.digest,
      dropped: removal.dropped,
    };
  }
  const { content, offers, mints, withdrawals, notes } = composition;
  return { kind: "send", why, digest: composition.digest, content, offers, mints, withdrawals, notes };
}

type Composed = Extract<Composition, { kind: "composed" }>;

function isSent(composition: Composed, sent: Sent): boolean {
  const { mints, withdrawals } = composition;
  return composition.digest === sent.digest && mints.length === 0 && withdrawals.length === 0;
}

interface Removal {
  readonly dropped: readonly Name[];
  /** How many modules the node was last sent; null: not recorded. */
  readonly of: number | null;
}

/** R26: two modules or more, and more than half of what it was last sent. Where that is not recorded: everything. */
function findRemoval(sent: Sent, { content }: Composed): Removal | null {
  if (sent.builds === null) return Object.keys(content.builds).length === 0 ? { dropped: [], of: null } : null;
  const before = Object.keys(sent.builds);
  const dropped = before.filter((module) => !Object.hasOwn(content.builds, module)).toSorted(compareText);
  return dropped.length >= 2 && dropped.length * 2 > before.length ? { dropped, of: before.length } : null;
}

function explainRemoval(node: Name, { dropped, of }: Removal): string {
  const what =
    of === null
      ? "everything that runs there, and what that is was not recorded"
      : `${dropped.length} of its ${of} modules (${listNames(dropped)})`;
  return `this would remove from ${node} ${what}: \`push ${node} --confirm-removal\` goes ahead`;
}
