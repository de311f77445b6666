import { describe, expect, it } from "vitest";
import { compose } from "../../src/decide/compose.ts";
import type { World } from "../../src/decide/world.ts";
import { withAssignment, withBuild, withNode, withoutAssignment } from "./support/build-world.ts";
import { composeOrFail } from "./support/compose-or-fail.ts";
import { exampleMesh, postgres } from "./support/example-mesh.ts";
import { runPush } from "./support/run-push.ts";

const beside = (): World => withAssignment(withoutAssignment(exampleMesh(), "postgres@node-b"), "postgres@node-a");
const two = (): World => runPush(withAssignment(exampleMesh(), "postgres@node-c"), ["node-b", "node-c"]).world;

function sayProblems(world: World, node: string): string[] {
  const composition = compose(world, node, { at: "newest" });
  if (composition.kind !== "not-worked-out") throw new Error(`${node} is ${composition.kind}`);
  return composition.problems.map(({ code, why }) => `${code}: ${why}`);
}

describe("who provides for a module beside its provider (R3)", () => {
  it("is one provider, also where its node was told of it before: what it is told now counts", () => {
    const told = runPush(withoutAssignment(beside(), "meshboard@node-a"), ["node-a"]).world;
    expect(composeOrFail(withAssignment(told, "meshboard@node-a"), "node-a").mints).toMatchObject([
      { id: "node-a.meshboard.database.host-node-a@node-a.postgres.host-node-a" },
    ]);
  });

  it("is nobody once that one leaves the node, though the node was told of it", () => {
    const served = runPush(beside(), ["node-a"]).world;
    expect(sayProblems(withoutAssignment(served, "postgres@node-a"), "node-a")).toEqual([
      "no-provider: database (postgresql) of meshboard on node-a has no provider: no module in the mesh provides postgresql",
    ]);
  });

  it("is nobody where only another node has it and its own was asked for", () => {
    const own = { name: "database", kind: "postgresql", scope: "node" };
    const world = withBuild(two(), "meshboard", 2, { requires: [own] });
    expect(sayProblems(world, "node-a")).toEqual([
      "no-provider: database (postgresql) of meshboard on node-a has no provider: no module on node-a itself provides postgresql",
    ]);
    const chosen = withAssignment(world, "meshboard@node-a", { providers: { database: "postgres@node-b" } });
    expect(sayProblems(chosen, "node-a")).toEqual([
      "chosen-provider-missing: database (postgresql) of meshboard on node-a is to come from postgres@node-b, which provides no postgresql on node-a itself: choose another provider",
    ]);
  });
});

describe("a provider beside its consumer that cannot be worked out (R3)", () => {
  const noPort = 'bad-config: postgres on node-a: its postgresql port "none" is no port';
  const unworked =
    "no-provider: database (postgresql) of meshboard on node-a: its provider postgres@node-a cannot be worked out yet: mend what is said of postgres";
  const broken = (scope: "mesh" | "node", providers: Record<string, string> = {}): World => {
    const requires = [{ name: "database", kind: "postgresql", scope }];
    const world = withAssignment(withBuild(beside(), "meshboard", 2, { requires }), "meshboard@node-a", { providers });
    return withAssignment(world, "postgres@node-a", { config: { port: "none" } });
  };

  it.each([
    ["the mesh was asked", broken("mesh")],
    ["its own node was asked", broken("node")],
    ["it was chosen", broken("mesh", { database: "postgres@node-a" })],
  ])("is not said to be nobody where %s", (_what, world) => {
    expect(sayProblems(world, "node-a")).toEqual([unworked, noPort]);
  });

  it("is none where another one was chosen, and none for itself", () => {
    expect(sayProblems(broken("mesh", { database: "postgres@node-b" }), "node-a")).toContainEqual(
      expect.stringMatching(
        /^chosen-provider-missing: .* is to come from postgres@node-b, which provides no postgresql/,
      ),
    );
    const itself = { ...postgres, requires: [{ name: "database", kind: "postgresql" }] };
    expect(sayProblems(withBuild(beside(), "postgres", 2, itself), "node-a")).toEqual([
      expect.stringMatching(/^no-provider: database \(postgresql\) of postgres on node-a has no provider: no module/),
    ]);
  });

  it("is sent by a push of its node, where a cascade composes without it (R21)", () => {
    const served = runPush(runPush(exampleMesh(), ["node-b"]).world, ["node-a"]).world;
    const moved = withAssignment(
      runPush(withoutAssignment(served, "postgres@node-b"), ["node-b"], { confirmRemoval: true }).world,
      "postgres@node-a",
    );
    const builds = moved.sent.get("node-a")?.builds ?? {};
    expect(compose(moved, "node-a", { at: "builds", builds })).toMatchObject({
      problems: [
        {
          code: "no-provider",
          why: "database (postgresql) of meshboard on node-a: its provider postgres@node-a is not in what node-a was last sent: `push node-a` sends it",
        },
      ],
    });
    expect(composeOrFail(moved, "node-a").mints).toHaveLength(1);
  });
});

