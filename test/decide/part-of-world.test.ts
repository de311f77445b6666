import { describe, expect, it } from "vitest";
import { withIssued, withSent } from "../../src/decide/apply-composition.ts";
import { compose } from "../../src/decide/compose.ts";
import { decideTell } from "../../src/decide/decide-tell.ts";
import { indexWorld } from "../../src/decide/index-world.ts";
import { boundWorld, loadedOf, withEntries } from "../../src/decide/part-of-world.ts";
import type { World } from "../../src/decide/world.ts";
import { partFor } from "../simulation/store/part-for.ts";
import { exampleMesh } from "./support/example-mesh.ts";
import { runPush } from "./support/run-push.ts";

const newest = { at: "newest" } as const;
/** node-a, whose meshboard has its database from node-b; node-c runs something of its own. */
const whole = runPush(exampleMesh(), ["node-a", "node-b"]).world;
const part = partFor(whole, ["node-a"]);
const notLoaded = /asked of a part of the world/;

describe("a part of the world (R26)", () => {
  it("composes what it was loaded for as the whole does", () => {
    expect(compose(part, "node-a", newest)).toEqual(compose(whole, "node-a", newest));
  });

  it("answers that there is none where it was loaded for that", () => {
    expect(partFor(whole, ["node-z"]).nodes.get("node-z")).toBeUndefined();
    expect(compose(partFor(whole, ["node-z"]), "node-z", newest)).toEqual(compose(whole, "node-z", newest));
  });

  it.each<[string, (world: World) => unknown]>([
    ["a node", (world) => world.nodes.get("node-c")],
    ["what is assigned to it", (world) => world.assignments.get("node-c")],
    ["what it was sent", (world) => world.sent.get("node-c")],
    ["whether it was sent anything", (world) => world.sent.has("node-c")],
    ["a module", (world) => world.modules.get("clock")],
    ["a build", (world) => world.artifacts.get("clock@sha256:0")],
    ["a provision of another node", (world) => world.provisions.get("node-c.clock.x.h@node-b.postgres.h")],
    ["versions of one", (world) => world.versions.get("node-c.clock.x.h@node-b.postgres.h")],
    ["who offers a kind that nobody here requires", (world) => indexWorld(world).toldOffers.get("rabbitmq")],
    ["who would", (world) => indexWorld(world).plannedProviders.get("rabbitmq")],
    ["what is issued to a node beside it", (world) => indexWorld(world).issuedByConsumer.get("node-b")],
    ["what is issued from its provider", (world) => indexWorld(world).issuedByProvider.get("node-b")],
    ["all nodes", (world) => [...world.nodes]],
    ["how many there are", (world) => world.nodes.size],
    ["every name", (world) => [...world.nodes.keys()]],
    ["every offer", (world) => [...indexWorld(world).toldOffers.values()]],
    ["what its provider should be", (world) => compose(world, "node-b", newest)],
    [
      "what to tell another",
      (world) => decideTell({ world, node: "node-c", named: true, why: "", confirmRemoval: false }),
    ],
  ])("throws, and never says that there is none, when asked for %s", (_what, ask) => {
    expect(() => ask(part)).toThrow(notLoaded);
    expect(() => ask(whole)).not.toThrow();
  });

  it("stays one after provisions were issued and something was sent", () => {
    const sent = whole.sent.get("node-a");
    if (sent === undefined) throw new Error("node-a was not told");
    const [id = ""] = loadedOf(part.provisions).keys();
    const after = withSent(withIssued(part, [], [id]), "node-a", sent);
    expect(after.provisions.get(id)?.state).toBe("owed");
    expect(part.provisions.get(id)?.state).toBe("issued");
    expect(() => after.provisions.size).toThrow(notLoaded);
    expect(() => after.sent.get("node-c")).toThrow(notLoaded);
    expect(() => indexWorld(after).issuedByProvider.get("node-b")).toThrow(notLoaded);
    expect(() => withSent(after, "node-c", sent)).toThrow(notLoaded);
  });

  it("of which a whole is none: it is copied, and read, as it is", () => {
    expect(loadedOf(whole.nodes)).toBe(whole.nodes);
    expect([...withEntries(new Map([["a", 1]]), [["b", 2]])]).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    const bound = boundWorld(whole, { ...extentOf(part) });
    expect([bound.claims, bound.reverted]).toEqual([undefined, undefined]);
  });
});

function extentOf(world: World): NonNullable<World["extent"]> {
  if (world.extent === undefined) throw new Error("a whole world has no extent");
  return world.extent;
}
