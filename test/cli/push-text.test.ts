import { describe, expect, it } from "vitest";
import { pushText } from "../../src/cli/text/push-text.ts";
import { settledPush } from "./settled-push.ts";

describe("a push of many nodes, for a person", () => {
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
