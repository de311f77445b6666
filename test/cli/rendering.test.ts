import { describe, expect, it } from "vitest";
import type { StatusDocument } from "../../src/cli/status/build-status.ts";
import { narrowStatus, statusCode } from "../../src/cli/status/status-code.ts";
import { type PlanDocument, planText } from "../../src/cli/text/plan-text.ts";
import { pushText } from "../../src/cli/text/push-text.ts";
import { deliveryLine } from "../../src/decide/delivery-line.ts";
import { nodeWhyText } from "../../src/cli/text/why-text.ts";
import { moduleLines, statusText } from "../../src/cli/text/status-text.ts";
import { settledPush as push } from "./settled-push.ts";
import { now, settled, troubled } from "./settled-status.ts";

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
      "mesh shop, read at 2026-01-01T00:10:00.000Z; no controller acts, so nobody looks: the controller host/12 has not renewed its lease for 40 s

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

  it("an urgent condition beside healthy nodes is what comes next: to watch ends nothing (R33)", () => {
    const { conditions } = troubled;
    expect(statusText({ ...settled, conditions }, now)).toMatch(/ {2}next: mesh conditions$/);
    const nodes = settled.nodes.map((node) => ({ ...node, word: "failed" as const }));
    expect(statusText({ ...settled, nodes, conditions }, now)).toMatch(/ {2}next: mesh why node-a$/);
    const minor = conditions.map((condition) => ({ ...condition, urgent: false }));
    expect(statusText({ ...settled, conditions: minor }, now)).toMatch(/ {2}next: mesh status --watch$/);
  });

  it("says what to do for a debt that nobody can confirm any more (R20)", () => {
    const owed = troubled.owed.map((debt) => ({ ...debt, remedy: "mesh assign node-b postgres" }));
    expect(statusText({ ...troubled, owed }, now)).toContain("and has not confirmed → mesh assign node-b postgres\n");
  });

  it("is not settled while a tip that was just seen is being compared, and says so (R48)", () => {
    const sourceWhy = "examples (main) was seen at be5421b 2 s ago, and is being compared";
    const modules = settled.modules.map((one) => ({ ...one, sourceKnown: "comparing" as const, sourceWhy }));
    expect(statusCode({ ...settled, modules })).toBe(1);
    expect(statusText({ ...settled, modules }, now)).toContain(`applied on 1\n  ${sourceWhy}\n`);
  });

  it("cannot be told where no controller acts, or only a shell does: nobody looks (R48)", () => {
    expect(statusCode({ ...settled, controller: troubled.controller })).toBe(3);
    const shell = { ...settled.controller, role: "shell" } as StatusDocument["controller"];
    expect(statusCode({ ...settled, controller: shell })).toBe(3);
    // Nothing that is pending goes on either.
    expect(statusCode({ ...settled, owed: troubled.owed, controller: troubled.controller })).toBe(3);
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
    const why = "examples (main) was last looked at 2 min ago: it may have moved";
    const untold = { standing: "cannot-tell", standingWhy: why, sourceStale: true } as const;
    const stale = of({ runsOn: [{ node: "node-a", word: "silent", applied: true }], ...untold });
    expect(statusCode(of({ runsOn: [], ...untold }))).toBe(3);
    expect(statusText(stale, now)).toContain(`\n  cannot tell: ${why}\n`);
    // Not in a circle: to what keeps it from being looked at, or to a look.
    expect(statusText(stale, now)).toMatch(/ {2}next: mesh build --wait$/);
    const conditions = troubled.conditions.map((one) => ({ ...one, urgent: false }));
    expect(statusText({ ...stale, conditions }, now)).toMatch(/ {2}next: mesh conditions$/);
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

  it("of a declaration by hand names whom it changed and did not tell, and what tells them (R19)", () => {
    const told = push.nodes.slice(0, 1);
    const changed = [
      { node: "node-b", why: "a database for meshboard on node-a is to be made" },
      { node: "node-c", why: "node-a has another address" },
    ];
    const text = pushText({ ...push, nodes: told, changed });
    expect(text).toContain(
      "  changed by it, and not told: node-b (a database for meshboard on node-a is to be made)\n",
    );
    expect(text).toMatch(/next: mesh push node-b node-c$/);
    expect(pushText({ ...push, nodes: told, changed: [] })).toMatch(/next: mesh status$/);
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
  const foreseen = { why: "", mints: [], withdrawals: [], notes: [], changes: [] };
  const nextOf = (
    ...nodes: readonly (readonly [string, number, PlanDocument["nodes"][number]["outcome"]])[]
  ): string => {
    const planned = nodes.map(([node, round, outcome]) => ({ ...foreseen, node, round, outcome }));
    const named = planned.filter(({ round }) => round === 0).map(({ node }) => node);
    return planText({ named, settles: true, stopped: null, nodes: planned }).split("next: ")[1] ?? "";
  };

  it("says how a node that it names is confirmed, and that one it only reaches is confirmed by its own push (R26)", () => {
    expect(nextOf(["node-a", 0, "needs-confirmation"], ["node-b", 1, "would-be-sent"])).toMatch(
      /^mesh push node-a --confirm-removal/,
    );
    expect(nextOf(["node-a", 0, "would-be-sent"], ["node-b", 1, "needs-confirmation"])).toMatch(
      /^mesh plan node-b, and where that is meant: mesh push node-b --confirm-removal/,
    );
  });

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

describe("a node's words for a person, in rows of nodes, of modules and in why (R15, R31)", () => {
  it.each([
    ["un-ready", "un-ready"],
    ["cannot-tell", "cannot tell"],
  ] as const)("%s is said as %s in all of them", (word, said) => {
    const [node] = settled.nodes;
    if (node === undefined) throw new Error("there is a node");
    const finding = { word, since: null, why: "web waits for mq" };
    const stands = { ...node, word, all: [finding] };
    const artifact = `sha256:${"a".repeat(64)}`;
    const { text } = deliveryLine({
      module: "web",
      sourceCommit: null,
      standing: "current",
      standingWhy: "",
      fit: { artifact, commit: "c".repeat(40) },
      behindBy: 0,
      waitingFor: [],
      nodes: [{ node: "node-a", declared: artifact, word, applied: false }],
    });
    const heard = { refusedReports: 0, reportUnreadable: false, reported: null };
    const why = { situation: stands, assignments: [], remedy: null, sends: [], ...heard };
    expect(text).toContain(`1 ${said}`);
    expect(statusText({ ...settled, nodes: [stands] }, now)).toContain(`node-a  ${said}  `);
    expect(nodeWhyText(why, now)).toMatch(new RegExp(`^node-a is ${said}, .*\\n {2}${said} `));
  });
});
