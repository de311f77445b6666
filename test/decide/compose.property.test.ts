import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentSchema } from "../../src/core/declaration.ts";
import type { Name } from "../../src/core/names.ts";
import type { Provision } from "../../src/core/provision.ts";
import { withIssued } from "../../src/decide/apply-composition.ts";
import { compose } from "../../src/decide/compose.ts";
import type { Composition } from "../../src/decide/composition.ts";
import { orderResources } from "../../src/decide/order-resources.ts";
import type { World } from "../../src/decide/world.ts";
import { anyHistory, anyNode, playHistory } from "./support/any-world.ts";

const newest = { at: "newest" } as const;

function reverseMap<K, V>(map: ReadonlyMap<K, V>): Map<K, V> {
  return new Map([...map].toReversed());
}

/** The same world, as another query would have returned it. */
function shuffle(world: World): World {
  return {
    ...world,
    nodes: reverseMap(world.nodes),
    modules: reverseMap(world.modules),
    artifacts: reverseMap(world.artifacts),
    assignments: new Map([...reverseMap(world.assignments)].map(([node, list]) => [node, list.toReversed()])),
    provisions: reverseMap(world.provisions),
    versions: reverseMap(world.versions),
    sent: reverseMap(world.sent),
  };
}

function composeAll(world: World): Map<Name, Composition> {
  return new Map([...world.nodes.keys()].toSorted().map((node) => [node, compose(world, node, newest)]));
}

describe("composing", () => {
  it("gives the same for the same records, in whatever order they were read", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const world = playHistory(history);
        expect(composeAll(shuffle(world))).toEqual(composeAll(world));
      }),
      { numRuns: 15 },
    );
  });

  it("is not moved by minting what it named already, and mints nothing twice (R29)", () => {
    fc.assert(
      fc.property(anyHistory, anyNode, (history, node) => {
        const world = playHistory(history);
        const before = compose(world, node, newest);
        fc.pre(before.kind === "composed");
        const after = compose(withIssued(world, before.mints, before.withdrawals), node, newest);
        expect(after).toMatchObject({ kind: "composed", digest: before.digest, mints: [], withdrawals: [] });
      }),
      { numRuns: 15 },
    );
  });

  it("leaves every other node as it was when what was minted is withdrawn again (R20)", () => {
    fc.assert(
      fc.property(anyHistory, anyNode, (history, node) => {
        const world = playHistory(history);
        const composed = compose(world, node, newest);
        fc.pre(composed.kind === "composed" && composed.withdrawals.length === 0);
        const minted = withIssued(world, composed.mints, []);
        const withdrawn = withIssued(
          minted,
          [],
          composed.mints.map(({ id }) => id),
        );
        for (const other of [...world.nodes.keys()].filter((name) => name !== node)) {
          expect(compose(withdrawn, other, newest)).toEqual(compose(world, other, newest));
        }
      }),
      { numRuns: 15 },
    );
  });

  it("grants exactly what is issued from this host by the modules it will have (R17)", () => {
    fc.assert(
      fc.property(anyHistory, anyNode, (history, node) => {
        const world = playHistory(history);
        const composed = compose(world, node, newest);
        fc.pre(composed.kind === "composed");
        const granted = composed.content.resources.flatMap((resource) =>
          resource.kind === "grant" ? resource.grants.map((grant) => `${grant.provision}#${grant.version}`) : [],
        );
        const provides = composed.offers.map(({ module, kind }) => `${module} ${kind}`);
        const gone = new Set(composed.withdrawals);
        const isFromHere = ({ provider, kind }: Provision): boolean =>
          provider.node === node &&
          provider.incarnation === world.nodes.get(node)?.incarnation &&
          provides.includes(`${provider.module} ${kind}`);
        const issued = [...world.provisions.values()].filter(({ id, state }) => state === "issued" && !gone.has(id));
        const wanted = [...issued, ...composed.mints].filter(isFromHere).map(({ id, version }) => `${id}#${version}`);
        expect(granted.toSorted()).toEqual(wanted.toSorted());
      }),
      { numRuns: 15 },
    );
  });

  it("makes only what a host takes, in an order there is", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        for (const composed of composeAll(playHistory(history)).values()) {
          if (composed.kind !== "composed") continue;
          expect(contentSchema.parse(composed.content)).toEqual(composed.content);
          const ids = composed.content.resources.map(({ id }) => id);
          expect(ids).toEqual([...new Set(ids)].toSorted());
          expect(orderResources(composed.content.resources).kind).toBe("ordered");
        }
      }),
      { numRuns: 15 },
    );
  });
});
