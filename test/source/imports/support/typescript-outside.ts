import type { Situation } from "./situation.ts";
import { inApp } from "./typescript-syntax.ts";

/** Beside `src/`: the compiler and Node would follow, and an import in there would make no edge. */
export const typescriptOutside: readonly Situation[] = [
  ...(
    [
      ["declarations", `import type { Row } from "../types/rows.js"; export type A = Row;`, "types/rows.d.ts"],
      ["JavaScript, at run time", `export const load = () => import("../lib/db.js");`, "lib/db.js"],
      ["TypeScript", `import "../lib/db.js";`, "lib/db.ts"],
      ["a folder", `require("../lib");`, "lib/index.cjs"],
      ["a folder with a package.json", `require("../lib");`, "lib/package.json"],
      ["declarations, by a reference", `/// <reference path="../types/all.d.ts" />\nexport {};`, "types/all.d.ts"],
      ["declarations beside data", `import text from "../texts/a.txt"; export { text };`, "texts/a.d.txt.ts"],
    ] as const
  ).map(([what, text, path]) =>
    inApp(
      `of ${what}, outside src/`,
      { "src/a.ts": text, [path]: `import "@test/core";` },
      { edges: [], findings: [new RegExp(`^error src/a\\.ts:1: imports \\.\\./.*: ${path} is code outside src/`)] },
    ),
  ),
  inApp(
    "of code outside src/, by paths",
    {
      "tsconfig.json": `{ "compilerOptions": { "paths": { "lib/*": ["./lib/*"] } } }`,
      "src/a.ts": `import "lib/db.js";`,
      "lib/db.js": `import "@test/core";`,
    },
    { edges: [], findings: [/^error src\/a\.ts:1: .*lib\/db\.js is code outside src\//] },
  ),
  inApp(
    "of code outside src/, by types of settings",
    {
      "tsconfig.json": `{ "compilerOptions": { "types": ["./types/all"] } }`,
      "src/a.ts": "export {};",
      "types/all.d.ts": `import "@test/core";`,
    },
    { edges: [], findings: [/^error tsconfig\.json:1: imports .*types\/all\.d\.ts is code outside src\//] },
  ),
  ...(
    [
      ["TypeScript", `import { one } from "./fixtures/one.js"; export { one };`, "src/fixtures/one.ts"],
      [
        "declarations",
        `import type { Row } from "./__fixtures__/rows.js"; export type A = Row;`,
        "src/__fixtures__/rows.d.ts",
      ],
      ["a folder", `require("./deep/fixtures");`, "src/deep/fixtures/index.cjs"],
    ] as const
  ).map(([what, text, path]) =>
    inApp(
      `of ${what} in a folder of data below src/`,
      { "src/a.ts": text, [path]: `import "@test/core";` },
      { edges: [], findings: [new RegExp(`^warning src/a\\.ts:1: imports \\./.*: ${path} is in a folder of data`)] },
    ),
  ),
  inApp(
    "of data in a folder of data, and of a file that is called like one",
    {
      "src/a.ts": `import one from "./fixtures/one.json" with { type: "json" }; import "./fixtures.js"; export { one };`,
      "src/fixtures/one.json": "{}",
      "src/fixtures.ts": `import "@test/core";`,
    },
    { edges: ["core build src/fixtures.ts:1"] },
  ),
  ...(
    [
      ["the one entry", "./lib/db.js", "@test/app"],
      ["conditions", { import: "./lib/db.js" }, "@test/app"],
      ["a subpath", { "./db": { import: "./dist/db.js", default: "./lib/db.js" } }, "@test/app/db"],
      ["a pattern", { "./*": "./lib/*.js" }, "@test/app/db"],
    ] as const
  ).map(([what, exports, specifier]) =>
    inApp(
      `by its own name, of code outside src/ by ${what}`,
      {
        "package.json": JSON.stringify({ name: "@test/app", type: "module", exports }),
        "src/a.ts": `import "${specifier}";`,
        "lib/db.js": `import "@test/core";`,
      },
      { edges: [], findings: [/^error src\/a\.ts:1: .*lib\/db\.js is code outside src\//] },
    ),
  ),
  inApp(
    "by its own name, of what is compiled and of data",
    {
      "package.json": JSON.stringify({
        name: "@test/app",
        type: "module",
        exports: { ".": "./dist/a.js", "./package.json": "./package.json" },
      }),
      "src/a.ts": `import "@test/app"; import "@test/app/package.json"; export {};`,
    },
    { edges: [] },
  ),
  inApp(
    "of data outside src/",
    {
      "src/a.ts": `import own from "../package.json" with { type: "json" }; import a from "../a.json" with { type: "json" };`,
      "a.json": "{}",
    },
    { edges: [] },
  ),
];
