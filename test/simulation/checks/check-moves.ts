import type { Provision } from "../../../src/core/provision.ts";
import type { GateCommit } from "../store/backend.ts";
import { newestSent, type Records } from "../store/state.ts";
import { demand } from "./violation.ts";

/**
 * I20, R3: who is served stays with its provider, away from whose data nobody is moved because another one appeared, or was
 * told first (case 22).
 */
export function checkMoves({ before, view }: GateCommit): void {
  if (view.provisions === before.provisions) return;
  for (const [at, { provision }] of before.provisions.entries()) {
    if (provision.state !== "issued" || view.provisions[at]?.provision.state === "issued") continue;
    demand(mayLeave(before, view, provision), "I20", () => {
      return `${provision.id}#${provision.version} is withdrawn, and nobody took it off its provider`;
    });
  }
}

function mayLeave(before: Records, view: Records, { id, consumer, provider }: Provision): boolean {
  const { node, module, requirement } = consumer;
  const assignment = view.assignments.get(node)?.find((one) => one.module === module);
  if (assignment === undefined || assignment.providers[requirement] !== undefined) return true;
  const incarnation = view.nodes.get(node)?.incarnation ?? "";
  if (!id.startsWith(`${node}.${module}.${requirement}.${incarnation}@`)) return true;
  if (view.assignments.get(provider.node)?.some((one) => one.module === provider.module) !== true) return true;
  const now = view.nodes.get(provider.node)?.incarnation;
  const sent = newestSent(before, provider.node);
  const isToldToOffer =
    sent?.incarnation === now && sent?.offers.some((one) => one.module === provider.module) === true;
  // Its host was enrolled anew: once that is told, its consumers come to it again; until then they wait for it.
  return now === provider.incarnation ? !isToldToOffer : isToldToOffer;
}
