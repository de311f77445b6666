import { describe, expect, it } from "vitest";
import type { StatusDocument } from "../../src/cli/status/build-status.ts";
import { statusText } from "../../src/cli/text/status-text.ts";
import { now, settled } from "./settled-status.ts";

const [node] = settled.nodes;
const [module] = settled.modules;
if (node === undefined || module === undefined) throw new Error("the settled status has both");
const wordOf = (at: number) => (at % 100 === 7 ? ("stuck" as const) : ("current" as const));
const many: StatusDocument = {
  ...settled,
  nodes: Array.from({ length: 1000 }, (_, at) => ({
    ...node,
    node: `node-${at}`,
    word: wordOf(at),
    all: [{ word: wordOf(at), since: null, why: "" }],
  })),
  modules: Array.from({ length: 300 }, (_, at) => ({
    ...module,
    module: `m${at}`,
    text: `m${at}   source 3f2a9c1`,
    standing: at === 9 ? ("unfit" as const) : ("current" as const),
    runsOn: at === 11 ? [{ node: "node-7", word: "stuck" as const, applied: false }] : module.runsOn,
  })),
};

describe("the status of a large mesh, for a person (R31)", () => {
  it("counts how many stand how, and has rows of those alone that are not settled", () => {
    const text = statusText(many, now);
    expect(text).toContain("1000 nodes: 990 current, 10 stuck (--all shows each)\n");
    expect(text.match(/^node-\d+/gm)).toEqual(Array.from({ length: 10 }, (_, at) => `node-${at * 100 + 7}`));
    expect(text).toContain("300 modules: 299 current, 1 unfit (--all shows each)\n");
    expect(text.match(/^m\d+/gm)).toEqual(["m9", "m11"]);
  });

  it("of many that are not settled has the first, and says how many more", () => {
    const nodes = many.nodes.map((one) => ({ ...one, word: "silent" as const }));
    const text = statusText({ ...many, nodes }, now);
    expect(text.match(/^node-\d+/gm)).toHaveLength(200);
    expect(text).toContain("\nand 800 more (--all shows each)\n");
  });

  it("takes no node for settled of which nobody can tell yet that it still is", () => {
    const nodes = many.nodes.map((one, at) =>
      at === 3 ? { ...one, all: one.all.map((found) => ({ ...found, awaits: "comparison" as const })) } : one,
    );
    expect(statusText({ ...many, nodes }, now)).toMatch(/^node-3 /m);
  });

  it("has every row where that is asked for, and of a small mesh always", () => {
    const text = statusText(many, now, { all: true });
    expect(text.match(/^node-\d+/gm)).toHaveLength(1000);
    expect(text.match(/^m\d+/gm)).toHaveLength(300);
    expect(text).not.toContain("--all");
    expect(statusText(settled, now)).toBe(statusText(settled, now, { all: true }));
  });

  it("bounds what is owed in the same way", () => {
    const owed = Array.from({ length: 250 }, (_, at) => ({
      node: `node-${at}`,
      what: "a database",
      since: "2026-01-01T00:09:59.000Z",
      ageMs: 1000,
      told: true,
      remedy: null,
    }));
    const text = statusText({ ...settled, owed }, now);
    expect(text.match(/^ {2}to node-/gm)).toHaveLength(200);
    expect(text).toContain("\n  and 50 more (--all shows each)");
  });
});
