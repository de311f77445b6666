import type { History } from "../history/history.ts";
import type { Check } from "./violation.ts";

/** L1: each machine has what was assigned to it, and nothing that was taken off it. */
export function checkMachines({ machines }: History): Check[] {
  return machines
    .filter(({ wanted, found }) => wanted !== found)
    .map(({ node, module, wanted, found }) => ({
      invariant: "L1",
      message: `${node} has ${sayFile(found)} of ${module}, and ${sayFile(wanted)} was assigned`,
    }));
}

function sayFile(text: string | null): string {
  return text === null ? "nothing" : JSON.stringify(text);
}
