import { describe, expect, it } from "vitest";
import type { StatusDocument, StatusNode } from "../../src/cli/status/build-status.ts";
import { withoutAges } from "../../src/cli/status/without-ages.ts";
import { settled, troubled } from "./settled-status.ts";

const isSame = (one: StatusDocument, other: StatusDocument): boolean => withoutAges(one) === withoutAges(other);
const [nodeA] = settled.nodes;
const [board] = settled.modules;
if (nodeA === undefined || board === undefined) throw new Error("the status has no node or no module");

const untended = {
  runs: false,
  why: "the controller host/12 has not renewed its lease for 40 s",
  holder: "host/12",
  epoch: 3,
} as const;
const standby = { holder: "host/13", since: "2026-01-01T00:00:00.000Z", seenMsAgo: 812.4 };

/** A node with one finding, as `situationOf` has it: first beside its name, and in the list. */
const nodeWith = (finding: Pick<StatusNode, "word" | "since" | "why" | "awaits">): StatusDocument => ({
  ...settled,
  nodes: [{ ...nodeA, ...finding, all: [finding] }],
});
const moduleWith = (change: Partial<StatusDocument["modules"][number]>): StatusDocument => ({
  ...settled,
  modules: [{ ...board, ...change }],
});
const since = "2026-01-01T00:00:00.000Z";

describe("a status watched without a terminal is printed anew", () => {
  it.each<readonly [string, StatusDocument, StatusDocument]>([
    [
      "a standby was heard again",
      { ...settled, standbys: [standby] },
      { ...settled, standbys: [{ ...standby, seenMsAgo: 90.1 }] },
    ],
    [
      "a lease is renewed no more for another second",
      troubled,
      {
        ...troubled,
        controller: { ...untended, why: "the controller host/12 has not renewed its lease for 41 s" },
      },
    ],
    [
      "a host is silent for another second",
      nodeWith({ word: "silent", since, why: "no word of its host for 58 s" }),
      nodeWith({ word: "silent", since, why: "no word of its host for 59 s" }),
    ],
    [
      "nobody heard a host for another second",
      nodeWith({ word: "cannot-tell", since, why: "nobody hears its host: no word of its host for 58 s" }),
      nodeWith({ word: "cannot-tell", since, why: "nobody hears its host: no word of its host for 59 s" }),
    ],
    [
      "a source was seen a second earlier",
      settled,
      moduleWith({ sourceWhy: "examples (main) was at 3f2a9c1 3 s ago", sourceLookedAt: since }),
    ],
    [
      "a source was not looked at for another second",
      moduleWith({ standing: "cannot-tell", standingWhy: "examples (main) was last looked at 58 s ago" }),
      moduleWith({ standing: "cannot-tell", standingWhy: "examples (main) was last looked at 59 s ago" }),
    ],
  ])("not where only %s", (_what, one, other) => {
    expect(isSame(one, other)).toBe(true);
  });

  it.each<readonly [string, StatusDocument, StatusDocument]>([
    ["a standby came", settled, { ...settled, standbys: [standby] }],
    ["another one has the lease", troubled, { ...troubled, controller: { ...untended, epoch: 4 } }],
    ["a lease was given back", troubled, { ...troubled, controller: { ...untended, holder: null } }],
    [
      "a host fell silent a second time",
      nodeWith({ word: "silent", since, why: "no word of its host for 58 s" }),
      nodeWith({ word: "silent", since: "2026-01-01T00:01:00.000Z", why: "no word of its host for 58 s" }),
    ],
    [
      "a failure is another one",
      nodeWith({ word: "failed", since, why: "web: it ended" }),
      nodeWith({ word: "failed", since, why: "web: its port is taken" }),
    ],
    ["a source moved", settled, moduleWith({ source: "4444444" })],
    ["a source is being compared", settled, moduleWith({ sourceKnown: "comparing" })],
    [
      "a module is unfit for another reason",
      moduleWith({ standing: "unfit", standingWhy: "a test fails" }),
      moduleWith({ standing: "unfit", standingWhy: "two tests fail" }),
    ],
  ])("where %s", (_what, one, other) => {
    expect(isSame(one, other)).toBe(false);
  });
});
