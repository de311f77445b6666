import { typescriptModule } from "../../../support/build-bed.ts";
import type { Situation } from "./situation.ts";
import { settingsOfOthers } from "./typescript-bases.ts";
import { core, inApp } from "./typescript-syntax.ts";

const one = { edges: ["core build src/a.ts:1"] };
const imports = (specifier: string): { "src/a.ts": string } => ({ "src/a.ts": `import "${specifier}";` });
const packaged = (parts: object): { "package.json": string } => ({
  "package.json": JSON.stringify({
    name: "@test/app",
    type: "module",
    peerDependencies: { "@test/core": "*" },
    ...parts,
  }),
});
const settings = (parts: object): { "tsconfig.json": string } => ({ "tsconfig.json": JSON.stringify(parts) });

/** `core` with this `exports`. */
function exporting(exports: unknown): Record<string, string> {
  return typescriptModule("core", {
    "src/index.ts": "export {};",
    "package.json": JSON.stringify({ name: "@test/core", type: "module", exports }),
  });
}

function ofCore(what: string, exports: unknown, specifier: string, finding?: RegExp): Situation {
  return {
    what: `of ${specifier} from ${what}`,
    files: { ...typescriptModule("app", { ...packaged({}), ...imports(specifier) }), ...exporting(exports) },
    ...one,
    findings: finding === undefined ? [] : [finding],
  };
}

const exported: readonly Situation[] = [
  ofCore("a module without exports", undefined, "@test/core/dist/deep.js"),
  ofCore("a module with one entry", "./dist/index.js", "@test/core"),
  ofCore("a module with one entry", "./dist/index.js", "@test/core/deep", /does not export \.\/deep/),
  ofCore("a module with conditions", { types: "./a.d.ts", default: "./a.js" }, "@test/core"),
  ofCore("a module with a subpath", { "./names": { import: "./n.js" } }, "@test/core/names"),
  ofCore("a module with only a subpath", { "./names": "./n.js" }, "@test/core", /does not export itself/),
  ofCore("a module with a pattern", { "./*": "./dist/*.js" }, "@test/core/a/b"),
  ofCore(
    "a module that hides a part",
    { "./*": "./dist/*.js", "./internal/*": null },
    "@test/core/internal/a",
    /does not export/,
  ),
  ofCore("a module with a pattern and an ending", { "./*.js": "./dist/*.js" }, "@test/core/a.css", /does not export/),
  ofCore("a module with fallbacks", { ".": [null, "./a.js"] }, "@test/core"),
];

