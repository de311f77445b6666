import { typescriptModule } from "../../../support/build-bed.ts";
import type { Situation } from "./situation.ts";

export const core = typescriptModule("core", {
  "src/index.ts": "export const one = 1;\n",
  "package.json": JSON.stringify({ name: "@test/core", type: "module" }),
});
const listing = JSON.stringify({ name: "@test/app", type: "module", peerDependencies: { "@test/core": "*" } });

/** `app` with these files, beside `core`, which publishes `@test/core`. */
export function inApp(
  what: string,
  files: Record<string, string>,
  found: Omit<Situation, "what" | "files">,
): Situation {
  return { what, files: { ...core, ...typescriptModule("app", { "package.json": listing, ...files }) }, ...found };
}

const edge = (place = "src/a.ts:2", kind = "build"): { edges: string[] } => ({ edges: [`core ${kind} ${place}`] });
const none = { edges: [] };

/** One line that imports, at line 2 of src/a.ts. */
const lines: readonly (readonly [string, string])[] = [
  ["static", `import { one } from "@test/core";`],
  ["default", `import one from '@test/core';`],
  ["namespace", `import * as core from "@test/core";`],
  ["with types among values", `import { type One, one } from "@test/core";`],
  ["over more than one line, found at its first", `import {\n  one,\n} from "@test/core";`],
  ["without names", `import {} from "@test/core";`],
  ["side effect", `import "@test/core";`],
  ["re-export", `export { one } from "@test/core";`],
  ["re-export of everything", `export * from "@test/core";`],
  ["re-export of everything where the whole tree is read", `export * from "@test/core"; void require;`],
  ["export * as", `export * as core from "@test/core";`],
  ["re-export without names", `export {} from "@test/core";`],
  ["type-only", `import type { One } from "@test/core";`],
  ["type-only by each name", `import { type One } from "@test/core";`],
  ["type-only re-export", `export type { One } from "@test/core";`],
  ["type-only re-export of everything", `export type * from "@test/core";`],
  ["typeof import()", `export type One = typeof import("@test/core");`],
  ["import() in a type", `export const a: import("@test/core").One | null = null;`],
  ["import type x = require()", `import type core = require("@test/core");`],
  ["dynamic with a literal", `export const core = await import("@test/core");`],
  ["dynamic with a template without substitutions", "export const core = await import(`@test/core`);"],
  ["dynamic with attributes", `export const core = await import("@test/core", { with: { type: "json" } });`],
  ["dynamic in a function nobody calls", `export const load = () => { if (0) return import("@test/core"); };`],
  ["require", `const core = require("@test/core"); export {};`],
  ["require with a template without substitutions", "const core = require(`@test/core`); export {};"],
  ["require in a try", `try { require("@test/core"); } catch {} export {};`],
  ["require?.()", `require?.("@test/core"); export {};`],
  ["module.require", `module.require("@test/core"); export {};`],
  ["require.resolve", `require.resolve("@test/core"); export {};`],
  ["import.meta.resolve", `import.meta.resolve("@test/core"); export {};`],
  ["createRequire() called at once", `createRequire(import.meta.url)("@test/core"); export {};`],
  ["createRequire() under another name", `const load = createRequire(import.meta.url); load("@test/core"); export {};`],
  ["import x = require()", `import core = require("@test/core");`],
  ["export import x = require()", `export import core = require("@test/core");`],
  ["import defer", `import defer * as core from "@test/core";`],
  ["import source", `import source core from "@test/core";`],
  ["import.defer()", `export const core = import.defer("@test/core");`],
  ["with attributes", `import core from "@test/core" with { type: "json" };`],
  ["subpath", `import { a } from "@test/core/names";`],
  ["JSON of a subpath", `import a from "@test/core/data.json" with { type: "json" };`],
  ["in a declare module block", `declare module "more" { import { One } from "@test/core"; }`],
  ["that extends a module's types", `export {}; declare module "@test/core" { interface One { more: string } }`],
  ["in a decorator", `@one(import("@test/core")) export class A {}`],
];

