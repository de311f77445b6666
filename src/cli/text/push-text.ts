import type { Told } from "../../core/push.ts";
import { describeDuration } from "../../core/durations.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";
import { sayEffect } from "./say-effect.ts";

/** How far a node has come with what this push told it. */
export type Effect = "applied" | "superseded" | "outstanding" | "un-ready" | "failed" | "cannot-tell" | "not-sent";

export interface PushedNode extends Told {
  readonly effect: Effect;
  /** What the host says, where it is not simply applied. */
  readonly says: string;
  /** Superseded by something that is not applied yet. */
  readonly pending?: true;
}

export interface PushDocument {
  readonly push: string;
  readonly outcome: "settled" | "did-not-settle" | "refused" | "failed" | "under-way";
  readonly rounds: number;
  readonly message: string;
  readonly moving: readonly string[];
  /** From the request to the push's end, and to the last read back; null: not reached within the wait. */
  readonly settledMs: number | null;
  readonly appliedMs: number | null;
  readonly nodes: readonly PushedNode[];
  /** The push's workflow in the Temporal UI, where it is known. */
  readonly ui: string | null;
  /** What else a person has to know, where there is something: this shell had to deliver by itself. */
  readonly notes?: readonly string[];
  /** Of a declaration by hand: whom it changed, and did not tell. */
  readonly changed?: readonly { readonly node: string; readonly why: string }[];
}

/**
 * The whole of a push for a person: what it came to, each node with its round and reason, what to try next. `remedy`: the
 * command that mends what keeps a node from being worked out, where it is known.
 */
export function pushText(document: PushDocument, remedy: string | null = null): string {
  const applied = document.nodes.filter((node) => node.effect === "applied").length;
  const told = document.nodes.filter((node) => node.effect !== "not-sent").length;
  // What is not as wanted is not looked for among thousands; the rest is in the order of the push.
  const inOrder = document.nodes.toSorted((a, b) => Number(isAsWanted(a)) - Number(isAsWanted(b)));
  const rows = inOrder.map((node) => [
    node.node,
    node.round === 0 ? "named" : `round ${node.round}`,
    sentWords(node),
    node.effect === "not-sent" ? "-" : sayEffect(node.effect),
    plainLine([reasonOf(node), node.says].filter((words) => words !== "").join("; "), 400),
  ]);
  return [
    `push ${document.push}: ${outcomeWords(document)}${told === 0 && document.outcome === "under-way" ? ", and nobody is told yet" : `, applied on ${applied} of ${told}`}${document.appliedMs === null ? "" : ` in ${describeDuration(document.appliedMs)}`}`,
    ...(document.message === "" ? [] : [`  ${plainLine(document.message)}`]),
    ...(document.notes ?? []).map((note) => `  ${plainLine(note)}`),
    ...sayChanged(document),
    ...sayMoving(document),
    ...(rows.length === 0 ? [] : ["", alignColumns(rows)]),
    ...(document.ui === null ? [] : ["", `  ${document.ui}`]),
    `  next: ${remedy ?? nextCommand(document)}`,
  ].join("\n");
}

function isAsWanted({ effect, outcome, pending }: PushedNode): boolean {
  if (effect === "not-sent") return outcome === "already-current";
  return effect === "applied" || (effect === "superseded" && pending !== true);
}

/** So many are named for a person; a document has them all. */
const namedLimit = 50;

function sayMoving({ moving }: PushDocument): string[] {
  if (moving.length === 0) return [];
  const more = moving.length - namedLimit;
  return [`  still moves: ${moving.slice(0, namedLimit).join(", ")}${more > 0 ? ` and ${more} more` : ""}`];
}

function sayChanged({ changed = [] }: PushDocument): string[] {
  const more = changed.length - namedLimit;
  return [
    ...changed
      .slice(0, namedLimit)
      .map(({ node, why }) => `  changed by it, and not told: ${node} (${plainLine(why, 160)})`),
    ...(more > 0 ? [`  changed by it, and not told: ${more} more`] : []),
  ];
}

/** Why a node was in it, where that is more than its name. */
export function reasonOf(node: Pick<Told, "round" | "why">): string {
  return node.round === 0 && node.why === "named" ? "" : node.why;
}

/** A confirmation is of a node that is named: what would go from it is looked at first. */
export function sayConfirmation(node: string): string {
  return `mesh plan ${node}, and where that is meant: mesh push ${node} --confirm-removal`;
}

function outcomeWords(document: PushDocument): string {
  const words: Record<PushDocument["outcome"], string> = {
    settled: "settled",
    "did-not-settle": "did not settle",
    refused: "refused",
    failed: "failed",
    "under-way": "still under way",
  };
  return `${words[document.outcome]}${document.settledMs === null ? "" : ` in ${describeDuration(document.settledMs)}`}`;
}

function sentWords(node: PushedNode): string {
  if (node.outcome === "sent") return `sent ${node.epoch ?? "?"}.${node.number ?? "?"}`;
  return node.outcome.replaceAll("-", " ");
}

const troubles: ReadonlySet<Effect> = new Set(["failed", "un-ready"]);

function nextCommand(document: PushDocument): string {
  const [unconfirmed] = document.nodes.filter((node) => node.outcome === "needs-confirmation");
  if (unconfirmed !== undefined) return sayConfirmation(unconfirmed.node);
  const trouble = document.nodes.find(
    (node) => troubles.has(node.effect) || node.outcome === "not-worked-out" || node.outcome === "held",
  );
  if (trouble !== undefined) return `mesh why ${trouble.node}`;
  const changed = (document.changed ?? []).map(({ node }) => node);
  if (changed.length > namedLimit) return "mesh push --behind";
  if (changed.length > 0) return `mesh push ${changed.join(" ")}`;
  const isOpen = document.nodes.some((node) => node.effect === "outstanding" || node.effect === "cannot-tell");
  if (!isOpen && document.outcome !== "under-way") return "mesh status";
  // Waiting shows nothing as long as no gateway answers the hosts.
  return document.notes === undefined
    ? "mesh status --wait"
    : "npm start (mesh up), or mesh serve; then mesh status --wait";
}