const aliases: readonly Situation[] = [
  inApp("by #internal", { ...packaged({ imports: { "#core": "@test/core" } }), ...imports("#core") }, one),
  inApp("by a pattern of #internal", { ...packaged({ imports: { "#c/*": "@test/core/*" } }), ...imports("#c/a") }, one),
  inApp(
    "by #internal with conditions",
    { ...packaged({ imports: { "#a": { node: "./a.js", default: "@test/core" } } }), ...imports("#a") },
    one,
  ),
  inApp(
    "by #internal of its own",
    { ...packaged({ imports: { "#own/*": "./src/*.ts" } }), ...imports("#own/b") },
    { edges: [] },
  ),
  inApp("by #internal that nobody defined", imports("#x"), {
    edges: [],
    findings: [/^error src\/a\.ts:1: .*does not have/],
  }),
  inApp(
    "by #internal out of the folder",
    { ...packaged({ imports: { "#x": "./../core/src/index.ts" } }), ...imports("#x") },
    { edges: [], findings: [/belongs to module core/] },
  ),
  inApp(
    "by paths into another module",
    { ...settings({ compilerOptions: { paths: { "lib/*": ["../core/src/*"] } } }), ...imports("lib/x") },
    { edges: [], findings: [/^error src\/a\.ts:1: .*belongs to module core/] },
  ),
  inApp(
    "by paths of its own",
    {
      ...settings({ compilerOptions: { paths: { "~/*": ["./src/*"] } } }),
      ...imports("~/b"),
      "src/b.ts": "export {};",
    },
    { edges: [] },
  ),
  inApp(
    "by a package although paths would fit everything",
    { ...packaged({}), ...settings({ compilerOptions: { paths: { "*": ["./types/*"] } } }), ...imports("@test/core") },
    one,
  ),
  inApp(
    "by paths of settings that are extended",
    {
      "tsconfig.json": `{ // with a comment\n "extends": "./config/tsconfig.base.json", }`,
      "config/tsconfig.base.json": JSON.stringify({ compilerOptions: { paths: { "~/*": ["../src/*"] } } }),
      ...imports("~/b"),
      "src/b.ts": "",
    },
    { edges: [] },
  ),
  inApp(
    "by settings that extend a module's",
    { ...packaged({}), "src/a.ts": "export {};", "tsconfig.json": `{\n  "extends": "@test/core/tsconfig.json"\n}` },
    { edges: ["core build tsconfig.json:2"] },
  ),
  inApp(
    "by settings that bring in types",
    { ...packaged({}), "src/a.ts": "export {};", ...settings({ compilerOptions: { types: ["node", "@test/core"] } }) },
    { edges: ["core build tsconfig.json:1"] },
  ),
  inApp(
    "by settings that name the JSX runtime",
    {
      ...packaged({}),
      "src/a.tsx": "export const a = <p />;",
      ...settings({ compilerOptions: { jsx: "react-jsx", jsxImportSource: "@test/core" } }),
    },
    { edges: ["core build tsconfig.json:1"] },
  ),
  ...[
    ["outside the folder", "../tsconfig.json", /outside the module's folder/],
    ["that are not there", "./tsconfig.base.json", /which is not there/],
    ["that extend themselves", "./tsconfig.json", /extends this file itself/],
    ["at an absolute path", "/etc/tsconfig.json", /absolute path/],
  ].map(([what, base, finding]) =>
    inApp(
      `with settings ${String(what)}`,
      { "src/a.ts": "", ...settings({ extends: base }) },
      { edges: [], findings: [finding as RegExp] },
    ),
  ),
];

const refused: readonly Situation[] = [
  inApp(
    "of another member of a workspace that no module is",
    {
      ...packaged({ devDependencies: { "@acme/y": "*" } }),
      "package-lock.json": JSON.stringify({
        lockfileVersion: 3,
        packages: { "node_modules/@acme/y": { resolved: "y", link: true } },
      }),
      ...imports("@acme/y"),
    },
    {
      edges: [],
      findings: [
        /^error src\/a\.ts:1: imports @acme\/y, which no module publishes and package-lock\.json does not have/,
      ],
    },
  ),
  inApp("of a name that no module publishes", imports("@test/gone"), {
    edges: [],
    findings: [/^error src\/a\.ts:1: imports @test\/gone, which no module publishes/],
  }),
  inApp("by a path into another module's folder", imports("../../core/src/index.ts"), {
    edges: [],
    findings: [/^error .*belongs to module core: import it by the name/],
  }),
  inApp(
    "by a URL into another module's folder",
    { "src/a.ts": `new Worker(new URL("../../core/src/index.js", import.meta.url)); export {};` },
    { edges: [], findings: [/^error .*belongs to module core/] },
  ),
  inApp(
    "by a URL beside the code",
    { "src/a.ts": `new Worker(new URL("./b.js", import.meta.url)); export {};`, "src/b.ts": "" },
    { edges: [] },
  ),
  inApp("by a path out of every module", imports("../../../x.ts"), {
    edges: [],
    findings: [/^error .*outside the module's folder/],
  }),
  inApp("by an absolute path", imports("/etc/x.js"), { edges: [], findings: [/absolute path/] }),
  inApp("by a file: address", imports("file:///etc/x.js"), { edges: [], findings: [/absolute path/] }),
  inApp("in another letter case (case 14)", imports("@test/Core"), {
    edges: [],
    findings: [/^error .*module core publishes @test\/core: names are lower case/],
  }),
  inApp(
    "of JSON beside the code",
    { "src/a.ts": `import a from "./a.json" with { type: "json" };`, "src/a.json": "{}" },
    { edges: [] },
  ),
];

const third = { dependencies: { pg: "1.0.0" }, devDependencies: { tool: "1.0.0", "@types/only": "1.0.0" } };
const lock = {
  "package-lock.json": JSON.stringify({
    lockfileVersion: 3,
    packages: {
      "": {},
      "node_modules/pg": {},
      "node_modules/tool": {},
      "node_modules/@types/only": {},
      "node_modules/pg/node_modules/deep": {},
    },
  }),
};

const listed: readonly Situation[] = [
  {
    what: "that package.json lists",
    files: { ...core, ...typescriptModule("app", { ...packaged({}), ...imports("@test/core") }) },
    ...one,
  },
  {
    what: "that package.json does not list: an edge, and a warning",
    files: { ...core, ...typescriptModule("app", { ...packaged({ peerDependencies: {} }), ...imports("@test/core") }) },
    ...one,
    findings: [/^warning src\/a\.ts:1: .*not listed in package\.json/],
  },
  inApp(
    "that package.json lists and nobody makes: no edge",
    { ...packaged({}), "src/a.ts": "export {};" },
    { edges: [] },
  ),
  inApp(
    "of third parties",
    {
      ...packaged(third),
      ...lock,
      "src/a.ts": `import "pg/lib/x"; import type { A } from "only"; import type { B } from "tool";`,
    },
    { edges: [] },
  ),
  inApp(
    "of third parties that only another one needs",
    { ...packaged(third), ...lock, ...imports("deep") },
    { edges: [], findings: [/^warning .*does not list/] },
  ),
  inApp(
    "of third parties for development only",
    { ...packaged(third), ...lock, ...imports("tool") },
    { edges: [], findings: [/^warning .*devDependencies only/] },
  ),
  inApp(
    "of third parties for development, in a test",
    { ...packaged(third), ...lock, "src/a.test.ts": `import "tool";` },
    { edges: [] },
  ),
  inApp(
    "of third parties without a lock file",
    { ...packaged(third), ...imports("pg") },
    {
      edges: [],
      findings: [
        /^error package\.json:0: lists .*pg.*no package-lock\.json to fetch by: neither beside it nor/,
        /^error src\/a\.ts:1: imports pg, which no module publishes/,
      ],
    },
  ),
  inApp(
    "of an optional package that may be missing",
    { "src/a.ts": `try { require("maybe"); } catch {} export {};` },
    { edges: [], findings: [/^warning .*no module publishes/] },
  ),
];

/** A module that publishes a name of Node's own. */
const fs = typescriptModule("fs", { "package.json": JSON.stringify({ name: "fs" }), "src/index.ts": "" });

const kept: readonly Situation[] = [
  inApp(
    "of Node itself",
    { "src/a.ts": `import "node:fs"; import "fs/promises"; import "path"; import "node:test";` },
    { edges: [] },
  ),
  {
    what: "of Node itself where a module has that name",
    files: { ...fs, ...typescriptModule("app", imports("fs/promises")) },
    edges: [],
    findings: [/^warning src\/a\.ts:1: fs\/promises is Node's own: module fs/],
  },
  {
    what: "of Node itself by node:, where a module has that name",
    files: { ...fs, ...typescriptModule("app", imports("node:fs")) },
    edges: [],
  },
  {
    what: "of a name that Node keeps, at the module that publishes it",
    files: fs,
    of: "fs",
    edges: [],
    findings: [/^warning package\.json:0: publishes fs, which is Node's own/],
  },
];

export const typescriptResolution: readonly Situation[] = [
  ...exported,
  ...settingsOfOthers,
  ...aliases,
  ...refused,
  ...listed,
  ...kept,
];
