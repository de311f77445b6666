import { describe, expect, it } from "vitest";
import { createGoReader } from "../../../src/source/imports/go.ts";
import type { Import } from "../../../src/source/imports/import-reader.ts";

const reader = createGoReader({ toolchain: null });

interface Situation {
  readonly mod?: string;
  readonly files?: readonly string[];
  readonly published?: Record<string, string>;
}

const requires = "require (\n\texample.org/core v0.0.0\n\trsc.io/quote v1.5.2\n)\n";

function createResolver(situation: Situation = {}) {
  return reader.createResolver({
    module: "app",
    facts: new Map([["go.mod", situation.mod ?? `module example.org/app\n\ngo 1.22\n\n${requires}`]]),
    files: situation.files ?? ["go.mod", "main.go", "page/page.go", "page/page_test.go", "only/only_test.go"],
    published: new Map(
      Object.entries(
        situation.published ?? { "example.org/core": "core", "example.org/core/sub": "sub", "example.org/app": "app" },
      ),
    ),
    ownerOfPath: () => null,
    factsOf: () => new Map(),
  });
}

function resolve(specifier: string, situation: Situation = {}, file = "page/page.go"): string {
  const found: Import = { specifier, kind: "static", line: 1 };
  const { owner, finding } = createResolver(situation).resolve(file, found, "build");
  return finding === null ? `${owner}` : `${owner} ${finding.severity}: ${finding.message}`;
}

