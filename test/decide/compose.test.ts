import { describe, expect, it } from "vitest";
import { contentSchema } from "../../src/core/declaration.ts";
import { withIssued } from "../../src/decide/apply-composition.ts";
import { compose } from "../../src/decide/compose.ts";
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

describe("provisions", () => {
  it("are made by composing the consumer, and appear on the provider's list (R17)", () => {
    const world = toldProvider();
    const consumer = composeOrFail(world, "node-a");
    expect(consumer.mints).toMatchObject([
      {
        id: "node-a.meshboard.database@node-b.postgres.host-node-b",
        version: 1,
        kind: "postgresql",
        state: "issued",
        name: expect.stringMatching(/^meshboard_database_node_a_[0-9a-f]{8}$/),
      },
    ]);
    const before = oneResource(composeOrFail(world, "node-b"), "grant", "grant/postgres/postgresql");
    expect(before).toMatchObject({
      grants: [],
      after: ["service/postgres/main"],
      endpoint: { host: "10.0.0.2", port: 5432 },
    });
    const issued = withIssued(world, consumer.mints, consumer.withdrawals);
    const after = oneResource(composeOrFail(issued, "node-b"), "grant", "grant/postgres/postgresql");
    expect(after.grants).toMatchObject([
      { provision: consumer.mints[0]?.id, version: 1, name: consumer.mints[0]?.name },
    ]);
  });

  it("stay with the provider that serves when a second one appears (R3)", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const two = runPush(withAssignment(served, "postgres@node-c"), ["node-c"]).world;
    const composed = composeOrFail(two, "node-a");
    expect(composed.mints).toEqual([]);
    expect(composed.digest).toBe(composeOrFail(served, "node-a").digest);
  });

  it("move when another provider is chosen: one minted, one withdrawn (R3, R20)", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const two = runPush(withAssignment(served, "postgres@node-c"), ["node-c"]).world;
    const chosen = withAssignment(two, "meshboard@node-a", { providers: { database: "postgres@node-c" } });
    const composed = composeOrFail(chosen, "node-a");
    expect(composed.mints.map(({ id }) => id)).toEqual(["node-a.meshboard.database@node-c.postgres.host-node-c"]);
    expect(composed.withdrawals).toEqual(["node-a.meshboard.database@node-b.postgres.host-node-b"]);
  });

  it("stay with a provider that was unassigned until its node is told so", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const leaving = withoutAssignment(served, "postgres@node-b");
    expect(composeOrFail(leaving, "node-a").digest).toBe(composeOrFail(served, "node-a").digest);
    expect(listProblems(withoutAssignment(toldProvider(), "postgres@node-b"), "node-a")).toEqual([
      "no-provider meshboard",
    ]);
  });

  it("get a new version after a withdrawal, never an old one again (I8c)", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const gone = runPush(withoutAssignment(served, "meshboard@node-a"), ["node-a"]).world;
    expect(composeOrFail(withAssignment(gone, "meshboard@node-a"), "node-a").mints).toMatchObject([{ version: 2 }]);
  });

  it("are issued anew to a host that was enrolled again: nothing can be sealed twice (R46)", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const again = withNode(served, "node-a", { incarnation: "host-new" });
    const composed = composeOrFail(again, "node-a");
    expect(composed.withdrawals).toEqual([composed.mints[0]?.id]);
    expect(composed.mints).toMatchObject([{ version: 2 }]);
    const push = runPush(again, ["node-a"]);
    expect(push.settled).toBe(true);
    expect(composeOrFail(push.world, "node-a").mints).toEqual([]);
  });

  it("change with the kind that is required, under the same id and the next version", () => {
    const both = { ...postgres, provides: [...(postgres?.provides as []), ...(rabbit?.provides as [])] };
    const start = withBuild(exampleMesh(), "postgres", 2, both);
    const served = runPush(runPush(start, ["node-b"]).world, ["node-a"]).world;
    const other = withBuild(served, "meshboard", 2, {
      ...meshboard,
      requires: [{ name: "database", kind: "rabbitmq" }],
    });
    const push = runPush(other, ["node-a"]);
    const provider = composeOrFail(push.world, "node-b");
    expect(oneResource(provider, "grant", "grant/postgres/postgresql").grants).toEqual([]);
    expect(oneResource(provider, "grant", "grant/postgres/rabbitmq").grants).toMatchObject([{ version: 2 }]);
    expect(push.settled).toBe(true);
  });

  it("are granted beside the consumer when the provider is on its own node", () => {
    const world = withAssignment(withoutAssignment(exampleMesh(), "postgres@node-b"), "postgres@node-a");
    const composed = composeOrFail(world, "node-a");
    expect(composed.mints).toHaveLength(1);
    expect(oneResource(composed, "grant", "grant/postgres/postgresql").grants).toHaveLength(1);
  });
});

describe("pinned builds (R21)", () => {
  it("leave out what was never sent there, and say so", () => {
    const world = withAssignment(exampleMesh(), "clock@node-b");
    const composed = composeOrFail(world, "node-b", { at: "builds", builds: { postgres: buildOf("postgres", 1) } });
    expect(Object.keys(composed.content.builds)).toEqual(["postgres"]);
    expect(composed.notes).toEqual(["clock is assigned to node-b but was never sent there: `push node-b` sends it"]);
  });

  it("use the manifest of that build, not of the newest", () => {
    const world = withBuild(exampleMesh(), "clock", 2, { files: [{ path: "new", text: "" }] });
    const composed = composeOrFail(world, "node-c", { at: "builds", builds: { clock: buildOf("clock", 1) } });
    expect(composed.content.resources.map(({ id }) => id)).toEqual(["artifact/clock/files"]);
  });

  it("hold the node where an old build can no longer be composed", () => {
    const pins = { at: "builds", builds: { clock: buildOf("clock", 7) } } as const;
    expect(compose(exampleMesh(), "node-c", pins)).toMatchObject({
      kind: "held",
      holds: [{ module: "clock", build: buildOf("clock", 7), why: expect.stringContaining("`push node-c`") }],
    });
  });
});
