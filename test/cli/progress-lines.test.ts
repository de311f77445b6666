import { describe, expect, it } from "vitest";
import { createProgressLines } from "../../src/cli/push/progress-lines.ts";
import type { Effect, PushedNode } from "../../src/cli/text/push-text.ts";
import { settledPush } from "./settled-push.ts";

const [template] = settledPush.nodes;
if (template === undefined) throw new Error("there is one");
const nodes = (count: number, effectOf: (at: number) => Effect): PushedNode[] =>
  Array.from({ length: count }, (_, at) => ({ ...template, node: `node-${at}`, effect: effectOf(at) }));

describe("how far a push is, while it is under way (R48)", () => {
  it("each of a few nodes is said once in each state, and one that fails for a moment is not", () => {
    const lines = createProgressLines();
    expect(lines(nodes(2, () => "outstanding"))).toEqual([
      "  node-0: sent, outstanding (named)",
      "  node-1: sent, outstanding (named)",
    ]);
    expect(lines(nodes(2, (at) => (at === 0 ? "applied" : "outstanding")))).toEqual([
      "  node-0: sent, applied (named)",
    ]);
    expect(lines(nodes(2, (at) => (at === 0 ? "applied" : "failed")))).toEqual([]);
    expect(lines(nodes(2, (at) => (at === 0 ? "applied" : "cannot-tell")))).toEqual([
      "  node-1: sent, cannot tell (named)",
    ]);
  });

  it("a node that was not told has its reason whole: it ends with the command that helps", () => {
    const why = `${"shop-backend has no fit build; ".repeat(10)}mesh why shop-backend says more`;
    expect(createProgressLines()([{ ...template, outcome: "not-worked-out", effect: "not-sent", why }])).toEqual([
      `  node-a: not worked out (${why})`,
    ]);
  });

  it("of ten thousand, a few lines say how many are how far, whatever often it is looked", () => {
    const lines = createProgressLines();
    const said: string[] = [];
    for (let applied = 0; applied <= 10_000; applied += 100)
      said.push(...lines(nodes(10_000, (at) => (at < applied ? "applied" : "outstanding"))));
    expect(said.length).toBeGreaterThan(10);
    expect(said.length).toBeLessThan(50);
    expect(said[0]).toBe("  10000 nodes: 10000 sent, outstanding");
    expect(said.at(-1)).toBe("  10000 nodes: 10000 sent, applied");
  });
});
