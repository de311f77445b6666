import type { PushResult, Told } from "../core/push.ts";

export interface PushEnd {
  readonly outcome: PushResult["outcome"];
  readonly rounds: number;
  readonly moving: readonly string[];
  /** The last that became of each node. */
  readonly last: readonly Pick<Told, "node" | "outcome" | "why">[];
  /** How many nodes were sent something. */
  readonly sent: number;
}

/** The end of a push in a sentence: one that was refused is not called settled. */
export function describePushEnd({ outcome, rounds, moving, last, sent }: PushEnd): string {
  const inRounds = `in ${rounds} ${rounds === 1 ? "round" : "rounds"}`;
  if (moving.length > 0) return `did not settle ${inRounds}: ${moving.slice(0, 10).join(", ")} still move`;
  const kept = last.filter((one) => one.outcome !== "sent" && one.outcome !== "already-current");
  const first = kept.slice(0, 3).map((one) => `${one.node} ${words[one.outcome] ?? one.outcome}: ${one.why}`);
  const told = sent === 0 ? "nothing to send" : `sent to ${sent} ${sent === 1 ? "node" : "nodes"}`;
  if (outcome === "refused") {
    return [...first, sent === 0 ? "nothing was sent" : `${told}, the rest is as it was`].join("; ");
  }
  return [`settled ${inRounds}, ${told}`, ...first].join("; ");
}

const words: Readonly<Partial<Record<Told["outcome"], string>>> = {
  held: "is held",
  "not-worked-out": "is not worked out",
  "needs-confirmation": "needs a confirmation",
};
