import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphDot, pathText } from "../../src/cli/text/graph-text.ts";
import { findPath, listGraphEdges, reachEdges, type GraphEdge } from "../../src/decide/query-graph.ts";
import { buildMeshOfModules, runWave, withModule } from "./support/build-mesh-of-modules.ts";

const spec = { core: [], mid: ["core"], page: ["mid", "test:lab"], lab: ["core"], other: [] };
const steps = (edges: readonly GraphEdge[] | null): string[] | null =>
  edges === null ? null : edges.map(({ from, to, kind, at }) => `${from} ${to} ${kind} ${at}`);

describe("the graph (R6)", () => {
  const edges = listGraphEdges(buildMeshOfModules(spec));

  it("has every edge with its kind and the place that makes it", () => {
    expect(steps(edges)).toEqual([
      "lab core build src/index.ts:1",
      "mid core build src/index.ts:1",
      "page lab test src/index.ts:2",
      "page mid build src/index.ts:1",
    ]);
    expect(steps(listGraphEdges(buildMeshOfModules(spec), "test"))).toEqual(["page lab test src/index.ts:2"]);
  });

  it("answers who depends on a module and what it depends on, at any distance", () => {
    expect(reachEdges(edges, "core", "dependents")).toHaveLength(4);
    expect(steps(reachEdges(edges, "mid", "dependencies"))).toEqual(["mid core build src/index.ts:1"]);
    expect(reachEdges(edges, "other", "dependents")).toEqual([]);
  });

  it("prints the shortest way, import by import; none is said", () => {
    expect(steps(findPath(edges, "page", "core"))).toEqual([
      "page lab test src/index.ts:2",
      "lab core build src/index.ts:1",
    ]);
    expect(pathText("page", "core", findPath(edges, "page", "core"))).toBe(
      "page imports lab at src/index.ts:2 (tests only)\nlab imports core at src/index.ts:1",
    );
    expect(pathText("core", "page", findPath(edges, "core", "page"))).toMatch(/^core does not depend on page\n/);
  });

  it("keeps the edges of the last fit build: who imported before is asked too", () => {
    const facts = withModule(runWave(buildMeshOfModules(spec)).facts, "mid", { edges: [] });
    expect(steps(listGraphEdges(facts))).toContain("mid core was null");
  });

  it("is one quoted string for each name in dot, whatever a file is called", () => {
    const hostile = { from: "a", to: "b", kind: "build", at: 'x"]; b -> c [label="\\N\n\u001b[31m.ts:1' } as const;
    const dot = graphDot([hostile], ["a", "b"]);
    expect(dot.split("\n")).toHaveLength(5);
    expect(dot).not.toContain("\u001b");
    expect(dot).toMatch(/"a" -> "b" \[label="x\\"\]; b -> c \[label=\\"\\\\N.*", style=solid\];/);
  });

  it("finds a way exactly where one is reached, made of edges that meet, however the mesh looks", () => {
    const name = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const some = fc.array(fc.tuple(name, name), { maxLength: 15 });
    fc.assert(
      fc.property(some, name, name, (pairs, from, to) => {
        const all = pairs.map(([a, b]): GraphEdge => ({ from: a, to: b, kind: "build", at: "x:1" }));
        const path = findPath(all, from, to);
        expect(path !== null).toBe(reachEdges(all, from, "dependencies").some((edge) => edge.to === to));
        if (path === null) return;
        expect([path[0]?.from, path.at(-1)?.to]).toEqual([from, to]);
        for (const [at, edge] of path.slice(1).entries()) expect(edge.from).toBe(path[at]?.to);
      }),
      { numRuns: 200 },
    );
  });
});
