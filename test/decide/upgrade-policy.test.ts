import { describe, expect, it } from "vitest";
import type { Digest } from "../../src/core/names.ts";
import { composeForPush } from "../../src/decide/compose-for-push.ts";
import type { Composition } from "../../src/decide/composition.ts";
import type { World, WorldModule } from "../../src/decide/world.ts";
import { buildOf, buildWorld, withBuild } from "./support/build-world.ts";
import { runPush } from "./support/run-push.ts";

/** Told the first build, and a second one is fit, made under `made`; what its newest source says is `says`. */
function meshBehind(made: "auto" | "record", says: WorldModule["upgrade"]): World {
  const spec = { nodes: { "node-a": "10.0.0.1" }, modules: { app: {} }, assign: { "app@node-a": {} } };
  const world = withBuild(runPush(buildWorld(spec), ["node-a"]).world, "app", 2, { upgrade: made });
  return { ...world, modules: new Map([["app", { name: "app", upgrade: says, fit: buildOf("app", 2) }]]) };
}

function buildIn(composition: Composition): Digest | undefined {
  if (composition.kind !== "composed") throw new Error(composition.kind);
  return composition.content.builds["app"];
}

describe("what a policy declares by itself (R14, R21)", () => {
  it.each([
    { made: "auto", says: "auto", build: 2, why: "both say so" },
    { made: "auto", says: null, build: 2, why: "the newest manifest cannot be read, and says nothing" },
    {
      made: "record",
      says: "auto",
      build: 1,
      why: "a person let that build lie, and the commit after it has no verdict",
    },
    { made: "auto", says: "record", build: 1, why: "its source takes it back" },
    { made: "record", says: null, build: 1, why: "a person pushes it" },
  ] as const)("a build made under $made, and now $says: build $build, because $why", ({ made, says, build }) => {
    const { composition } = composeForPush(meshBehind(made, says), "node-a", { named: true, byPolicy: true });
    expect(buildIn(composition)).toBe(buildOf("app", build));
  });

  it("is asked only of pushes that a policy made: a person's takes the newest", () => {
    const { composition } = composeForPush(meshBehind("record", "record"), "node-a", { named: true });
    expect(buildIn(composition)).toBe(buildOf("app", 2));
  });
});
