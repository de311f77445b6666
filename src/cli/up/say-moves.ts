import type { ModuleRecord } from "../../store/modules.ts";
import { plainLine } from "../text/plain.ts";

type Move = Pick<ModuleRecord, "name" | "standing" | "standingWhy">;

/**
 * Says how modules stand whenever one stands otherwise, and each reason of a module once: what is tried again and again for the
 * same reason would fill a terminal with it.
 */
export function createMoves(say: (line: string) => void): (module: Move) => void {
  const standings = new Map<string, string>();
  const reasons = new Set<string>();
  return ({ name, standing, standingWhy }) => {
    const now = standing === "current" ? "fit" : standing;
    if (standings.get(name) === now || now === "new") return;
    standings.set(name, now);
    const why = now === "fit" ? "" : standingWhy;
    const reason = `${name}: ${why.replace(`${name} is tried again: `, "")}`;
    if (why !== "" && reasons.has(reason)) return;
    reasons.add(reason);
    const again = standing === "outstanding" ? " (it is tried again by itself)" : "";
    say(`${name}: ${now}${why === "" ? "" : `: ${plainLine(why, 160)}`}${again}`);
  };
}
