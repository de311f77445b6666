import fc from "fast-check";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { collectFromTree } from "../../../src/source/imports/typescript.ts";
import { noteModule } from "../../../src/source/imports/typescript-noted.ts";
import { mayBeRecorded, readRecord } from "../../../src/source/imports/typescript-record.ts";

const anyStatement = fc.constantFrom(
  `import { a } from "x";`,
  `import b, { type C } from "x";`,
  `import { type D } from "x";`,
  `import type E from "x";`,
  `import type {} from "x";`,
  `import {} from "x";`,
  `import "x";`,
  `import * as f from "x" with { type: "json" };`,
  `import g = require("x");`,
  `export { h } from "x";`,
  `export {} from "x";`,
  `export type { I } from "x";`,
  `export { type J } from "x";`,
  `export * from "x";`,
  `export type * from "x";`,
  `export * as k from "x";`,
  `export const l = 1;`,
  `export default import("x");`,
  `declare module "x" { import "y"; }`,
  `type M = import("x").M;`,
  `const n = await import("x");`,
  `const o = import.meta.url;`,
  `const p = req\\u0075ire("x");`,
  `const q = require("x");`,
  `Array.from("import");`,
  `// import "x"; from "x"`,
  `/* export * from "x" */`,
  'const r = `import "x" ${1} from`;',
  `const s = { from: 1, import: 2 };`,
  `/// <reference types="x" />`,
  `const t = "é𝒳";`,
  `const u: = ;`,
  `import { from } from "x";`,
  `export { from as "from" } from "x";`,
);

const anyText = fc
  .tuple(fc.array(anyStatement, { maxLength: 5 }), fc.constantFrom("\n", " ", "\n\n"))
  .map(([statements, between]) => statements.join(between));
const options = { lang: "ts", sourceType: "unambiguous" } as const;

it("the parser's record and its tree say the same, where the record is believed", async () => {
  let believed = 0;
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const parsed = parseSync("a.ts", text, options);
      const noted = await noteModule("a.ts", text, options);
      expect(noted).toEqual({ module: parsed.module, errors: parsed.errors });
      const recorded = mayBeRecorded(text) ? readRecord(noted, text) : null;
      if (recorded === null) return;
      believed += recorded.length > 0 ? 1 : 0;
      const { imports, findings, lineAt } = collectFromTree(parsed, text);
      expect(findings).toEqual([]);
      expect(recorded.map(({ offset, ...one }) => ({ ...one, line: lineAt(offset) }))).toEqual(imports);
    }),
    { numRuns: 3_000 },
  );
  expect(believed).toBeGreaterThan(100);
});
