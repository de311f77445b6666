import { describe, expect, it } from "vitest";
import { deliveryLine, type DeliveryFacts, type DeliveryNode } from "../../src/decide/delivery-line.ts";
import { isModuleApplied } from "../../src/decide/is-module-applied.ts";
import { buildReport, resourceRow } from "./support/build-report.ts";
import { buildFacts } from "./support/build-situation.ts";
import { buildOf, digestNamed } from "./support/build-world.ts";

const newCommit = `3f2a9c1${"0".repeat(33)}`;
const oldCommit = `9aa01bc${"0".repeat(33)}`;
const fit = buildOf("meshboard", 2);
const applied: Omit<DeliveryNode, "node"> = { declared: fit, word: "current", applied: true };
const outstanding: Omit<DeliveryNode, "node"> = { declared: fit, word: "outstanding", applied: false };

function lineOf(parts: Partial<DeliveryFacts>, nodes: readonly Omit<DeliveryNode, "node">[] = []): string {
  return deliveryLine(
    {
      module: "meshboard",
      sourceCommit: newCommit,
      standing: "current",
      standingWhy: "",
      fit: { artifact: fit, commit: newCommit },
      behindBy: 0,
      waitingFor: [],
      nodes: nodes.map((node, at) => ({ node: `node-${at}`, ...node })),
      ...parts,
    },
    11,
  ).text;
}

describe("the line of a delivery is about effect (R15)", () => {
  it.each<[string, Partial<DeliveryFacts>, readonly Omit<DeliveryNode, "node">[], string]>([
    ["applied", {}, [applied], "source 3f2a9c1 · built from 3f2a9c1 · fit · declared on 1 · applied on 1"],
    [
      "on some still outstanding",
      {},
      [applied, applied, applied, outstanding, outstanding],
      "source 3f2a9c1 · built from 3f2a9c1 · fit · declared on 5 · applied on 3, 2 outstanding",
    ],
    [
      "with a machine that is stuck and one that is silent",
      {},
      [applied, { ...outstanding, word: "stuck" }, { ...outstanding, word: "silent" }],
      "source 3f2a9c1 · built from 3f2a9c1 · fit · declared on 3 · applied on 1, 1 silent, 1 stuck",
    ],
    [
      "recorded only: machines keep the build they have (R14)",
      {},
      [
        { ...applied, declared: buildOf("meshboard", 1), word: "out-of-date" },
        { ...applied, declared: null, applied: false },
      ],
      "source 3f2a9c1 · built from 3f2a9c1 · fit · declared on 0, 1 on another build, 1 not told · applied on 0",
    ],
    [
      "built at an earlier commit with the same content: it is not behind",
      { fit: { artifact: fit, commit: oldCommit } },
      [applied],
      "source 3f2a9c1 · built from 9aa01bc (same content) · fit · declared on 1 · applied on 1",
    ],
    [
      "unfit: what runs is the last fit build",
      { standing: "unfit", fit: { artifact: fit, commit: oldCommit }, behindBy: 2 },
      [applied],
      "source 3f2a9c1 · built from 9aa01bc, 2 changes seen since · unfit · declared on 1 · applied on 1",
    ],
    [
      "waiting for core",
      { standing: "waiting", waitingFor: ["core"], fit: null },
      [],
      "source 3f2a9c1 · waiting for core",
    ],
    ["nobody could judge", { standing: "outstanding", fit: null }, [], "source 3f2a9c1 · outstanding"],
    ["never built", { standing: "new", fit: null }, [], "source 3f2a9c1 · not built"],
    [
      "older than its source",
      { standing: "out-of-date", fit: { artifact: fit, commit: oldCommit }, behindBy: 1 },
      [],
      "source 3f2a9c1 · built from 9aa01bc, 1 change seen since · out of date · declared on 0 · applied on 0",
    ],
    [
      "of a source nobody could read",
      { sourceCommit: null, standing: "broken", fit: null },
      [],
      "source not known · broken",
    ],
  ])("%s", (_, parts, nodes, text) => {
    expect(lineOf(parts, nodes)).toBe(`meshboard     ${text}`);
  });
});

describe("a module is applied (R43, case 33)", () => {
  const { sent } = buildFacts();
  if (sent === null) throw new Error("node-a was sent something");
  const rows = [resourceRow("artifact/app/files", "applied"), resourceRow("service/app/main", "applied")];
  const report = buildReport({ resources: rows });

  it("when all of it was read back in what was last sent", () => {
    expect(isModuleApplied("app", sent, report)).toBe(true);
  });

  it("although another module of the node fails", () => {
    const resources = [...rows, resourceRow("service/other/main", "failed")];
    expect(isModuleApplied("app", sent, { ...report, outcome: "failed", resources })).toBe(true);
  });

  it.each([
    ["when nothing of it was read back", { resources: [] }],
    ["when one part is not", { resources: [...rows, resourceRow("file/app/conf", "failed")] }],
    ["while the apply goes on", { outcome: "half" as const }],
    ["in an older declaration (case 40)", { has: { epoch: 1, number: 6 } }],
    ["with other content", { digest: digestNamed("other") }],
    ["on the host before it under this name", { incarnation: "host-before" }],
    ["where its host went back since", { reverted: { to: null, why: "put back", since: "", heardAt: "" } }],
  ])("not %s", (_, parts) => {
    expect(isModuleApplied("app", sent, { ...report, ...parts })).toBe(false);
  });

  it("not when there is no account", () => {
    expect(isModuleApplied("app", sent, null)).toBe(false);
  });
});
