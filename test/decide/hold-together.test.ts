import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BuildEdge } from "../../src/decide/build-facts.ts";
import { holdTogether, type ReadSource } from "../../src/decide/hold-together.ts";
import { objectId } from "./support/build-mesh-of-modules.ts";

const [first, second, other] = [objectId("first"), objectId("second"), objectId("of another repository")];

function edgesTo(...names: readonly string[]): BuildEdge[] {
  return names.map((dependency, at) => ({ dependency, kind: "build", file: "src/index.ts", line: at + 1 }));
}

/** The second commit of a module, which imports what it imported. */
function moved(module: string, edges: readonly BuildEdge[] = [], more: Partial<ReadSource> = {}): ReadSource {
  return { module, commit: second, before: first, edges, isNamedAnew: false, ...more };
}

type Taken = Readonly<Record<string, readonly string[]>>;

function waitsIn(taken: Taken, held: readonly string[], read: readonly ReadSource[]): Record<string, string> {
  const edgesOf = new Map(Object.entries(taken).map(([module, names]) => [module, edgesTo(...names)]));
  const waits = holdTogether({ read, edgesOf, held: new Map(held.map((module) => [module, "starved"])) });
  return Object.fromEntries([...waits].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const shop: Taken = { core: [], lib: [], starved: ["core", "lib"], caller: ["core"], apart: [] };
const held = ["starved", "core", "lib"];

describe("a commit that a hold meets (R16, case 5)", () => {
  it("is taken as a whole or not at all by what is built of it: its caller waits with the signature that it changes", () => {
    const read = [moved("core"), moved("caller", edgesTo("core"))];
    expect(waitsIn(shop, held, read)).toEqual({ core: "starved", caller: "starved" });
  });

  it("is taken of what shares nothing with what waits, and of everything where nothing of it waits", () => {
    expect(waitsIn(shop, held, [moved("core"), moved("apart")])).toEqual({ core: "starved" });
    expect(waitsIn(shop, held, [moved("caller", edgesTo("core")), moved("apart")])).toEqual({});
    expect(waitsIn(shop, [], [moved("core"), moved("caller", edgesTo("core"))])).toEqual({});
  });

  it("waits in its caller though only the commit makes the import, or takes it out", () => {
    expect(waitsIn({ ...shop, caller: [] }, held, [moved("core"), moved("caller", edgesTo("core"))])).toHaveProperty(
      "caller",
    );
    expect(waitsIn(shop, held, [moved("core"), moved("caller")])).toHaveProperty("caller");
  });

  it("waits in what a caller that waits is built against: or its old source would meet the new of that", () => {
    const taken = { ...shop, caller: ["core", "tool"], tool: [], user: ["tool"] };
    const read = [
      moved("core"),
      moved("caller", edgesTo("core", "tool")),
      moved("tool"),
      moved("user", edgesTo("tool")),
    ];
    expect(Object.keys(waitsIn(taken, held, read))).toEqual(["caller", "core", "tool", "user"]);
  });

  it("is not mixed in what it does not touch itself, however far above", () => {
    const taken = { ...shop, tool: [], between: ["core"], top: ["between", "tool"] };
    expect(Object.keys(waitsIn(taken, held, [moved("core"), moved("tool")]))).toEqual(["core", "tool"]);
  });

  it("waits in a module that was never looked at before", () => {
    const read = [moved("core"), moved("fresh", edgesTo("core"), { before: null })];
    expect(Object.keys(waitsIn(shop, held, read))).toEqual(["core", "fresh"]);
  });
});

describe("another repository's module that imports what waits", () => {
  const elsewhere = { commit: other, before: objectId("before that") };

  it("takes its own commit: its mend is not locked out", () => {
    expect(waitsIn(shop, held, [moved("core"), moved("caller", edgesTo("core"), elsewhere)])).toEqual({
      core: "starved",
    });
  });

  it("waits where its imports lead there by a name that the artifact does not have yet", () => {
    const core = moved("core", [], { isNamedAnew: true });
    for (const commits of [elsewhere, { commit: other, before: other }])
      for (const [taken, now] of [
        [[], ["core"]],
        [["core"], []],
      ] as const)
        expect(
          waitsIn({ ...shop, caller: taken }, held, [core, moved("caller", edgesTo(...now), commits)]),
          `${taken.join()} to ${now.join()}`,
        ).toHaveProperty("caller", "starved");
  });
});

describe("of any modules, commits and holds", () => {
  const names = ["m0", "m1", "m2", "m3", "m4", "m5", "m6"];
  const anyEdges = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 12 });
  const anyMesh = fc.record({
    taken: anyEdges,
    now: anyEdges,
    read: fc.array(fc.option(fc.constantFrom(second, other), { freq: 2 }), { minLength: 7, maxLength: 7 }),
    held: fc.subarray(names),
  });
  const namesFrom = (edges: readonly (readonly [number, number])[], at: number): string[] =>
    edges.flatMap(([from, to]) => (from === at && to < at ? [`m${to}`] : []));

  it("nothing is built of half a commit, and nothing waits that need not (R16)", () => {
    fc.assert(
      fc.property(anyMesh, (mesh) => {
        const read = names.flatMap((name, at) => {
          const commit = mesh.read[at] ?? null;
          return commit === null ? [] : [moved(name, edgesTo(...namesFrom(mesh.now, at)), { commit })];
        });
        const edgesOf = new Map(names.map((name, at) => [name, edgesTo(...namesFrom(mesh.taken, at))]));
        const waits = holdTogether({ read, edgesOf, held: new Map(mesh.held.map((name) => [name, name])) });
        const isRead = new Map(read.map((one) => [one.module, one]));
        // As it is said: for whatever may be built, again and again until nothing is added.
        const wanted = new Set(mesh.held.filter((name) => isRead.has(name)));
        const closures = names.map((name) => {
          const closure = new Set([name]);
          for (const one of closure) {
            const at = names.indexOf(one);
            const below = namesFrom(mesh.taken, at);
            for (const more of isRead.has(one) ? [...below, ...namesFrom(mesh.now, at)] : below) closure.add(more);
          }
          return closure;
        });
        for (let size = -1; size !== wanted.size;) {
          size = wanted.size;
          for (const commit of [second, other])
            for (const closure of closures) {
              const touched = [...closure].filter((name) => isRead.get(name)?.commit === commit);
              if (touched.some((name) => wanted.has(name))) for (const name of touched) wanted.add(name);
            }
        }
        expect([...waits.keys()].toSorted()).toEqual([...wanted].toSorted());
      }),
      { numRuns: 300 },
    );
  });

  it("each module is gone to once for each commit, however many wait", () => {
    const many = Array.from({ length: 400 }, (_, at) => `m${at}`);
    let asked = 0;
    class CountedEdges extends Array<BuildEdge> {
      override [Symbol.iterator](): ArrayIterator<BuildEdge> {
        asked += 1;
        return super[Symbol.iterator]();
      }
    }
    const edgesOf = new Map(
      many.map((name, at) => [name, CountedEdges.from(edgesTo(...(at === 0 ? [] : [`m${at - 1}`])))]),
    );
    const read = many.map((name) => moved(name, edgesOf.get(name)));
    const waits = holdTogether({ read, edgesOf, held: new Map([["m399", "m399"]]) });
    expect(waits.size).toBe(400);
    expect(asked).toBeLessThanOrEqual(2 * many.length);
  });
});
