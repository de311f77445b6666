import type { PushDocument } from "../../src/cli/text/push-text.ts";

const digest = `sha256:${"a".repeat(64)}`;

/** A push of node-a that told node-b in round 1, settled and applied on both. */
export const settledPush: PushDocument = {
  push: "20260101T000000-beef",
  outcome: "settled",
  rounds: 2,
  message: "settled in 2 rounds, sent to 2 nodes",
  moving: [],
  settledMs: 420,
  appliedMs: 910,
  ui: "http://127.0.0.1:8233/namespaces/default/workflows/push%2Fshop%2F1",
  nodes: [
    {
      node: "node-a",
      round: 0,
      outcome: "sent",
      why: "named",
      epoch: 3,
      number: 41,
      digest,
      effect: "applied",
      says: "",
    },
    {
      node: "node-b",
      round: 1,
      outcome: "sent",
      why: "a database for meshboard on node-a was minted here",
      epoch: 3,
      number: 42,
      digest,
      effect: "applied",
      says: "",
    },
  ],
};
