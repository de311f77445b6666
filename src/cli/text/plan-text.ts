import type { Name } from "../../core/names.ts";
import type { ContentChange } from "../diff-content.ts";
import type { Foreseen } from "../simulate-push.ts";
import type { Stop } from "../../store/stop.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";
import { reasonOf, sayConfirmation } from "./push-text.ts";

export interface PlannedNode extends Omit<Foreseen, "content" | "mints"> {
  readonly mints: readonly string[];
  /** From what it was last sent; empty where it would not be sent. */
  readonly changes: readonly ContentChange[];
}

export interface PlanDocument {
  readonly named: readonly Name[];
  readonly settles: boolean;
  readonly nodes: readonly PlannedNode[];
  /** Null: it may send. */
  readonly stopped: Stop | null;
}

const signs = { added: "+", removed: "-", changed: "~" } as const;

/**
 * What a push would do, for a person: each node with its round, its reason and the difference. `remedy`: the command that
 * mends what keeps a node from being worked out, where it is known.
 */
export function planText(plan: PlanDocument, remedy: string | null = null): string {
  const sends = plan.nodes.filter((node) => node.outcome === "would-be-sent");
  const cascaded = sends.filter((node) => node.round > 0);
  const head =
    sends.length === 0
      ? `a push of ${plan.named.join(", ")} would send nothing`
      : `a push of ${plan.named.join(", ")} would send to ${sends.length} ${sends.length === 1 ? "node" : "nodes"}${cascaded.length === 0 ? "" : `, ${cascaded.length} of them by cascade`}`;
  return [
    ...(plan.stopped === null ? [] : [`the mesh is stopped, and nothing is sent: ${plainLine(plan.stopped.why)}`]),
    plan.settles ? head : `${head}, and would not settle`,
    ...plan.nodes.flatMap((node) => ["", ...nodeLines(node)]),
    "",
    "nothing was changed; this plan ends with no token: a push composes anew when it runs",
    `  next: ${remedy ?? nextCommand(plan, sends.length)}`,
  ].join("\n");
}

function nodeLines(node: PlannedNode): string[] {
  const reason = reasonOf(node);
  const rows = node.changes.map((change) => [signs[change.change], change.what, plainLine(change.detail, 160)]);
  return [
    `${node.node}  ${node.round === 0 ? "named" : `round ${node.round}`}  ${node.outcome.replaceAll("-", " ")}${reason === "" ? "" : `: ${plainLine(reason, 600)}`}`,
    ...node.mints.map((mint) => `  makes ${plainLine(mint)}`),
    ...node.withdrawals.map((id) => `  withdraws ${plainLine(id)} (access ends, data stays)`),
    ...node.notes.map((note) => `  note: ${plainLine(note)}`),
    ...(rows.length === 0 ? [] : [alignColumns(rows, "  ")]),
  ];
}

function nextCommand(plan: PlanDocument, sends: number): string {
  if (plan.stopped !== null) return "mesh recover";
  const names = plan.named.join(" ");
  const unconfirmed = plan.nodes.filter((node) => node.outcome === "needs-confirmation");
  if (unconfirmed.some((node) => plan.named.includes(node.node))) return `mesh push ${names} --confirm-removal`;
  // What a push changes elsewhere is not confirmed with it.
  const [cascaded] = unconfirmed;
  if (cascaded !== undefined) return sayConfirmation(cascaded.node);
  const trouble = plan.nodes.find((node) => node.outcome === "not-worked-out" || node.outcome === "held");
  if (trouble !== undefined) return `mesh why ${trouble.node}`;
  return sends === 0 ? "mesh status" : `mesh push ${names}`;
}
