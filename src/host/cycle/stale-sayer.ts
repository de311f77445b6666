import type { Declaration } from "../../core/declaration.ts";
import type { Log } from "../log.ts";

/** An answer this long ago still counts as hearing from the controller: longer than one poll. */
const freshWithinMs = 60_000;

/** Past its time a declaration still counts; it is only said, once, that nothing newer was heard (R30). */
export function createStaleSayer(
  options: { readonly log: Log; nowMs(): number },
  inbox: { readonly accepted: { readonly declaration: Pick<Declaration, "issuedAt" | "staleAfter"> } | null },
  lastWordMs: () => number | null,
): () => void {
  let saidFor: unknown = null;
  return () => {
    const declaration = inbox.accepted?.declaration;
    if (declaration === undefined || declaration === saidFor) return;
    const word = lastWordMs();
    const isFresh = word !== null && word >= options.nowMs() - freshWithinMs;
    if (isFresh || options.nowMs() <= Date.parse(declaration.staleAfter)) return;
    saidFor = declaration;
    const since = word === null ? declaration.issuedAt : new Date(word).toISOString();
    options.log.warn("no fresh word: going on with what is here", { since, staleAfter: declaration.staleAfter });
  };
}
