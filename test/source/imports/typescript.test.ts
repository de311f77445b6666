import { describe, expect, it } from "vitest";
import { createTypeScriptReader } from "../../../src/source/imports/typescript.ts";

const reader = createTypeScriptReader();

async function read(text: string, path = "src/a.ts") {
  const [imports] = await reader.readImports([{ path, text }]);
  if (imports === undefined) throw new Error("one file in, one out");
  return imports;
}

describe("imports (case 11)", () => {
  it.each([
    [`import { a } from "x";`, "static"],
    [`import a from 'x';`, "static"],
    [`import * as a from "x";`, "static"],
    [`import { type A, b } from "x";`, "static"],
    [`export { a } from "x";`, "reexport"],
    [`export * from "x";`, "reexport"],
    [`export * as a from "x";`, "reexport"],
    [`import type { A } from "x";`, "type"],
    [`import { type A } from "x";`, "type"],
    [`export type { A } from "x";`, "type"],
    [`type A = import("x").A;`, "type"],
    [`type A = typeof import("x");`, "type"],
    [`import type a = require("x");`, "type"],
    [`/// <reference types="x" />\nexport {};`, "type"],
    [`const a = await import("x");`, "dynamic"],
    ["const a = import(`x`);", "dynamic"],
    [`const a = require("x");`, "require"],
    ["const a = require(`x`);", "require"],
    [`const a = require.resolve("x");`, "require"],
    [`const a = import.meta.resolve("x");`, "require"],
    [`const a = (require as (name: string) => unknown)("x");`, "require"],
    [`const a = require!("x");`, "require"],
    [`const a = require?.("x");`, "require"],
    [`const a = (0, require)("x");`, "require"],
    [`const a = require("x" as string);`, "require"],
    [`const a = module["require"]("x");`, "require"],
    [`const load = require; load("x");`, "require"],
    [`let load; load = createRequire(import.meta.url); load("x");`, "require"],
    [`import a = require("x");`, "require"],
    [`export import a = require("x");`, "require"],
    [`import "x";`, "side-effect"],
  ])("%s is one of kind %s", async (text, kind) => {
    expect(await read(text)).toEqual({ imports: [{ specifier: "x", kind, line: 1 }], findings: [] });
  });

  it.each([
    `// import "x";`,
    `/* import { a } from "x"; */`,
    `const a = 'import "x"';`,
    "const a = `import 'x'`;",
    "const a = `${1} require('x')`;",
    `const a = /require\\("x"\\)/;`,
    `const a = { require: 1, import: 2 };`,
    `thing.require("x");`,
    `class A { import(a: string) {} }`,
    `export {};\n/// <reference types="x" />`,
  ])("%s is none", async (text) => {
    expect(await read(text)).toEqual({ imports: [], findings: [] });
  });

  it.each([
    ["a property", `this.load = createRequire(import.meta.url); this.load("x");`],
    ["an object", `const o = { require: createRequire(import.meta.url) }; o.require(name);`],
    ["another function", `use(createRequire(import.meta.url));`],
    ["a pattern", `const { resolve } = createRequire(import.meta.url); resolve("x");`],
  ])("by what createRequire put into %s is not followed, and that is said (case 12)", async (_where, text) => {
    const { imports, findings } = await read(`import { createRequire } from "node:module";\n${text}`);
    expect(imports.map(({ specifier }) => specifier)).toEqual(["node:module"]);
    expect(findings).toMatchObject([
      {
        severity: "warning",
        line: 2,
        message: expect.stringMatching(/^what createRequire gives is kept under no plain/),
      },
    ]);
  });

  it("by what createRequire gave is one, whatever it is called (case 11)", async () => {
    const make = `import { createRequire as make } from "node:module";\n`;
    const found = await read(`${make}const load = make(import.meta.url);\nload("x");\nmake(import.meta.url)("y");`);
    expect(found.imports.map((one) => one.specifier)).toEqual(["node:module", "x", "y"]);
  });

  it("in JSX text is none, in JSX code is one", async () => {
    const text = `export const a = <p title='import "y"'>import "z"; {require("x")}</p>;`;
    expect((await read(text, "src/a.tsx")).imports.map((one) => one.specifier)).toEqual(["x"]);
  });

  it("reads type arguments that only TSX takes for tags", async () => {
    expect((await read(`import "x";\nconst a = <T,>(b: T) => b;`, "src/a.tsx")).imports).toHaveLength(1);
    expect((await read(`import "x";\nconst a = <T>b;`, "src/a.ts")).imports).toHaveLength(1);
  });

  it("carries lines", async () => {
    expect((await read(`\n\nimport "x";\n// é 😀\nrequire("y");`)).imports.map((one) => one.line)).toEqual([3, 5]);
  });

  it.each([`import(name);`, "import(`./${name}.js`);", `require("a" + b);`, `require(name);`])(
    "%s is a warning with its line: never guessed, never silent (case 12)",
    async (text) => {
      const found = await read(`\n${text}`);
      expect(found.imports).toEqual([]);
      expect(found.findings).toEqual([{ severity: "warning", line: 2, message: expect.stringMatching(/computed/) }]);
    },
  );

  it("that cannot be read is an error, not an empty answer", async () => {
    expect((await read(`import { from "x";`)).findings).toEqual([
      { severity: "error", line: 1, message: expect.stringMatching(/cannot be read/) },
    ]);
  });

  it("of a name with control characters is an error (case 52)", async () => {
    expect(await read(`import "x\\u0000y";`)).toMatchObject({ imports: [], findings: [{ severity: "error" }] });
  });
});

describe("what counts as source", () => {
  it.each([
    "src/a.ts",
    "src/a.tsx",
    "src/b/c.mts",
    "src/a.cts",
    "src/a.js",
    "src/a.jsx",
    "src/a.mjs",
    "src/a.d.ts",
    "src/a.test.ts",
  ])("%s does", (path) => {
    expect(reader.isSource(path)).toBe(true);
  });

  it.each([
    "a.ts",
    "test/a.ts",
    "fixtures/a.ts",
    "src/fixtures/a.ts",
    "src/b/__fixtures__/a.ts",
    "src/node_modules/x/a.js",
    "src/a.json",
    "src/a.mtsx",
    "srca.ts",
    "dist/a.js",
  ])("%s does not (case 11: a file the build does not include)", (path) => {
    expect(reader.isSource(path)).toBe(false);
  });
});
