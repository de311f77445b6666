import type { ToldRecord } from "../store/pushes.ts";

export interface ToldCounts {
  /** Rounds in which anybody was told anything. */
  readonly rounds: number;
  /** Nodes that were sent something, in any round. */
  readonly sent: number;
  /** Nodes of which that is the last word. */
  readonly held: number;
  readonly notWorkedOut: number;
  readonly unconfirmed: number;
}

/** What a push did, from what was recorded of it; `told` by round. */
export function countTold(told: readonly Pick<ToldRecord, "node" | "round" | "outcome">[]): ToldCounts {
  const last = new Map(told.map((one) => [one.node, one]));
  const count = (outcome: ToldRecord["outcome"]): number =>
    [...last.values()].filter((one) => one.outcome === outcome).length;
  return {
    rounds: new Set(told.map((one) => one.round)).size,
    sent: new Set(told.filter((one) => one.outcome === "sent").map((one) => one.node)).size,
    held: count("held"),
    notWorkedOut: count("not-worked-out"),
    unconfirmed: count("needs-confirmation"),
  };
}
