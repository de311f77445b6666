import { describe, expect, it } from "vitest";
import { sayLanguages } from "../../../src/cli/up/say-languages.ts";
import type { PushDocument, PushedNode } from "../../../src/cli/text/push-text.ts";
import { settledPush } from "../settled-push.ts";

const examples = [
  { module: "clock-go", url: "http://127.0.0.1:7001/" },
  { module: "clock-rust", url: "http://127.0.0.1:7002/" },
];
const [first] = settledPush.nodes;
const say = (push: Partial<PushDocument>, node: Partial<PushedNode> | null): string =>
  sayLanguages(
    { ...settledPush, ...push, nodes: first === undefined || node === null ? [] : [{ ...first, ...node }] },
    { node: "node-a", examples, state: "" },
  ).join("\n");

describe("what npm start says of the examples in other languages (R48)", () => {
  it.each<Partial<PushedNode>>([{ effect: "applied" }, { effect: "superseded" }])("where they run (%o)", (node) => {
    expect(say({}, node)).toBe("clock-go is on http://127.0.0.1:7001/\nclock-rust is on http://127.0.0.1:7002/");
  });

  it("where the push was refused: that they do not run, why whole, and the next step", () => {
    const helps = "mesh why shop-backend says what keeps it from being built";
    const why = `${"shop-backend has no fit build; ".repeat(10)}${helps}`;
    const said = say(
      { outcome: "refused", message: "nothing was sent" },
      { outcome: "not-worked-out", effect: "not-sent", epoch: null, number: null, why },
    );
    expect(said).not.toContain(" is on ");
    expect(said).toContain("not running: clock-go, clock-rust, as node-a was not told of them (not worked out)");
    expect(said).toContain("nothing was sent; ");
    expect(said).toContain(helps);
    expect(said).toContain("`npx mesh push node-a`; `npx mesh why node-a` says more");
  });

  it("where the push never came to the node", () => {
    expect(say({ outcome: "under-way", message: "" }, null)).toMatch(/^not running: .*\(under way\)\n/);
  });

  it.each<Partial<PushedNode>>([
    { effect: "un-ready", says: "clock-go waits for its port" },
    { effect: "superseded", pending: true, says: "clock-go waits for its port" },
  ])("where they are told and not up (%o): what the host says", (node) => {
    const said = say({ message: "" }, node);
    expect(said).not.toContain(" is on ");
    expect(said).toMatch(/^not seen to run: clock-go, clock-rust, as node-a is .*clock-go waits for its port/);
  });

  it.each<[PushedNode["effect"], string]>([
    ["un-ready", "un-ready"],
    ["cannot-tell", "cannot tell"],
  ])("by the words of the documentation: %s", (effect, words) => {
    expect(say({ message: "" }, { effect })).toContain(`as node-a is ${words}`);
  });
});
