import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Resource } from "../../src/core/resource.ts";
import { orderResources } from "../../src/decide/order-resources.ts";
import { digestNamed } from "./support/build-world.ts";

const step = (id: string, after: string[] = []): Resource => {
  return { id, module: "app", after, kind: "directory", path: "data/app", mode: "750", owner: "service" };
};
const service = (id: string, presence: string[]): Resource => ({
  id,
  module: "app",
  after: [],
  kind: "service",
  artifact: digestNamed("app"),
  command: ["node"],
  env: {},
  restartOn: [],
  presence: presence.map((other) => ({ service: other, withinSeconds: 60 })),
});

function idsOf(resources: readonly Resource[]): string[] | string {
  const ordered = orderResources(resources);
  return ordered.kind === "ordered" ? ordered.resources.map(({ id }) => id) : ordered.message;
}

describe("the order on a host (R43)", () => {
  it("is first things first, equals by id", () => {
    expect(
      idsOf([
        step("directory/d/x", ["directory/a/x", "directory/b/x"]),
        step("directory/b/x"),
        step("directory/a/x", ["directory/b/x"]),
      ]),
    ).toEqual(["directory/b/x", "directory/a/x", "directory/d/x"]);
  });

  it("starts what a service waits for before it (R2)", () => {
    expect(idsOf([service("service/a/main", ["service/b/main"]), service("service/b/main", [])])).toEqual([
      "service/b/main",
      "service/a/main",
    ]);
  });

  it("refuses a cycle and names it", () => {
    const round = [
      step("directory/a/x", ["directory/b/x"]),
      step("directory/b/x", ["directory/a/x"]),
      step("directory/c/x"),
    ];
    expect(idsOf(round)).toBe("resources wait for each other: directory/a/x → directory/b/x → directory/a/x");
    expect(idsOf([service("service/a/main", ["service/a/main"])])).toContain("service/a/main → service/a/main");
  });

  it("refuses to come after what is not there, and an id twice", () => {
    expect(idsOf([step("directory/a/x", ["directory/z/x"])])).toBe(
      "directory/a/x comes after directory/z/x, which is not there",
    );
    expect(idsOf([step("directory/a/x"), step("directory/a/x")])).toBe("a resource id is there twice");
  });

  it("has every edge respected, whatever order it was given", () => {
    const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 20 });
    fc.assert(
      fc.property(edges, fc.infiniteStream(fc.nat()), (pairs, dice) => {
        const name = (at: number): string => `directory/m${at}/x`;
        const resources = Array.from({ length: 10 }, (_, at) =>
          step(
            name(at),
            pairs.filter(([a, b]) => b > a && a === at).map(([, b]) => name(b)),
          ),
        );
        const shuffled = resources
          .map((resource) => ({ resource, dice: dice.next().value }))
          .toSorted((a, b) => a.dice - b.dice);
        const ids = idsOf(shuffled.map(({ resource }) => resource));
        expect(ids).toEqual(idsOf(resources));
        for (const { id, after } of resources)
          for (const first of after) expect(ids.indexOf(first)).toBeLessThan(ids.indexOf(id));
      }),
    );
  });
});
