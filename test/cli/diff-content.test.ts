import { describe, expect, it } from "vitest";
import { diffContent } from "../../src/cli/diff-content.ts";
import type { Content } from "../../src/core/declaration.ts";
import type { ResourceOf } from "../../src/core/resource.ts";

const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const file = (text: string): ResourceOf<"file"> => ({
  id: "file/web/page.html",
  module: "web",
  after: [],
  kind: "file",
  path: "etc/web/page.html",
  mode: "644",
  owner: "service",
  content: { from: "text", text },
});
const grant = (...consumers: string[]): ResourceOf<"grant"> => ({
  id: "grant/postgres/postgresql",
  module: "postgres",
  after: [],
  kind: "grant",
  provider: "postgresql",
  endpoint: { host: "127.0.0.1", port: 5432 },
  admin: "127.0.0.1:5432",
  adminUser: "admin",
  adminPasswordFile: "/x",
  grants: consumers.map((node) => ({
    provision: `${node}.web.db`,
    version: 1,
    consumer: { node, module: "web", requirement: "db" },
    name: `${node.replace("-", "_")}_web`,
  })),
});
const content = (parts: Partial<Content>): Content => ({ node: "node-a", builds: {}, resources: [], ...parts });

describe("the difference that a plan shows", () => {
  it("is empty between equal contents", () => {
    const same = content({ builds: { web: digest("a") }, resources: [file("x")] });
    expect(diffContent(same, structuredClone(same))).toEqual([]);
  });

  it("is everything for a node that was never told", () => {
    expect(diffContent(null, content({ builds: { web: digest("a") }, resources: [file("x")] }))).toEqual([
      { change: "added", what: "build/web", detail: "aaaaaaa" },
      { change: "added", what: "file/web/page.html", detail: "etc/web/page.html" },
    ]);
  });

  it("names what changed of a resource and never its text", () => {
    const [change] = diffContent(
      content({ resources: [file("secret-before")] }),
      content({ resources: [file("secret-after")] }),
    );
    expect(change).toEqual({ change: "changed", what: "file/web/page.html", detail: "content" });
  });

  it("says for whom access is made and ended", () => {
    const before = content({ resources: [grant("node-a", "node-c")] });
    const after = content({ resources: [grant("node-a", "node-d")] });
    expect(diffContent(before, after)).toEqual([
      {
        change: "changed",
        what: "grant/postgres/postgresql",
        detail: "+node_d_web for web on node-d, -node_c_web for web on node-c",
      },
    ]);
  });

  it("shows a build that moved, and one that leaves", () => {
    const before = content({ builds: { web: digest("a"), old: digest("c") } });
    expect(diffContent(before, content({ builds: { web: digest("b") } }))).toEqual([
      { change: "removed", what: "build/old", detail: "ccccccc" },
      { change: "changed", what: "build/web", detail: "aaaaaaa → bbbbbbb" },
    ]);
  });
});
