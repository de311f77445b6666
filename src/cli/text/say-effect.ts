import type { Effect } from "./push-text.ts";

/** How far a node has come, in the words of the documentation; a document keeps the member's own. */
export function sayEffect(effect: Effect): string {
  return effect === "cannot-tell" ? "cannot tell" : effect === "not-sent" ? "not sent" : effect;
}
