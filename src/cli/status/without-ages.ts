import type { Finding } from "../../decide/situation.ts";
import type { StatusDocument, StatusModule, StatusNode } from "./build-status.ts";

/** Times and counts that move by themselves, as long as all is as it was. */
const moving: ReadonlySet<string> = new Set([
  "readAt",
  "knownAt",
  "ageMs",
  "renewedMsAgo",
  "seenMsAgo",
  "lookedAt",
  "sourceLookedAt",
  "lastContactAt",
  "lastSeen",
  "count",
]);

/**
 * What a change of a status is told by. A sentence that says how long ago something was is another one every second: what it
 * is made of is compared in its place.
 */
export function withoutAges(status: StatusDocument): string {
  const { controller, modules, nodes } = status;
  const lasting = {
    ...status,
    controller: controller.runs ? controller : { ...controller, why: undefined },
    modules: modules.map(lastingModule),
    nodes: nodes.map(lastingNode),
  };
  return JSON.stringify(lasting, (key, value: unknown) => (moving.has(key) ? undefined : value));
}

/** Of its source there is what is known, by `sourceKnown`, and the commit; a failure of it is a row of its own. */
function lastingModule({ sourceWhy: _aged, standingWhy, ...module }: StatusModule): unknown {
  return module.standing === "cannot-tell" ? module : { ...module, standingWhy };
}

function lastingNode(node: StatusNode): unknown {
  return { ...node, ...lastingFinding(node), all: node.all.map(lastingFinding) };
}

/** Silence, and what nobody looked at or heard since, is said by its age; it is this one by its word and its beginning. */
function lastingFinding(finding: Finding): Omit<Finding, "why"> & { readonly why: string | undefined } {
  const { word, awaits } = finding;
  const isAged = word === "silent" || word === "cannot-tell" || awaits === "comparison";
  return isAged ? { ...finding, why: undefined } : finding;
}
