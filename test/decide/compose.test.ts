import { describe, expect, it } from "vitest";
import { contentSchema } from "../../src/core/declaration.ts";
import { compose } from "../../src/decide/compose.ts";
import type { World } from "../../src/decide/world.ts";
import { orderResources } from "../../src/decide/order-resources.ts";
import { buildOf, buildWorld, withAssignment, withBuild, withNode, withoutAssignment } from "./support/build-world.ts";
import { composeOrFail, listProblems, oneResource } from "./support/compose-or-fail.ts";
import { exampleMesh, meshboard, postgres, rabbit } from "./support/example-mesh.ts";
import { runPush } from "./support/run-push.ts";

/** The example mesh after its provider's node was told. */
function toldProvider(): ReturnType<typeof exampleMesh> {
  return runPush(exampleMesh(), ["node-b"]).world;
}

describe("what a module is on a node", () => {
  it("has the resources, paths and edges that hosts know", () => {
    const composed = composeOrFail(toldProvider(), "node-a");
    expect(composed.content.resources.map(({ id, after }) => [id, after])).toEqual([
      ["artifact/meshboard/files", []],
      ["directory/meshboard/data", []],
      ["file/meshboard/provisions", ["directory/meshboard/data"]],
      ["service/meshboard/main", ["artifact/meshboard/files", "directory/meshboard/data", "file/meshboard/provisions"]],
    ]);
    expect(oneResource(composed, "service", "service/meshboard/main")).toMatchObject({
      command: ["node", "${artifact}/main.js", "--data", "${data}"],
      env: { LISTEN: "10.0.0.1" },
      provisions: "etc/meshboard/provisions.json",
      artifact: buildOf("meshboard", 1),
    });
    expect(contentSchema.parse(composed.content)).toEqual(composed.content);
    expect(orderResources(composed.content.resources).kind).toBe("ordered");
  });

  it("fills settings from the assignment over the manifest's defaults, once", () => {
    const files = [{ path: "conf/App.ini", mode: "640", text: "a=${config.a} b=${config.b} h=${HOME} d=${data}\n" }];
    const world = buildWorld({
      nodes: { "node-a": "10.0.0.1" },
      modules: { app: { files, config: { a: "default", b: "default" } } },
      assign: { "app@node-a": { config: { b: "${config.a}" } } },
    });
    const file = oneResource(composeOrFail(world, "node-a"), "file", "file/app/conf.App.ini");
    expect(file).toMatchObject({ path: "etc/app/conf/App.ini", mode: "640", owner: "service" });
    expect(file.content).toEqual({ from: "text", text: "a=default b=${config.a} h=${HOME} d=${data}\n" });
  });

  it("restarts a service when a file it reads changes, and says nothing of a file that did not", () => {
    const service = { command: ["node", "${artifact}/main.js"] };
    const files = [
      { path: "a", text: "${config.a}" },
      { path: "b", text: "b" },
    ];
    const world = buildWorld({
      nodes: { "node-a": "10.0.0.1" },
      modules: { app: { service, files, config: { a: "1" } } },
      assign: { "app@node-a": {} },
    });
    const changed = withAssignment(world, "app@node-a", { config: { a: "2" } });
    const [before, after] = [world, changed].map(
      (w) => oneResource(composeOrFail(w, "node-a"), "service", "service/app/main").restartOn,
    );
    expect(before).toHaveLength(2);
    expect(after?.[0]).not.toBe(before?.[0]);
    expect(after?.[1]).toBe(before?.[1]);
  });

  it("has a digest without clocks, numbers and runs in it (R29)", () => {
    const world = toldProvider();
    const sent = new Map([...world.sent].map(([node, last]) => [node, { ...last, order: { epoch: 9, number: 900 } }]));
    expect(composeOrFail({ ...world, sent }, "node-a").digest).toBe(composeOrFail(world, "node-a").digest);
  });

  it("says which settings nothing reads, and goes on", () => {
    const world = withAssignment(exampleMesh(), "clock@node-c", { config: { zone: "UTC" } });
    expect(composeOrFail(world, "node-c").notes).toEqual([
      "clock on node-c is assigned with zone, which this build of it does not read",
    ]);
  });
});