describe("a choice between providers (case 24)", () => {
  it("names them in one order, wherever they are", () => {
    const [here, there] = [withAssignment(two(), "meshboard@node-c"), two()];
    const which = "could come from postgres@node-b, postgres@node-c: assign it with database from one of them";
    expect(sayProblems(here, "node-c")).toEqual([
      `several-providers: database (postgresql) of meshboard on node-c ${which}`,
    ]);
    expect(sayProblems(there, "node-a")).toEqual([
      `several-providers: database (postgresql) of meshboard on node-a ${which}`,
    ]);
  });

  it("is asked of each module: that another one is served under the same name decides nothing", () => {
    const served = runPush(runPush(exampleMesh(), ["node-b"]).world, ["node-a"]).world;
    const second = runPush(withAssignment(served, "postgres@node-c"), ["node-c"]).world;
    const shop = withBuild(second, "shop", 1, { requires: [{ name: "database", kind: "postgresql" }] });
    expect(sayProblems(withAssignment(shop, "shop@node-a"), "node-a")).toEqual([
      expect.stringMatching(/^several-providers: database \(postgresql\) of shop on node-a /),
    ]);
  });

  it("is a person's again once the host that served was set up anew: it has none of the data (case 22)", () => {
    const served = runPush(runPush(exampleMesh(), ["node-b"]).world, ["node-a"]).world;
    const second = runPush(withAssignment(served, "postgres@node-c"), ["node-c"]).world;
    const both = runPush(withNode(second, "node-b", { incarnation: "host-new" }), ["node-b"]).world;
    expect(sayProblems(both, "node-a")).toHaveLength(1);
    expect(sayProblems(both, "node-a")[0]).toMatch(/^several-providers: /);
  });

  it("is made for nobody by who was told first: the one that served is enrolled anew, and waited for (case 22)", () => {
    const served = runPush(runPush(exampleMesh(), ["node-b"]).world, ["node-a"]).world;
    const second = runPush(withAssignment(served, "postgres@node-c"), ["node-c"]).world;
    const anew = withNode(second, "node-b", { incarnation: "host-new" });
    expect(sayProblems(anew, "node-a")).toEqual([
      "provider-never-told: database (postgresql) of meshboard on node-a: its provider postgres@node-b was never told: `push node-b` first",
    ]);
    expect(composeOrFail(withoutAssignment(anew, "postgres@node-b"), "node-a").mints).toMatchObject([
      { id: "node-a.meshboard.database.host-node-a@node-c.postgres.host-node-c" },
    ]);
  });

  it("says of a chosen one that was never told what to push, and of one that is none that it is none", () => {
    const chosen = (label: string) =>
      withAssignment(exampleMesh(), "meshboard@node-a", { providers: { database: label } });
    expect(sayProblems(chosen("postgres@node-b"), "node-a")).toEqual([
      "provider-never-told: database (postgresql) of meshboard on node-a: its provider postgres@node-b was never told: `push node-b` first",
    ]);
    expect(sayProblems(chosen("clock@node-c"), "node-a")).toEqual([
      "chosen-provider-missing: database (postgresql) of meshboard on node-a is to come from clock@node-c, which provides no postgresql: choose another provider",
    ]);
  });
});

describe("two requirements of one name", () => {
  it("are refused, and neither takes what the other was given", () => {
    const requires = ["postgresql", "postgresql"].map((kind) => ({ name: "database", kind }));
    const told = runPush(withBuild(exampleMesh(), "meshboard", 2, { requires }), ["node-b"]).world;
    expect(sayProblems(told, "node-a")).toEqual([
      "bad-config: meshboard has two requirements named database: give each its own name",
    ]);
  });
});
