import fc from "fast-check";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { collectFromTree } from "../../../src/source/imports/typescript.ts";
import { noteModule } from "../../../src/source/imports/typescript-noted.ts";
import { readHeader } from "../../../src/source/imports/typescript-header.ts";
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
  `"use client"`,
  `import v from "x" with { type: "json" }`,
  `with (w) {}`,
  `import * as y from 'x'`,
  `import z, * as aa from "x"`,
  `import bb, { cc as dd, } from "x"`,
  `import { type type } from "x"`,
  `import type from "x"`,
  `import type, { ee } from "x"`,
  `import type * as ff from "x"`,
  `import defer * as gg from "x"`,
  `import{hh}from"x"`,
  `import "x" /* y */; export {} from "z"`,
  `import{ii}from/* "y" */"x"`,
  `export*from"x"`,
  `export { jj }\nfrom\n"x"`,
  `#!/usr/bin/env node`,
  `<!-- import "x"`,
  `/* an end is missing`,
  `const kk = /import/;`,
);

/** What such statements are made of, in any order: hardly ever valid, and where it is, mostly of a kind nobody thought of. */
const anyPiece = fc.constantFrom(
  ...'import,export,from,type,as,default,with,defer,a,b$,é,{,},*,;,=,(,),<a>,$,.,"x",\'y\',"\\x",",`,//,/*,*/'.split(
    ",",
  ),
  ",",
  " ",
  "\n",
  "\u2028",
  "\r",
);
const anySoup = fc
  .array(fc.oneof({ weight: 3, arbitrary: anyPiece }, { weight: 1, arbitrary: anyStatement }), { maxLength: 8 })
  .map((pieces) => pieces.join(""));
const anyClause = fc
  .array(fc.constantFrom("import", "export", "type ", "a", ",", "{", "}", "*", " as b", " from", `"x"`, "\n", " "), {
    maxLength: 10,
  })
  .map((pieces) => `${pieces.join("")}\nimport {c} from "z"`);

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

describe.each([
  ["ts", true],
  ["jsx", false],
] as const)("what is read without the parser, as %s", (lang, types) => {
  const said = (text: string) => {
    const parsed = parseSync("a.ts", text, { lang, sourceType: "unambiguous" });
    const { imports, findings, lineAt } = collectFromTree(parsed, text, types ? "typescript" : "javascript");
    const header = readHeader(text, types);
    return {
      isValid: parsed.errors.length === 0,
      tree: { imports, findings },
      header: header && {
        imports: header.map(({ offset, ...one }) => ({ ...one, line: lineAt(offset) })),
        findings: [],
      },
    };
  };

  it.each([
    ["statements", anyText, 75],
    ["words in any order", anySoup, 12],
    ["words of a clause in any order", anyClause, 5],
  ])("is what its tree says, wherever the code is valid: %s", (_what, texts, atLeast) => {
    let read = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const { isValid, tree, header } = said(text);
        if (header === null || !isValid) return;
        read += header.imports.length > 0 ? 1 : 0;
        expect(header).toEqual(tree);
      }),
      { numRuns: 5_000 },
    );
    // Else nothing was compared.
    expect(read).toBeGreaterThan(atLeast);
  });
});
