import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withSent } from "../../src/decide/apply-composition.ts";
import { composeForPush } from "../../src/decide/compose-for-push.ts";
import { createCompositionMemory, type CompositionMemory } from "../../src/decide/composition-memory.ts";
import { artifactKey, type World, type WorldArtifact } from "../../src/decide/world.ts";
import { anyRecords, type AnyRecords } from "./support/any-records.ts";
import { type Act, anyEdits, anyHistory, playHistory } from "./support/any-world.ts";
import { worldOfRecords } from "./support/world-of-records.ts";

const hows = [{ named: false }, { named: true }, { named: true, byPolicy: true }] as const;

/** Every node in every way, from memory and anew; one that is in no record as well. */
function look(memory: CompositionMemory, world: World): void {
  const digestIn = memory.lookAt(world);
  for (const node of [...world.nodes.keys(), "node-z"])
    for (const how of hows)
      expect([node, how, digestIn(node, how)]).toEqual([node, how, composeForPush(world, node, how).digest]);
}

/** What somebody between two worlds may see: what was issued without what was sent, what one node was sent, all. */
function listBetween(before: World, after: World): World[] {
  const told = [...after.sent].filter(([node, sent]) => before.sent.get(node) !== sent);
  return [
    { ...before, provisions: after.provisions, versions: after.versions },
    ...told.map((one) => ({ ...before, sent: new Map([...before.sent, one]) })),
    after,
  ];
}

function assign(where: string): Act {
  return { act: "assign", where, zone: "UTC" };
}

const keys = ["nodes", "modules", "artifacts", "assignments", "sends", "provisions", "claims", "reverted"] as const;
const mix = fc.array(fc.tuple(fc.constantFrom(...keys), fc.nat(2)), { minLength: 4, maxLength: 12 });

describe("what is kept from one look to the next (R18, R29)", () => {
  it("gives the digest of every node as composing all of them does, whatever moved in the records", () => {
    const property = fc.property(fc.tuple(anyRecords, anyRecords, anyRecords), mix, (records, moves) => {
      const memory = createCompositionMemory();
      let now: AnyRecords = records[0];
      look(memory, worldOfRecords(now));
      for (const [key, of] of moves) {
        now = { ...now, [key]: records[of]?.[key] };
        look(memory, worldOfRecords(now));
      }
    });
    fc.assert(property, { numRuns: 60 });
  });

  it("does so after each act of people and pushes, and when only a part of it was seen", () => {
    const property = fc.property(anyHistory, anyEdits, (history, edits) => {
      const memory = createCompositionMemory();
      let world = playHistory([]);
      for (const act of [...history, ...edits]) {
        const next = playHistory([act], world);
        for (const between of listBetween(world, next)) look(memory, between);
        world = next;
      }
    });
    fc.assert(property, { numRuns: 60 });
  });

  it("sees a provider that is back among those who would provide, and nothing else of it", () => {
    // meshboard has its database from node-b, whose host was enrolled again, and which is to run no provider any more.
    const acts: Act[] = ["postgres@node-b", "postgres@node-c", "meshboard@node-a"].map(assign);
    const pushed: Act[] = [
      { act: "push", nodes: ["node-b"] },
      { act: "push", nodes: ["node-a"] },
      { act: "push", nodes: ["node-c"] },
      { act: "enrol", node: "node-b", incarnation: "host-2" },
      { act: "unassign", where: "postgres@node-b" },
    ];
    const without = playHistory([...acts, ...pushed]);
    const memory = createCompositionMemory();
    expect(memory.lookAt(without)("node-a", { named: true })).not.toBeNull();
    const back = playHistory([assign("postgres@node-b")], without);
    expect(memory.lookAt(back)("node-a", { named: true })).toBeNull();
  });

  it("holds when looks at different moments alternate, and after many looks", () => {
    const property = fc.property(anyRecords, anyRecords, (one, other) => {
      const memory = createCompositionMemory();
      const worlds = [one, { ...one, provisions: other.provisions }, { ...one, sends: other.sends }].map(
        worldOfRecords,
      );
      for (let round = 0; round < 23; round += 1) for (const world of worlds) look(memory, world);
    });
    fc.assert(property, { numRuns: 4 });
  });

  it("composes only those for whom something moved", () => {
    const composed: string[] = [];
    const start = playHistory([{ act: "assign", where: "clock@node-a", zone: "UTC" }]);
    const shared = spyOn(start.artifacts, (key) => composed.push(key));
    const world = { ...start, artifacts: shared };
    const memory = createCompositionMemory();
    const read = (at: World): string[] => {
      composed.length = 0;
      const digestIn = memory.lookAt(at);
      for (const node of at.nodes.keys()) digestIn(node, { named: true });
      return [...composed];
    };
    expect(read(world)).not.toEqual([]);
    expect(read({ ...world })).toEqual([]);
    const sent = { digest: "sha256:0", builds: {}, incarnation: "host-1", offers: [] };
    expect(read(withSent({ ...world }, "node-b", { ...sent, order: { epoch: 1, number: 1 } }))).toEqual([]);
    expect(
      read({ ...world, assignments: playHistory([{ act: "assign", where: "clock@node-a", zone: "CET" }]).assignments }),
    ).not.toEqual([]);
  });
});

/** The same artifacts, which say when their manifest is read. */
function spyOn(artifacts: World["artifacts"], onRead: (key: string) => void): World["artifacts"] {
  return new Map(
    [...artifacts.values()].map(({ artifact, manifest }): [string, WorldArtifact] => {
      const key = artifactKey(artifact.module, artifact.digest);
      const spied = {
        artifact,
        get manifest() {
          onRead(key);
          return manifest;
        },
      };
      return [key, spied];
    }),
  );
}