const files: readonly Situation[] = [
  ...["tsx", "mts", "cts", "js", "jsx", "mjs", "d.ts", "d.mts", "d.cts"].map((ending) =>
    inApp(`in a .${ending} file`, { [`src/a.${ending}`]: `\nimport "@test/core";` }, edge(`src/a.${ending}:2`)),
  ),
  inApp("in a .cjs file", { "src/a.cjs": `\nrequire("@test/core");` }, edge("src/a.cjs:2")),
  inApp("after a hashbang", { "src/a.ts": `#!/usr/bin/env node\nimport "@test/core";` }, edge()),
  inApp("after a byte order mark", { "src/a.ts": `\uFEFF\nimport "@test/core";` }, edge()),
  inApp("with Windows line ends", { "src/a.ts": `// a\r\nimport "@test/core";\r\n` }, edge()),
  inApp("in a reference", { "src/a.ts": `\n/// <reference types="@test/core" />\nexport {};` }, edge()),
  inApp(
    "by the JSX runtime",
    { "src/a.tsx": `/** @jsxImportSource @test/core */\nexport const a = <p />;` },
    edge("src/a.tsx:1"),
  ),
  inApp("in JSX code", { "src/a.tsx": `\nexport const a = <p>{require("@test/core")}</p>;` }, edge("src/a.tsx:2")),
  inApp(
    "beside type arguments that only TSX takes for tags",
    { "src/a.tsx": `const a = <T,>(b: T) => b;\nimport "@test/core";` },
    edge("src/a.tsx:2"),
  ),
  inApp(
    "in a test only: a test edge",
    { "src/a.ts": "export {};", "src/a.test.ts": `\nimport "@test/core";` },
    edge("src/a.test.ts:2", "test"),
  ),
  inApp(
    "in a test and elsewhere: a build edge",
    { "src/a.test.ts": `import "@test/core";`, "src/b.ts": `\nimport "@test/core";` },
    edge("src/b.ts:2"),
  ),
];

const notOnes: readonly (readonly [string, string])[] = [
  ["a comment", `// import "@test/core";\n/* require("@test/core") */ /** {@link import("@test/core")} */`],
  ["a string", `export const a = 'import "@test/core"';`],
  ["a template", "export const a = `import '@test/core'; ${1} require('@test/core')`;"],
  ["a regular expression", `export const a = /import "@test\\/core"|require\\("@test"\\)/;`],
  ["names that look like it", `export const a = { require: 1, import: 2 }; class A { import(b: string) {} }`],
  ["a method called require", `thing.require("@test/core");`],
  ["a mock of tests", `vi.mock("@test/core"); jest.mock("@test/core"); export {};`],
  ["its own name", `import "@test/app"; import "@test/app/sub";`],
  ["data", `import "data:text/javascript,export default 1";`],
  ["an address", `new URL("https://test/core", import.meta.url); new Worker("./core.js"); export {};`],
];

/** What only comments of JavaScript say, as the compiler reads them there. */
const inJsdoc: readonly (readonly [string, string])[] = [
  ["@type", `/** @type {import("@test/core").One | null} */\nexport const a = null;`],
  ["@param, among braces", `/**\n * @param {{ one: import('@test/core').One }} a what\n */\nexport function f(a) {}`],
  ["@import", `/** @import { One } from "@test/core" */\nexport {};`],
];

export const typescriptSyntax: readonly Situation[] = [
  ...inJsdoc.map(([what, text]) =>
    inApp(
      `a type in a comment of JavaScript: ${what}`,
      { "src/a.js": `\n${text}` },
      edge(what.includes("among") ? "src/a.js:3" : "src/a.js:2"),
    ),
  ),
  ...inJsdoc.map(([what, text]) =>
    inApp(`none in the same comment of TypeScript: ${what}`, { "src/a.ts": `\n${text}` }, none),
  ),
  inApp(
    "none in a link, an example or another comment of JavaScript",
    {
      "src/a.js": `/** {@link import("@test/core")} */\n/* @type {import("@test/core").One} */\n// @type {import("@test/core").One}\nexport {};`,
    },
    none,
  ),
  inApp(
    "a type in a comment of JavaScript that nobody publishes: a warning",
    { "src/a.js": `\n/** @type {import("@gone/away").One} */\nexport const a = null;` },
    { edges: [], findings: [/^warning src\/a\.js:2: imports @gone\/away/] },
  ),
  ...lines.map(([what, line]) => inApp(what, { "src/a.ts": `\n${line}` }, edge())),
  ...files,
  ...notOnes.map(([what, line]) => inApp(`none in ${what}`, { "src/a.ts": line }, none)),
  inApp(
    "none in the text of JSX",
    { "src/a.tsx": `export const a = <p title='import "@test/core"'>import "@test/core";</p>;` },
    none,
  ),
  inApp(
    "none in files that the build does not include",
    { "src/a.ts": "export {};", "fixtures/a.ts": `import "@test/core";`, "src/fixtures/b.ts": `import "@test/core";` },
    none,
  ),
  ...[`import(name);`, "import(`./${name}.js`);", `require("a" + b);`, `import.meta.resolve(name);`].map((line) =>
    inApp(
      `computed, ${line}: a warning with its line (case 12)`,
      { "src/a.ts": `\n${line}\nexport {};` },
      {
        edges: [],
        findings: [/^warning src\/a\.ts:2: .*computed/],
      },
    ),
  ),
  inApp(
    "in code that cannot be read: an error, not an empty answer",
    { "src/a.ts": `import { from "@test/core";` },
    {
      edges: [],
      findings: [/^error src\/a\.ts:1: cannot be read/],
    },
  ),
  inApp(
    "of a name with control characters (case 52)",
    { "src/a.ts": `import "x\\u0000y";` },
    {
      edges: [],
      findings: [/^error src\/a\.ts:1: .*control characters/],
    },
  ),
];