it("names the way out where two nodes that were never told wait for each other (case 24)", () => {
  const shop = { requires: [{ name: "orders", kind: "rabbitmq" as const }] };
  const world = buildWorld({
    nodes: { "node-a": "10.0.0.1", "node-b": "10.0.0.2" },
    modules: { postgres, rabbit, meshboard, shop },
    assign: { "rabbit@node-a": {}, "meshboard@node-a": {}, "postgres@node-b": {}, "shop@node-b": {} },
  });
  const why = (of: World, node: string): string | undefined => {
    const result = compose(of, node, { at: "newest" });
    return result.kind === "not-worked-out" ? result.problems[0]?.why : undefined;
  };
  expect(why(world, "node-a")).toBe(
    "database (postgresql) of meshboard on node-a: its provider postgres@node-b was never told: it waits for this node itself (shop there requires rabbitmq): unassign shop from node-b, `push node-b`, then `push node-a`, and assign it again",
  );
  const parted = withoutAssignment(world, "shop@node-b");
  expect(why(parted, "node-a")).toContain("was never told: `push node-b` first");
  const pushed = runPush(runPush(parted, ["node-b"]).world, ["node-a"]).world;
  expect(composeOrFail(withAssignment(pushed, "shop@node-b"), "node-b").kind).toBe("composed");
});

describe("what cannot be worked out says why", () => {
  const service = { command: ["node", "main.js"] };
  const nodes = { "node-a": "10.0.0.1" };
  const waits = (module: string) => ({ service, presence: [{ module }] });
  const cases: [string, () => ReturnType<typeof exampleMesh>, string[]][] = [
    ["a node nobody enrolled", () => withNode(exampleMesh(), "node-a", { incarnation: null }), ["not-enrolled -"]],
    [
      "a module that was never fit",
      () => {
        const world = toldProvider();
        return {
          ...world,
          modules: new Map(world.modules).set("meshboard", { name: "meshboard", upgrade: "auto", fit: null }),
        };
      },
      ["no-fit-artifact meshboard"],
    ],
    ["a provider that was never told (case 24)", exampleMesh, ["provider-never-told meshboard"]],
    [
      "no provider at all (case 24)",
      () => withoutAssignment(exampleMesh(), "postgres@node-b"),
      ["no-provider meshboard"],
    ],
    [
      "two providers and none chosen (case 24)",
      () => runPush(withAssignment(exampleMesh(), "postgres@node-c"), ["node-b", "node-c"]).world,
      ["several-providers meshboard"],
    ],
    [
      "a chosen provider that is not one (R3)",
      () => withAssignment(toldProvider(), "meshboard@node-a", { providers: { database: "clock@node-c" } }),
      ["chosen-provider-missing meshboard"],
    ],
    [
      "a chosen provider that was never told (case 24)",
      () =>
        withAssignment(withAssignment(toldProvider(), "postgres@node-c"), "meshboard@node-a", {
          providers: { database: "postgres@node-c" },
        }),
      ["provider-never-told meshboard"],
    ],
    [
      "scope node, and the provider is elsewhere (R3)",
      () =>
        withBuild(toldProvider(), "meshboard", 2, {
          requires: [{ name: "database", kind: "postgresql", scope: "node" }],
        }),
      ["no-provider meshboard"],
    ],
    [
      "a setting without a value",
      () =>
        buildWorld({
          nodes,
          modules: { app: { service: { command: ["${config.constructor}"] } } },
          assign: { "app@node-a": {} },
        }),
      ["missing-config app"],
    ],
    [
      "a placeholder nobody knows in a command",
      () =>
        buildWorld({ nodes, modules: { app: { service: { command: ["${HOME}"] } } }, assign: { "app@node-a": {} } }),
      ["bad-config app"],
    ],
    [
      "a port that is none",
      () => withAssignment(exampleMesh(), "postgres@node-a", { config: { port: "70000" } }),
      ["provider-never-told meshboard", "bad-config postgres"],
    ],
    [
      "a file in the place of its provisions",
      () =>
        buildWorld({
          nodes,
          modules: { app: { files: [{ path: "provisions.json", text: "" }] } },
          assign: { "app@node-a": {} },
        }),
      ["bad-config app"],
    ],
    [
      "a presence that is not assigned here (R2)",
      () => buildWorld({ nodes, modules: { app: waits("broker"), broker: { service } }, assign: { "app@node-a": {} } }),
      ["missing-presence app"],
    ],
    [
      "a presence without a service (R2)",
      () =>
        buildWorld({
          nodes,
          modules: { app: waits("broker"), broker: {} },
          assign: { "app@node-a": {}, "broker@node-a": {} },
        }),
      ["missing-presence app"],
    ],
    [
      "presences in a circle (R2)",
      () =>
        buildWorld({
          nodes,
          modules: { app: waits("web"), web: waits("app") },
          assign: { "app@node-a": {}, "web@node-a": {} },
        }),
      ["presence-cycle app"],
    ],
  ];
  it.each(cases)("%s", (_, world, problems) => {
    expect(listProblems(world(), "node-a")).toEqual(problems);
  });

  it("a node nobody knows", () => {
    expect(compose(exampleMesh(), "node-z", { at: "newest" })).toMatchObject({ problems: [{ code: "unknown-node" }] });
  });
});
