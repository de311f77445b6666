import type { StatusDocument } from "../../src/cli/status/build-status.ts";

export const now = new Date("2026-01-01T00:10:00.000Z");
/** A module with nothing the matter. */
export const line = {
  source: "3f2a9c1",
  builtFrom: "3f2a9c1",
  verdict: "fit",
  behindBy: null,
  declaredOn: 1,
  appliedOn: 1,
  outstandingOn: 0,
  olderOn: 0,
  notDeclaredOn: 0,
  others: [],
  standing: "current",
  standingWhy: "",
  buildingSince: null,
  findings: null,
  heldCommit: null,
  notReproducible: null,
  sourceLookedAt: "2026-01-01T00:09:58.000Z",
  sourceStale: false,
  sourceKnown: "known",
  sourceWhy: "examples (main) was at 3f2a9c1 2 s ago",
  runsOn: [{ node: "node-a", word: "current", applied: true }],
} as const;

/** Everything applied and known. */
export const settled: StatusDocument = {
  mesh: "shop",
  readAt: now.toISOString(),
  controller: {
    runs: true,
    holder: "host/12",
    role: "controller",
    epoch: 3,
    since: "2026-01-01T00:00:00.000Z",
    renewedMsAgo: 1000,
  },
  standbys: [],
  stopped: null,
  modules: [
    {
      ...line,
      module: "meshboard",
      text: "meshboard   source 3f2a9c1 · built from 3f2a9c1 · fit · declared on 1 · applied on 1",
    },
  ],
  nodes: [
    {
      node: "node-a",
      word: "current",
      since: "2026-01-01T00:05:00.000Z",
      why: "all of it was read back",
      knownAt: "2026-01-01T00:09:57.000Z",
      all: [{ word: "current", since: "2026-01-01T00:05:00.000Z", why: "all of it was read back" }],
      notices: [],
      behind: false,
      lastContactAt: "2026-01-01T00:09:57.000Z",
      refusedReports: 0,
      told: "3.41",
    },
  ],
  owed: [],
  conditions: [],
  sources: [
    {
      repository: "examples",
      branch: "main",
      commit: "3f2a9c1".padEnd(40, "0"),
      lookedAt: "2026-01-01T00:09:58.000Z",
      failingSince: null,
      failure: null,
    },
  ],
  pushes: [],
};

/** No controller, a debt, an urgent condition. */
export const troubled: StatusDocument = {
  ...settled,
  controller: {
    runs: false,
    why: "the controller host/12 has not renewed its lease for 40 s",
    holder: "host/12",
    epoch: 3,
  },
  owed: [
    {
      node: "node-b",
      what: "postgresql shop_db of meshboard on node-a is to be withdrawn",
      since: "2026-01-01T00:00:00.000Z",
      ageMs: 600_000,
      told: true,
      remedy: null,
    },
  ],
  conditions: [
    {
      code: "source-unreachable",
      subject: "repository/examples",
      message: "\u001b[31mno answer\u001b[0m",
      remedy: "see whether it runs",
      urgent: true,
      since: "2026-01-01T00:00:00.000Z",
      lastSeen: now.toISOString(),
      count: 9,
    },
  ],
};
