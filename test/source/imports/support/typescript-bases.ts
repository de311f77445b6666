import { typescriptModule } from "../../../support/build-bed.ts";
import type { Situation } from "./situation.ts";

/** `app` extends settings of `core`, which bring in what `tools` publishes. */
function byBase(what: string, base: string, core: Record<string, string>, finding?: RegExp): Situation {
  return {
    what: `by settings of a module, ${what}`,
    files: {
      ...typescriptModule("app", {
        "package.json": JSON.stringify({
          name: "@test/app",
          type: "module",
          peerDependencies: { "@test/core": "*", "@test/tools": "*" },
        }),
        "src/a.tsx": "export const a = <p />;",
        "tsconfig.json": `{\n  "extends": "${base}"\n}`,
      }),
      ...typescriptModule("core", { "src/index.ts": "export {};", "package.json": ofPackage({}), ...core }),
      ...typescriptModule("tools", {
        "src/index.ts": "export {};",
        "package.json": ofPackage({ name: "@test/tools" }),
      }),
    },
    edges: ["core build tsconfig.json:2", ...(finding === undefined ? ["tools build tsconfig.json:2"] : [])],
    findings: finding === undefined ? [] : [finding],
  };
}

const types = JSON.stringify({ compilerOptions: { types: ["node", "@test/tools"] } });
const ofPackage = (parts: object): string => JSON.stringify({ name: "@test/core", type: "module", ...parts });

export const settingsOfOthers: readonly Situation[] = [
  byBase("which bring in types", "@test/core/tsconfig.base.json", { "tsconfig.base.json": types }),
  byBase("whose ending is left out", "@test/core/tsconfig.base", { "tsconfig.base.json": types }),
  byBase("by the module's name alone", "@test/core", { "tsconfig.json": types }),
  byBase("by a name that it exports", "@test/core/strict", {
    "package.json": ofPackage({ exports: { "./strict": "./config/tsconfig.strict.json" } }),
    "config/tsconfig.strict.json": types,
  }),
  byBase("by the one file that it exports", "@test/core", {
    "package.json": ofPackage({ exports: "./config/tsconfig.strict.json" }),
    "config/tsconfig.strict.json": types,
  }),
  byBase("which name the JSX runtime", "@test/core/tsconfig.base.json", {
    "tsconfig.base.json": JSON.stringify({ compilerOptions: { jsx: "react-jsx", jsxImportSource: "@test/tools" } }),
  }),
  byBase("which extend others beside them", "@test/core/tsconfig.base.json", {
    "tsconfig.base.json": JSON.stringify({ extends: "./config/tsconfig.types.json" }),
    "config/tsconfig.types.json": types,
  }),
  byBase("which extend themselves", "@test/core/tsconfig.base.json", {
    "tsconfig.base.json": JSON.stringify({ extends: "@test/core/tsconfig.base.json", ...JSON.parse(types) }),
  }),
  byBase(
    "whose name says nothing",
    "@test/core/strict.json",
    { "strict.json": types },
    /^warning tsconfig\.json:2: extends @test\/core\/strict\.json, which is no tsconfig/,
  ),
];
