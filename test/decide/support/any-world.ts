import fc from "fast-check";
import type { World } from "../../../src/decide/world.ts";
import { buildWorld, withAssignment, withBuild, withNode, withoutAssignment } from "./build-world.ts";
import { meshboard, postgres, rabbit } from "./example-mesh.ts";
import { runPush } from "./run-push.ts";

const nodeNames = ["node-a", "node-b", "node-c", "node-d"] as const;
const modules = {
  postgres,
  rabbit,
  meshboard,
  queue: { requires: [{ name: "broker", kind: "rabbitmq" }], presence: [{ module: "clock" }] },
  both: {
    requires: [
      { name: "jobs", kind: "rabbitmq" },
      { name: "rows", kind: "postgresql" },
    ],
  },
  clock: { service: { command: ["node", "clock.js"], env: { ZONE: "${config.zone}" } }, config: { zone: "UTC" } },
} as const;
const moduleNames = Object.keys(modules) as (keyof typeof modules)[];

/** One thing that people do to a mesh. */
export type Act =
  | { readonly act: "assign"; readonly where: string; readonly zone: string }
  | { readonly act: "unassign"; readonly where: string }
  | { readonly act: "build"; readonly module: keyof typeof modules; readonly build: number }
  | { readonly act: "move"; readonly node: string; readonly address: string }
  | { readonly act: "enrol"; readonly node: string; readonly incarnation: string }
  | { readonly act: "push"; readonly nodes: readonly string[] };

const where = fc.tuple(fc.constantFrom(...moduleNames), fc.constantFrom(...nodeNames)).map((parts) => parts.join("@"));
const edit: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constant("assign" as const), where, zone: fc.constantFrom("UTC", "CET") }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("unassign" as const), where }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant("build" as const),
      module: fc.constantFrom(...moduleNames),
      build: fc.integer({ min: 2, max: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("move" as const),
      node: fc.constantFrom(...nodeNames),
      address: fc.constantFrom("10.1.0.1", "10.1.0.2"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("enrol" as const),
      node: fc.constantFrom(...nodeNames),
      incarnation: fc.constantFrom("host-2", "host-3"),
    }),
  },
);
const push: fc.Arbitrary<Act> = fc.record({
  act: fc.constant("push" as const),
  nodes: fc.uniqueArray(fc.constantFrom(...nodeNames), { minLength: 1, maxLength: 3 }),
});

/** What happened to a mesh: edits, and pushes that make some of them real. */
export const anyHistory: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof({ weight: 3, arbitrary: edit }, { weight: 2, arbitrary: push }),
  { minLength: 4, maxLength: 16 },
);
/** Edits that nobody pushed yet. */
export const anyEdits: fc.Arbitrary<readonly Act[]> = fc.array(edit, { maxLength: 6 });
export const anyNode = fc.constantFrom(...nodeNames);
export const anyNodes = fc.uniqueArray(anyNode, { minLength: 1, maxLength: 3 });

/** Every node enrolled, every module built once, nothing assigned. Worlds are never changed: one serves all. */
const emptyMesh = buildWorld({
  nodes: Object.fromEntries(nodeNames.map((name, at) => [name, `10.0.0.${at + 1}`])),
  modules,
});

export function playHistory(acts: readonly Act[], start: World = emptyMesh): World {
  let world = start;
  for (const act of acts) world = play(world, act);
  return world;
}

function play(world: World, act: Act): World {
  switch (act.act) {
    case "assign":
      return withAssignment(world, act.where, act.where.startsWith("clock@") ? { config: { zone: act.zone } } : {});
    case "unassign": {
      const [module, node = ""] = act.where.split("@");
      const isAssigned = world.assignments.get(node)?.some((assignment) => assignment.module === module);
      return isAssigned === true ? withoutAssignment(world, act.where) : world;
    }
    case "build":
      return withBuild(world, act.module, act.build, modules[act.module]);
    case "move":
      return withNode(world, act.node, { address: act.address });
    case "enrol":
      return withNode(world, act.node, { incarnation: act.incarnation });
    case "push":
      return runPush(world, act.nodes, { confirmRemoval: true }).world;
  }
}
