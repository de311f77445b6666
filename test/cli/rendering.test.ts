import { describe, expect, it } from "vitest";
import type { StatusDocument } from "../../src/cli/status/build-status.ts";
import { narrowStatus, statusCode } from "../../src/cli/status/status-code.ts";
import { planText } from "../../src/cli/text/plan-text.ts";
import { pushText } from "../../src/cli/text/push-text.ts";
import { moduleLines, statusText } from "../../src/cli/text/status-text.ts";
import { settledPush as push } from "./settled-push.ts";

const now = new Date("2026-01-01T00:10:00.000Z");
const line = {
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
  findings: null,
  heldCommit: null,
  notReproducible: null,
  sourceLookedAt: "2026-01-01T00:09:58.000Z",
  sourceStale: false,
  runsOn: [{ node: "node-a", word: "current", applied: true }],
} as const;

const settled: StatusDocument = {
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

const troubled: StatusDocument = {
  ...settled,
  controller: { runs: false, why: "the controller host/12 has not renewed its lease for 40 s" },
  owed: [
    {
      node: "node-b",
      what: "postgresql shop_db of meshboard on node-a is to be withdrawn",
      since: "2026-01-01T00:00:00.000Z",
      ageMs: 600_000,
      told: true,
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

describe("status for a person", () => {
  it("a settled mesh: every row says how old it is (R31)", () => {
    expect(statusText(settled, now)).toMatchInlineSnapshot(`
      "mesh shop, read at 2026-01-01T00:10:00.000Z; controller host/12 acts under epoch 3

      meshboard   source 3f2a9c1 · built from 3f2a9c1 · fit · declared on 1 · applied on 1

      NODE    STANDS   SINCE      KNOWN      TOLD
      node-a  current  5 min ago  3.0 s ago  3.41  all of it was read back

      sources
        examples  main  3f2a9c1  looked at 2.0 s ago
        next: mesh status --watch"
    `);
    expect(statusCode(settled)).toBe(0);
  });

  it("a mesh with debts and conditions, and no controller", () => {
    expect(statusText(troubled, now)).toMatchInlineSnapshot(`
      "mesh shop, read at 2026-01-01T00:10:00.000Z; no controller acts: the controller host/12 has not renewed its lease for 40 s

      meshboard   source 3f2a9c1 · built from 3f2a9c1 · fit · declared on 1 · applied on 1

      NODE    STANDS   SINCE      KNOWN      TOLD
      node-a  current  5 min ago  3.0 s ago  3.41  all of it was read back

      owed
        to node-b  since 10 min  postgresql shop_db of meshboard on node-a is to be withdrawn, it was told and has not confirmed

      conditions
        ! source-unreachable  repository/examples  since 10 min ago, 9 times  ·[31mno answer·[0m → see whether it runs

      sources
        examples  main  3f2a9c1  looked at 2.0 s ago
        next: npm start (or mesh serve): nothing moves without a controller"
    `);
    expect(statusCode(troubled)).toBe(2);
  });

  it("is pending while anything is owed (R20)", () => {
    expect(statusCode({ ...settled, owed: troubled.owed })).toBe(1);
  });

  it("of one module is no more than what its nodes read back, and no newer than the look at its source (R48)", () => {
    const of = (changes: Partial<StatusDocument["modules"][number]>): StatusDocument =>
      narrowStatus({ ...settled, modules: settled.modules.map((one) => ({ ...one, ...changes })) }, "meshboard") ??
      settled;
    const codeOn = (word: "current" | "outstanding" | "stuck" | "silent", applied: boolean): number =>
      statusCode(of({ runsOn: [{ node: "node-a", word, applied }] }));
    // Stuck in something else, and this module is there: 0.
    expect([codeOn("current", true), codeOn("stuck", true)]).toEqual([0, 0]);
    expect([codeOn("outstanding", false), codeOn("stuck", false), codeOn("silent", true)]).toEqual([1, 2, 3]);
    const stale = of({ runsOn: [{ node: "node-a", word: "silent", applied: true }], sourceStale: true });
    expect(statusCode(of({ runsOn: [], sourceStale: true }))).toBe(3);
    expect(statusText(stale, now)).toContain("\n  its source was last looked at 2.0 s ago: it may have moved\n");
    expect(statusText(stale, now)).toContain("runs on\n  node-a  silent  read back as applied\n");
  });

  it("of one module or node shows what is about it; of an unknown one there is none", () => {
    expect(narrowStatus(troubled, "node-b")).toBeNull();
    expect(narrowStatus(troubled, "meshboard")).toMatchObject({
      subject: "meshboard",
      nodes: [],
      modules: [{ module: "meshboard" }],
      owed: [{ node: "node-b" }],
    });
  });
});

describe("what status says below its lines", () => {
  it("says why a module is broken, and where", () => {
    const why = "core imports nowhere at src/a.ts:3, which no module publishes";
    const [module] = settled.modules;
    if (module === undefined) throw new Error("the settled status has a module");
    const noticed = {
      ...module,
      findings: { errors: 0, warnings: 3, first: "src/a.ts:7 import() of a computed name" },
    };
    expect(moduleLines(noticed, now)[1]).toBe(
      "  noticed: src/a.ts:7 import() of a computed name, and 2 more (mesh why says all)",
    );
    const broken = { ...module, standing: "broken" as const, standingWhy: why };
    expect(statusText({ ...settled, modules: [broken] }, now)).toContain(`\n  broken: ${why}\n`);
  });

  it("leads from one module to its reasons, and not to adding nodes", () => {
    const narrowed = narrowStatus(settled, "meshboard");
    if (narrowed === null) throw new Error("there is such a module");
    expect(statusText(narrowed, now)).toContain("next: mesh why meshboard");
  });

  it("watched, it does not tell to watch", () => {
    expect(statusText(settled, now)).toContain("next: mesh status --watch");
    expect(statusText(settled, now, { watched: true })).not.toContain("next:");
  });
});

describe("push for a person", () => {
  it("names each node with its round and its reason (R18)", () => {
    expect(pushText(push)).toMatchInlineSnapshot(`
      "push 20260101T000000-beef: settled in 420 ms, applied on 2 of 2 in 910 ms
        settled in 2 rounds, sent to 2 nodes

      node-a  named    sent 3.41  applied
      node-b  round 1  sent 3.42  applied  a database for meshboard on node-a was minted here

        http://127.0.0.1:8233/namespaces/default/workflows/push%2Fshop%2F1
        next: mesh status"
    `);
  });

  it("of a shell names what starts a controller, as long as hosts have something to fetch", () => {
    const waiting = push.nodes.map((node) => ({ ...node, effect: "outstanding" as const }));
    const delivered = { ...push, nodes: waiting, appliedMs: null };
    const notes = ["this shell delivered it and gave its lease back"];
    expect(pushText({ ...delivered, notes })).toMatch(
      /next: npm start \(mesh up\), or mesh serve; then mesh status --wait$/,
    );
    expect(pushText(delivered)).toMatch(/next: mesh status --wait$/);
    expect(pushText({ ...push, notes })).toMatch(/next: mesh status$/);
  });

  it("one that did not settle names what still moves (case 21)", () => {
    const text = pushText({
      ...push,
      outcome: "did-not-settle",
      moving: ["node-c"],
      settledMs: null,
      appliedMs: null,
      nodes: [],
    });
    expect(text).toContain("did not settle");
    expect(text).toContain("still moves: node-c");
  });

  it("one that needs a confirmation says how it is given (R26)", () => {
    const [node] = push.nodes;
    if (node === undefined) throw new Error("the sample has a node");
    const text = pushText({
      ...push,
      nodes: [{ ...node, outcome: "needs-confirmation", effect: "not-sent", why: "2 modules would go" }],
    });
    expect(text).toContain("mesh push node-a --confirm-removal");
  });
});

describe("plan for a person (R23)", () => {
  it("shows each node with its reason and the difference", () => {
    const text = planText({
      named: ["node-a"],
      settles: true,
      stopped: null,
      nodes: [
        {
          node: "node-a",
          round: 0,
          outcome: "would-be-sent",
          why: "named",
          mints: ["postgresql shop_db for meshboard on postgres@node-b"],
          withdrawals: [],
          notes: [],
          changes: [
            { change: "added", what: "build/meshboard", detail: "aaaaaaa" },
            { change: "changed", what: "file/meshboard/provisions", detail: "content" },
          ],
        },
        {
          node: "node-b",
          round: 1,
          outcome: "would-be-sent",
          why: "a database was minted here",
          mints: [],
          withdrawals: [],
          notes: [],
          changes: [],
        },
      ],
    });
    expect(text).toMatchInlineSnapshot(`
      "a push of node-a would send to 2 nodes, 1 of them by cascade

      node-a  named  would be sent
        makes postgresql shop_db for meshboard on postgres@node-b
        +  build/meshboard            aaaaaaa
        ~  file/meshboard/provisions  content

      node-b  round 1  would be sent: a database was minted here

      nothing was changed; this plan ends with no token: a push composes anew when it runs
        next: mesh push node-a"
    `);
  });
});
