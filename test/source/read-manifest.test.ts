import { describe, expect, it } from "vitest";
import { buildEdgeKeys } from "../../src/core/manifest.ts";
import { manifestBytesLimit, readManifest } from "../../src/source/read-manifest.ts";

function refusal(text: string): { line: number; message: string } {
  const reading = readManifest(text, "core");
  if (reading.kind === "manifest") throw new Error("it was taken");
  return { line: reading.findings[0].line, message: reading.findings[0].message };
}

describe("a manifest", () => {
  it("is read with its defaults", () => {
    const reading = readManifest("module: core\nlanguage: typescript\n", "core");
    expect(reading).toMatchObject({ kind: "manifest", manifest: { module: "core", upgrade: "record", requires: [] } });
  });

  it("keeps words that other YAML readers turn into something else", () => {
    const text = 'module: core\nlanguage: files\nconfig:\n  a: "no"\n  b: no\n  c: "012"\n  d: "1e999"\n';
    expect(readManifest(text, "core")).toMatchObject({
      manifest: { config: { a: "no", b: "no", c: "012", d: "1e999" } },
    });
  });

  it.each(buildEdgeKeys)(
    "that declares a build edge by %s is refused with the reason and the line (R4, case 53)",
    (key) => {
      const found = refusal(`module: core\nlanguage: typescript\n${key}: [other]\n`);
      expect(found.line).toBe(3);
      expect(found.message).toMatch(/never declared.*read from the imports/);
    },
  );

  it("that asks for upgrade: plan is told what exists", () => {
    expect(refusal("module: core\nlanguage: files\nupgrade: plan\n")).toEqual({
      line: 3,
      message: expect.stringMatching(/record and auto exist/),
    });
  });

  it.each(["", "# later\n", "---\n"])("that says nothing (%j) is told what is the least", (text) => {
    expect(refusal(text)).toEqual({
      line: 1,
      message: expect.stringMatching(/^is empty: the least it says is `module:/),
    });
  });

  it("of another module than the registered one is refused: a rename is a new module (case 14)", () => {
    expect(refusal("# a comment\nmodule: other\nlanguage: files\n")).toEqual({
      line: 2,
      message: expect.stringMatching(/registered as core/),
    });
  });
});

describe("a hostile manifest is refused with its line (case 53)", () => {
  const head = "module: core\nlanguage: files\n";
  const levels = Array.from(
    { length: 9 },
    (_, at) => `x${at + 1}: &x${at + 1} [${Array.from({ length: 9 }, () => `*x${at}`).join(", ")}]`,
  );
  it.each([
    ["aliases by the billion", `x0: &x0 [lol]\n${levels.join("\n")}\n`, 2],
    ["an alias", `${head}config: &c {a: b}\nfiles: *c\n`, 4],
    ["__proto__", `${head}__proto__: {a: 1}\n`, 3],
    ["__proto__ inside", `${head}config:\n  __proto__: x\n`, 4],
    ["constructor", `${head}config:\n  constructor: x\n`, 4],
    ["!!js/function", `${head}config:\n  a: !!js/function "x"\n`, 4],
    ["a tag of its own", `${head}config:\n  a: !ruby/object x\n`, 4],
    ["an unknown key", `${head}replicas: 3\n`, 3],
    ["an unknown key inside", `${head}service:\n  command: [a]\n  privileged: true\n`, 5],
    ["a key twice", `${head}language: files\n`, 3],
    ["a key that is a list", `${head}? [a]\n: b\n`, 3],
    ["a merge key", `${head}config:\n  <<: {a: b}\n`, 4],
    ["two documents", `${head}---\n${head}`, 3],
    ["a number where a word belongs", `${head}config:\n  a: 12\n`, 4],
    ["a path that leaves its folder", `${head}files:\n  - path: ../x\n    text: x\n`, 4],
    ["broken YAML", `${head}service: [\n`, 4],
  ])("%s", (_what, text, line) => {
    expect(refusal(text).line).toBe(line);
  });

  it.each([
    ["flow lists", "[".repeat(30_000)],
    ["flow maps", "{a: ".repeat(15_000)],
    ["lists in one line", "- ".repeat(30_000)],
    ["keys in one line", "? ".repeat(30_000)],
    ["flow lists over lines", "[\n".repeat(30_000)],
  ])("nested too deep by %s, which would take the process down", (_what, text) => {
    expect(refusal(text).message).toMatch(/nested deeper/);
  });

  it("larger than its limit", () => {
    expect(refusal(`# ${"x".repeat(manifestBytesLimit)}`).message).toMatch(/larger than/);
  });

  it.each(["", "null", "[]", "text", "\u0000", "\ufeff", "%YAML 9.9\n---\na"])(
    "that is no manifest at all: %j",
    (text) => {
      expect(readManifest(text, "core").kind).toBe("refused");
    },
  );
});
