import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Declaration } from "../../src/core/declaration.ts";
import type { Resource } from "../../src/core/resource.ts";
import { acceptDeclaration, type Acceptance, type Mark } from "../../src/decide/accept-declaration.ts";
import { jumpLimits } from "../../src/decide/jump-limits.ts";
import { compareOrder } from "../../src/decide/order.ts";
import { digestNamed } from "./support/build-world.ts";
import { buildDeclaration } from "./support/build-report.ts";

function accept(offered: Declaration, have: Mark | null = null): Acceptance {
  const host = { mesh: "example", node: "node-a", incarnation: "host-node-a", limits: { resources: 2 } };
  return acceptDeclaration({ ...host, have, offered });
}

function markOf(declaration: Declaration): Mark {
  const { epoch, number, digest, incarnation } = declaration;
  return { order: { epoch, number }, digest, incarnation };
}

function checkOf(acceptance: Acceptance): string {
  return acceptance.kind === "refuse" ? acceptance.check : acceptance.kind;
}

const directory = (id: string): Resource => {
  return { id, module: "app", after: [], kind: "directory", path: "data/app", mode: "750", owner: "service" };
};
const withResources = (...ids: string[]): Declaration =>
  buildDeclaration({ content: { node: "node-a", builds: {}, resources: ids.map(directory) } });

describe("a host accepts (R27, R38)", () => {
  const mark = markOf(buildDeclaration());
  const cases: [string, Declaration, Mark | null, string][] = [
    ["its first declaration", buildDeclaration(), null, "accept"],
    ["a higher number", buildDeclaration({ number: 8 }), mark, "accept"],
    ["a higher epoch with a lower number", buildDeclaration({ epoch: 2, number: 1 }), mark, "accept"],
    ["the same again, as a duplicate", buildDeclaration(), mark, "duplicate"],
    ["an epoch at the bound of a jump", buildDeclaration({ epoch: 1 + jumpLimits.epochs }), mark, "accept"],
    ["no epoch above it", buildDeclaration({ epoch: 2 + jumpLimits.epochs }), mark, "jump"],
    ["a number at the bound of a jump", buildDeclaration({ number: 7 + jumpLimits.numbers }), mark, "accept"],
    ["no number above it", buildDeclaration({ number: 8 + jumpLimits.numbers }), mark, "jump"],
    ["any first declaration below the ceiling", buildDeclaration({ epoch: jumpLimits.ceiling }), null, "accept"],
    ["one with a number at the ceiling", buildDeclaration({ number: jumpLimits.ceiling }), null, "accept"],
    ["no first one above the ceiling", buildDeclaration({ number: jumpLimits.ceiling + 1 }), null, "jump"],
    ["no first epoch above the ceiling", buildDeclaration({ epoch: jumpLimits.ceiling + 1 }), null, "jump"],
    ["nothing older by number", buildDeclaration({ number: 6 }), mark, "older"],
    [
      "nothing of a dead epoch, whatever its number",
      buildDeclaration({ epoch: 1, number: 900 }),
      { ...mark, order: { epoch: 2, number: 1 } },
      "older",
    ],
    [
      "no other content under the same number",
      buildDeclaration(),
      { ...mark, digest: digestNamed("other") },
      "same-number-other-digest",
    ],
    [
      "an older order after enrolling again: the mark was another host's",
      buildDeclaration({ number: 1 }),
      { ...mark, incarnation: "host-before" },
      "accept",
    ],
    ["nothing of another mesh (case 45)", buildDeclaration({ mesh: "other" }), null, "mesh"],
    ["nothing for another node (case 45)", buildDeclaration({ node: "node-b" }), null, "node"],
    [
      "nothing with another node's content",
      buildDeclaration({ content: { node: "node-b", builds: {}, resources: [] } }),
      null,
      "node",
    ],
    [
      "nothing for the host before it under this name",
      buildDeclaration({ incarnation: "host-before" }),
      null,
      "incarnation",
    ],
    ["no content that is not what its digest says", buildDeclaration({ digest: digestNamed("other") }), null, "digest"],
    [
      "no more resources than it has room for",
      withResources("directory/app/a", "directory/app/b", "directory/app/c"),
      null,
      "size",
    ],
    ["as many as it has room for, in order", withResources("directory/app/a", "directory/app/b"), null, "accept"],
    ["no resource twice", withResources("directory/app/a", "directory/app/a"), null, "schema"],
    ["no resources out of order", withResources("directory/app/b", "directory/app/a"), null, "schema"],
  ];
  it.each(cases)("%s", (_, offered, have, check) => {
    expect(checkOf(accept(offered, have))).toBe(check);
  });

  it("says what it has when it refuses, so that an old controller can see it is behind (R35)", () => {
    expect(accept(buildDeclaration({ number: 6 }), mark)).toMatchObject({ message: "it is 1.6, this host has 1.7" });
  });

  it("never goes back, in whatever order declarations arrive (I1)", () => {
    const place = fc.record({ epoch: fc.integer({ min: 1, max: 4 }), number: fc.integer({ min: 1, max: 4 }) });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 30 }), (places) => {
        let have: Mark | null = null;
        for (const order of places) {
          const offered = buildDeclaration(order);
          const acceptance = accept(offered, have);
          const rises = have === null || compareOrder(order, have.order) > 0;
          expect(acceptance.kind === "accept").toBe(rises);
          if (acceptance.kind === "accept") have = markOf(offered);
        }
      }),
    );
  });
});
