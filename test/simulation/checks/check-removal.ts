import type { GateCommit } from "../store/backend.ts";
import { type KeptDeclaration, newestSent } from "../store/state.ts";
import { demand } from "./violation.ts";

/** I19, R26: what takes two modules or more from a machine, and more than half of what it runs, a person said twice, of it. */
export function checkRemoval({ before, after }: GateCommit, { sent }: KeptDeclaration): void {
  const last = newestSent(before, sent.node);
  if (last?.builds == null || last.incarnation !== sent.incarnation) return;
  const ran = Object.keys(last.builds);
  const lost = ran.filter((module) => sent.builds?.[module] === undefined);
  if (lost.length < 2 || lost.length <= ran.length / 2) return;
  const push = after.pushes.get(sent.push);
  const isConfirmed = push?.confirmRemoval === true && push.named.includes(sent.node);
  demand(isConfirmed, "I19", () => {
    return `${sent.push} takes ${lost.length} of ${ran.length} modules from ${sent.node}, and nobody confirmed that`;
  });
}
