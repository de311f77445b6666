import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Name } from "../../src/core/names.ts";
import { captureBaseline, digestOf } from "../../src/decide/find-changed.ts";
import { anyEdits, anyHistory, anyNodes, playHistory } from "./support/any-world.ts";
import { runPush } from "./support/run-push.ts";

/** A mesh with a past, edits that nobody pushed, and then a push. */
const anyPush = fc.tuple(anyHistory, anyEdits, anyNodes).map(([history, edits, nodes]) => {
  const world = playHistory([...history, ...edits]);
  const named: readonly Name[] = nodes;
  return { world, named, push: runPush(world, named, { confirmRemoval: true }) };
});

describe("whom a push tells", () => {
  it("is named, or is to be something else than before the push: nobody else (I9, R18, R19)", () => {
    fc.assert(
      fc.property(anyPush, ({ world, named, push }) => {
        const baseline = captureBaseline(world);
        for (const { node, decision } of push.rows) {
          if (!named.includes(node) && decision.kind === "send") expect(decision.digest).not.toBe(baseline.get(node));
        }
        const told = new Set(push.rows.map(({ node }) => node));
        for (const node of world.nodes.keys()) {
          if (!told.has(node)) expect(digestOf(push.world, node, { named: false })).toBe(baseline.get(node));
        }
      }),
      { numRuns: 25 },
    );
  });

  it("settles in a mesh where nothing else happens, and a second push finds nothing to do (L1)", () => {
    fc.assert(
      fc.property(anyPush, ({ named, push }) => {
        expect(push.settled).toBe(true);
        const again = runPush(push.world, named, { confirmRemoval: true });
        expect(again.rows.filter(({ decision }) => decision.kind === "send")).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it("gets no build by a cascade that it was not sent before (I9b, R21)", () => {
    fc.assert(
      fc.property(anyPush, ({ world, named, push }) => {
        for (const { node, decision } of push.rows) {
          if (named.includes(node) || decision.kind !== "send") continue;
          const before = world.sent.get(node)?.builds ?? {};
          for (const [module, build] of Object.entries(decision.content.builds)) expect(before[module]).toBe(build);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("never carries a credential that was withdrawn (I8c)", () => {
    fc.assert(
      fc.property(anyPush, ({ push }) => {
        const { world, rows } = push;
        for (const node of new Set(rows.filter(({ decision }) => decision.kind === "send").map((row) => row.node))) {
          const last = rows.findLast((row) => row.node === node && row.decision.kind === "send")?.decision;
          if (last?.kind !== "send") continue;
          for (const resource of last.content.resources) {
            if (resource.kind !== "file" || resource.content.from !== "provisions") continue;
            for (const { provision, version } of resource.content.references) {
              expect(world.provisions.get(provision)).toMatchObject({ state: "issued", version });
            }
          }
        }
      }),
      { numRuns: 25 },
    );
  });
});
