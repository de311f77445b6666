import type { ExitCode } from "../../decide/exit-code.ts";
import type { PushDocument, PushedNode } from "../text/push-text.ts";

/**
 * 0 only when the push settled and every node it told has applied it, or something newer. What is certain and bad comes before what cannot
 * be told, and that before what is only pending (R48).
 */
export function pushCode(document: Pick<PushDocument, "outcome" | "nodes">): ExitCode {
  const { nodes, outcome } = document;
  if (outcome === "failed" || outcome === "refused" || outcome === "did-not-settle") return 2;
  if (nodes.some((node) => node.outcome === "not-worked-out" || node.outcome === "needs-confirmation")) return 2;
  if (nodes.some((node) => node.effect === "failed")) return 2;
  if (nodes.some((node) => node.effect === "cannot-tell")) return 3;
  if (outcome === "under-way") return 1;
  const isPending = (node: PushedNode): boolean =>
    node.effect === "outstanding" || node.effect === "un-ready" || node.pending === true || node.outcome === "held";
  return nodes.some(isPending) ? 1 : 0;
}
