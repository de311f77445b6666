import { describe, expect, it } from "vitest";
import { pushText } from "../../src/cli/text/push-text.ts";
import { settledPush } from "./settled-push.ts";

it("says what nobody can tell in the words of status and of the documentation (R31)", () => {
  const [node, ...others] = settledPush.nodes;
  if (node === undefined) throw new Error("there is one");
  const nodes = [{ ...node, effect: "cannot-tell" as const, says: "its host was never heard" }, ...others];
  expect(pushText({ ...settledPush, nodes, appliedMs: null })).toMatch(
    /node-a +named +sent 3\.41 +cannot tell +its host was never heard\n/,
  );
});

describe("a push of many nodes, for a person", () => {
  it("has those that are not as wanted first in its table, and the rest in the order of the push", () => {
    const [first] = settledPush.nodes;
    if (first === undefined) throw new Error("there is one");
    const nodes = (["applied", "applied", "failed", "superseded", "outstanding"] as const).map((effect, at) => ({
      ...first,
      node: `n${at}`,
      effect,
    }));
    const rows = pushText({ ...settledPush, nodes, appliedMs: null }).match(/^n\d/gm);
    expect(rows).toEqual(["n2", "n4", "n0", "n1", "n3"]);
  });

  it("beside the first of many says how many more, and what tells all of them", () => {
    const nodes = Array.from({ length: 60 }, (_, at) => `node-${at + 10}`);
    const changed = pushText({ ...settledPush, changed: nodes.map((node) => ({ node, why: "its provider moved" })) });
    expect(changed.match(/not told: node-/g)).toHaveLength(50);
    expect(changed).toContain("changed by it, and not told: 10 more");
    expect(changed).toMatch(/next: mesh push --behind$/);
    const moving = pushText({ ...settledPush, outcome: "did-not-settle", moving: nodes });
    expect(moving).toContain("node-58, node-59 and 10 more\n");
  });
});
