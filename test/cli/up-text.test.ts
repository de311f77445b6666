import { describe, expect, it } from "vitest";
import { upText } from "../../src/cli/up/up-text.ts";
import { settledPush as push } from "./settled-push.ts";
import { line, now } from "./settled-status.ts";

const modules = [
  {
    ...line,
    module: "meshboard",
    text: "meshboard   source 3f2a9c1 · built from 3f2a9c1 · fit · declared on 1 · applied on 1",
  },
];

const up = {
  mesh: "shop",
  state: "/clone/.mesh",
  readyMs: 11_200,
  troubles: [],
  modules,
  nodes: [],
  push,
  sentNow: true,
  addresses: {
    example: "http://127.0.0.1:1/",
    temporalUi: "http://127.0.0.1:2",
    push: push.ui,
    controller: "https://127.0.0.1:3",
  },
  work: "/clone/examples",
};

describe("the end of mesh up", () => {
  it("prints the delivery lines, what the push did, addresses, and what to try next", () => {
    const text = upText(up, now);
    expect(text).toMatchInlineSnapshot(`
      "mesh shop is up (11 s)

      meshboard   source 3f2a9c1 · built from 3f2a9c1 · fit · declared on 1 · applied on 1

      push of node-a settled in 420 ms, applied in 910 ms
        node-a  named            applied
        node-b  told in round 1  applied  a database for meshboard on node-a was minted here

      example      http://127.0.0.1:1/
      Temporal UI  http://127.0.0.1:8233/namespaces/default/workflows/push%2Fshop%2F1
      controller   https://127.0.0.1:3
      work copy    /clone/examples
      state        /clone/.mesh

      Try next, in a second terminal:
        npx mesh status --watch
        edit /clone/examples/meshboard/src/heading.ts, then: git -C /clone/examples commit -am "Say it differently" && git -C /clone/examples push
        npx mesh why meshboard
      Ctrl-C ends everything that this command started, and nothing else."
    `);
  });

  it("started again it shows the earlier push as recorded, and judges nothing of it anew", () => {
    const nodes = push.nodes.map((node) => ({ ...node, effect: "superseded" as const, says: "it has a newer one" }));
    const text = upText({ ...up, sentNow: false, push: { ...push, settledMs: 999, nodes } }, now);
    expect(text).toContain(
      [
        "earlier push of node-a, as recorded (nothing was sent again): settled in 2 rounds",
        "  node-a  named",
        "  node-b  told in round 1  a database for meshboard on node-a was minted here",
      ].join("\n"),
    );
    expect(text).not.toMatch(/superseded|999/);
  });
});
