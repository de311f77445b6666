import { describe, expect, it } from "vitest";
import type { Resource } from "../../src/core/resource.ts";
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

describe("provisions", () => {
  it("are made by composing the consumer, and appear on the provider's list (R17)", () => {
    const world = toldProvider();
    const consumer = composeOrFail(world, "node-a");
    expect(consumer.mints).toMatchObject([
      {
        id: "node-a.meshboard.database.host-node-a@node-b.postgres.host-node-b",
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

  it("come after the file that its manifest writes the administrator's password to, where no service does (R20)", () => {
    const files = [{ path: "admin-password", text: "${config.password}", mode: "600" }];
    const config = { password: "secret" };
    const composed = (adminPasswordFile: string): readonly Resource[] => {
      const [offer] = rabbit.provides;
      const module = { files, config, provides: [{ ...offer, adminPasswordFile }] };
      const world = buildWorld({
        nodes: { "node-b": "b" },
        modules: { rabbit: module },
        assign: { "rabbit@node-b": {} },
      });
      const ordered = orderResources(composeOrFail(world, "node-b").content.resources);
      return ordered.kind === "ordered" ? ordered.resources : [];
    };
    // Removed the other way round: before what it needs for that.
    expect(composed("${etc}/admin-password").at(-1)).toMatchObject({
      id: "grant/rabbit/rabbitmq",
      after: ["file/rabbit/admin-password"],
    });
    const inData = composed("${data}/admin-password").find(({ kind }) => kind === "grant");
    expect(inData?.after).toEqual([]);
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
    expect(composed.mints.map(({ id }) => id)).toEqual([
      "node-a.meshboard.database.host-node-a@node-c.postgres.host-node-c",
    ]);
    expect(composed.withdrawals).toEqual(["node-a.meshboard.database.host-node-a@node-b.postgres.host-node-b"]);
  });

  it("stay with a provider that was unassigned until its node is told so", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const leaving = withoutAssignment(served, "postgres@node-b");
    expect(composeOrFail(leaving, "node-a").digest).toBe(composeOrFail(served, "node-a").digest);
    expect(listProblems(withoutAssignment(toldProvider(), "postgres@node-b"), "node-a")).toEqual([
      "no-provider meshboard",
    ]);
  });

  it("are not minted anew by a provider that was unassigned, for a host that was enrolled again: nobody would tell it (R18, case 22)", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const leaving = withNode(withoutAssignment(served, "postgres@node-b"), "node-a", { incarnation: "host-new" });
    expect(listProblems(leaving, "node-a")).toEqual(["no-provider meshboard"]);
    const other = runPush(withAssignment(leaving, "postgres@node-c"), ["node-c"]).world;
    expect(composeOrFail(other, "node-a").mints.map(({ id }) => id)).toEqual([
      "node-a.meshboard.database.host-new@node-c.postgres.host-node-c",
    ]);
  });

  it("get a new version after a withdrawal, never an old one again (I8c)", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const gone = runPush(withoutAssignment(served, "meshboard@node-a"), ["node-a"]).world;
    expect(composeOrFail(withAssignment(gone, "meshboard@node-a"), "node-a").mints).toMatchObject([{ version: 2 }]);
  });

  it("are as many on one node as a declaration has room for, and what to do with more is said", () => {
    const world = toldProvider();
    const [mint] = composeOrFail(world, "node-a").mints;
    if (mint === undefined) throw new Error("nothing was minted");
    const issue = (count: number) =>
      compose(
        withIssued(
          world,
          Array.from({ length: count }, (_, at) => ({ ...mint, id: `${mint.id}-${at}` })),
          [],
        ),
        "node-b",
        { at: "newest" },
      );
    expect(issue(5_000).kind).toBe("composed");
    const why =
      "node-b would provide for 5001 consumers, more than 5000: add a provider on another node, and assign some of them with --provider to it";
    expect(issue(5_001)).toMatchObject({ kind: "not-worked-out", problems: [{ code: "too-large", why }] });
  });

  it("are issued anew to a host that was enrolled again: nothing can be sealed twice (R46)", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const again = withNode(served, "node-a", { incarnation: "host-new" });
    const composed = composeOrFail(again, "node-a");
    expect(composed.withdrawals).toEqual(["node-a.meshboard.database.host-node-a@node-b.postgres.host-node-b"]);
    expect(composed.mints).toMatchObject([
      { id: "node-a.meshboard.database.host-new@node-b.postgres.host-node-b", version: 1 },
    ]);
    // Once: what was minted is not minted again before the node was sent it.
    const minted = composeOrFail(withIssued(again, composed.mints, composed.withdrawals), "node-a");
    expect(minted.mints).toEqual([]);
    expect(minted.digest).toBe(composed.digest);
    const push = runPush(again, ["node-a"]);
    expect(push.settled).toBe(true);
    expect(composeOrFail(push.world, "node-a").mints).toEqual([]);
  });

  it("change with the kind that is required, under the same id and the next version", () => {
    const both = { ...postgres, provides: [...postgres.provides, ...rabbit.provides] };
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

  it("of a host that was set up again are not granted by the new one, nor is it offered before it is told (case 22)", () => {
    const served = runPush(toldProvider(), ["node-a"]).world;
    const again = withNode(served, "node-b", { incarnation: "host-new" });
    expect(oneResource(composeOrFail(again, "node-b"), "grant", "grant/postgres/postgresql").grants).toEqual([]);
    expect(listProblems(again, "node-a")).toEqual(["provider-never-told meshboard"]);
  });

  it("of a consumer beside its provider go from the list in the same composition (R20)", () => {
    const beside = withAssignment(withoutAssignment(exampleMesh(), "postgres@node-b"), "postgres@node-a");
    const served = runPush(beside, ["node-a"]).world;
    const composed = composeOrFail(withoutAssignment(served, "meshboard@node-a"), "node-a");
    expect(composed.withdrawals).toHaveLength(1);
    expect(oneResource(composed, "grant", "grant/postgres/postgresql").grants).toEqual([]);
  });

  it("are withdrawn, and left out modules named, in one order whatever order the records came in (R29)", () => {
    const two = withBuild(toldProvider(), "meshboard", 2, {
      requires: ["rows", "jobs"].map((name) => ({ name, kind: "postgresql" })),
    });
    const left = withoutAssignment(runPush(two, ["node-a"]).world, "meshboard@node-a");
    const world = withAssignment(withAssignment(left, "clock@node-a"), "postgres@node-a");
    const assigned = world.assignments.get("node-a") ?? [];
    const reversed = {
      ...world,
      provisions: new Map([...world.provisions].toReversed()),
      assignments: new Map(world.assignments).set("node-a", assigned.toReversed()),
    };
    const [one, other] = [world, reversed].map((w) => composeOrFail(w, "node-a", { at: "builds", builds: {} }));
    expect(one?.withdrawals).toHaveLength(2);
    expect(one?.notes).toHaveLength(2);
    expect(other).toEqual(one);
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