describe("where a Go import leads (cases 11 and 13)", () => {
  it.each([
    ["example.org/core", "core"],
    ["example.org/core/deep/down", "core"],
    // The longest published name wins.
    ["example.org/core/sub/x", "sub error"],
    ["example.org/core/sub", "sub error"],
    ["example.org/corelib", "null error"],
    ["example.org/app/page", "null"],
    ["example.org/app", "null"],
    ["net/http", "null"],
    ["unsafe", "null"],
    ["rsc.io/quote", "null"],
    ["rsc.io/quote/buggy", "null"],
  ])("%s: %s", (specifier, expected) => {
    const got = resolve(specifier);
    if (expected === "sub error")
      expect(got).toMatch(/^sub warning: .*go\.mod does not require example\.org\/core\/sub/);
    else if (expected === "null error")
      expect(got).toMatch(/^null error: .*no module publishes and go\.mod does not require/);
    else expect(got).toBe(expected);
  });

  it.each([
    [
      "example.org/none",
      /^null error: imports example\.org\/none, which no module publishes and go\.mod does not require$/,
    ],
    ["example.org/Core", /^null error: .*\(module core publishes example\.org\/core\)$/],
    ["nethttp", /^null error: .*not in Go's standard library, and no module publishes it/],
    ["./page", /^null error: .*no relative imports/],
    ["../page", /^null error: .*no relative imports/],
    ["/page", /^null error: .*no relative imports/],
    ["C", /^null warning: .*CGO_ENABLED=0/],
    ["example.org/app/nowhere", /^null error: .*there is no package in folder nowhere/],
    ["example.org/app/only", /^null error: .*there is no package in folder only/],
    ["example.org/app/vendor/rsc.io/quote", /^null error: .*vendored/],
    ["example.org/core/internal/x", /^core error: .*use of internal package not allowed outside example\.org\/core/],
    ["rsc.io/quote/internal", /^null error: .*internal/],
    ["internal/abi", /^null error: .*standard library/],
  ])("%s is refused or said", (specifier, expected) => {
    expect(resolve(specifier)).toMatch(expected);
  });

  it("an internal package of the module around it is allowed, as the compiler has it", () => {
    const mod = "module example.org/core/tools\nrequire example.org/core v0.0.0\n";
    const published = { "example.org/core": "core", "example.org/core/tools": "app" };
    expect(resolve("example.org/core/internal/x", { mod, published })).toBe("core");
    const own = { files: ["a/internal/x/x.go", "b/b.go"] };
    expect(resolve("example.org/app/a/internal/x", own, "a/a.go")).toBe("null");
    expect(resolve("example.org/app/a/internal/x", own, "b/b.go")).toMatch(/internal package not allowed/);
  });

  it("a name of Go's own is never a module, and the clash is said on both sides", () => {
    expect(resolve("log", { published: { log: "logger" } })).toMatch(/^null warning: log is Go's own: module logger/);
    expect(reader.publishNames({ facts: new Map([["go.mod", "module log\n"]]), files: [] })).toEqual({
      names: ["log"],
      findings: [{ severity: "warning", file: "go.mod", line: 0, message: expect.stringMatching(/name of Go's own/) }],
    });
  });

  it("a major version is a name of its own", () => {
    const published = { "example.org/core": "core", "example.org/core/v2": "core-two" };
    const mod = "module example.org/app\nrequire example.org/core v1.0.0\nrequire example.org/core/v2 v2.0.0\n";
    expect(resolve("example.org/core/v2/x", { mod, published })).toBe("core-two");
    expect(resolve("example.org/core/x", { mod, published })).toBe("core");
  });

  it("a name without a dot can be published, and not imported", () => {
    expect(resolve("tools/x", { published: { tools: "tools" } })).toMatch(/^tools error: .*without a dot/);
  });

  it("a folder with a go.mod of its own is no part of the module", () => {
    const files = ["go.mod", "a.go", "tools/go.mod", "tools/t.go", "testdata/go.mod"];
    expect(createResolver({ files }).findings).toEqual([
      { severity: "warning", file: "tools/go.mod", line: 0, message: expect.stringMatching(/module of its own/) },
    ]);
    expect(resolve("example.org/none", { files }, "tools/t.go")).toBe("null");
    expect(resolve("example.org/app/tools", { files }, "a.go")).toMatch(/error: .*tools\/go\.mod makes that folder/);
  });

  it("a folder that go.mod ignores makes no edges", () => {
    const mod = "module example.org/app\nignore ./gen\nignore (\n\tthird/party\n)\n";
    expect(resolve("example.org/none", { mod }, "gen/x/a.go")).toBe("null");
    expect(resolve("example.org/none", { mod }, "a/third/party/a.go")).toBe("null");
    expect(resolve("example.org/none", { mod }, "a/gen/a.go")).toMatch(/error/);
  });

  it("a vendored copy of a module is not source, and is said", () => {
    const files = ["go.mod", "a.go", "vendor/modules.txt", "vendor/example.org/core/x/core.go"];
    expect(reader.isSource("vendor/example.org/core/x/core.go")).toBe(false);
    expect(createResolver({ files }).findings.map(({ file, message }) => `${file}: ${message}`)).toEqual([
      expect.stringMatching(/^vendor: is not used/),
      expect.stringMatching(/^vendor\/example\.org\/core: is a copy of module core/),
    ]);
  });

  it.each([
    ["replace example.org/core => ../core", /outside the module's folder/],
    ["replace example.org/core v1.0.0 => /home/me/core", /outside the module's folder/],
    ["replace (\n\trsc.io/quote => ./quote\n)", /module of its own/],
    ["replace example.org/core => example.com/fork v1.0.0", /which module core publishes/],
    ["replace example.org/core =>", /cannot be read/],
    ["requires x v1", /cannot be read/],
    [`require "open v1`, /without an end/],
  ])("%s is refused with its line", (text, expected) => {
    const { findings } = createResolver({ mod: `module example.org/app\n\n${text}\n` });
    expect(findings).toEqual([
      { severity: "error", file: "go.mod", line: text.includes("(") ? 4 : 3, message: expect.stringMatching(expected) },
    ]);
  });

  it("a replace by another module that nobody here publishes, comments and quotes are fine", () => {
    const mod = `// head\nmodule "example.org/app" // own\nretract v1.0.0\ntoolchain go1.22.1\ngo 1.22\nreplace rsc.io/quote v1.5.2 => rsc.io/quote/v3 v3.1.0\n`;
    expect(createResolver({ mod }).findings).toEqual([]);
  });

  it("without a go.mod nothing can be built", () => {
    const context = {
      module: "app",
      facts: new Map(),
      files: ["a.go"],
      published: new Map(),
      ownerOfPath: () => null,
      factsOf: () => new Map(),
    };
    expect(reader.createResolver(context).findings).toEqual([
      { severity: "error", file: "go.mod", line: 0, message: expect.stringMatching(/there is none/) },
    ]);
  });
});

describe("what counts as Go source", () => {
  it.each(["a.go", "a/b_windows.go", "a_test.go", "a/b.go", "internal/x.go"])("%s does", (path) => {
    expect(reader.isSource(path)).toBe(true);
  });
  it.each([
    "_a.go",
    ".a.go",
    "testdata/a.go",
    "a/testdata/b/a.go",
    "vendor/a.go",
    "a/vendor/a.go",
    "_x/a.go",
    ".x/a.go",
    "a.c",
    "go.mod",
  ])("%s does not", (path) => {
    expect(reader.isSource(path)).toBe(false);
  });
  it("a file is a test by its name alone", () => {
    expect([reader.isTest("a_test.go"), reader.isTest("a/x_test.go"), reader.isTest("test.go")]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe("what go.sum resolves for a module", () => {
  const hash = (letter: string): string => `h1:${letter.repeat(43)}=`;
  const mod = "module example.org/app\ngo 1.22\nrequire rsc.io/quote v1.5.2\n";
  const lines = [
    `rsc.io/quote v1.5.2 ${hash("a")}`,
    `rsc.io/quote v1.5.2/go.mod ${hash("b")}`,
    `rsc.io/old v1.0.0/go.mod ${hash("c")}`,
  ];
  const read = (sum: string, text = mod) =>
    reader.readLock(
      new Map([
        ["go.mod", text],
        ["go.sum", sum],
      ]),
    );

  it("is the same in any order, twice, with blank lines, and with what nothing uses", () => {
    const first = read(`${lines.join("\n")}\n`);
    expect(first).toEqual({ kind: "locked", entries: lines.toSorted() });
    expect(read(`\n${lines.toReversed().join("\r\n")}\n${lines[0]}\nrsc.io/quote v1.4.0 ${hash("d")}\n`)).toEqual(
      first,
    );
  });

  it("moves when a pin moves, and when choosing versions may read another go.mod", () => {
    const first = read(lines.join("\n"));
    expect(read(lines.join("\n").replace(hash("a"), hash("z")))).not.toEqual(first);
    expect(read(`${lines.join("\n")}\nrsc.io/old v1.1.0/go.mod ${hash("c")}`)).not.toEqual(first);
  });

  it("before Go 1.17 go.mod does not name everything: all of it counts", () => {
    const old = mod.replace("1.22", "1.16");
    expect(read(`rsc.io/other v1.4.0 ${hash("d")}`, old)).toMatchObject({ kind: "locked" });
    expect(read(`rsc.io/other v1.4.0 ${hash("d")}`)).toEqual({ kind: "none" });
  });

  it("is none without the file", () => {
    expect(reader.readLock(new Map([["go.mod", mod]]))).toEqual({ kind: "none" });
  });

  it.each([
    ["rsc.io/quote v1.5.2", /is not/],
    [`rsc.io/quote v1.5.2 md5:abc`, /no h1/],
    [`../x v1.5.2 ${hash("a")}`, /names no version/],
    [`rsc.io/quote latest ${hash("a")}`, /names no version/],
    [`${lines[0]}\nrsc.io/quote v1.5.2 ${hash("z")}`, /another hash/],
  ])("%s is refused with its line", (sum, message) => {
    const line = sum.split("\n").length;
    expect(read(sum)).toEqual({
      kind: "refused",
      finding: { severity: "error", file: "go.sum", line, message: expect.stringMatching(message) },
    });
  });
});
