import fc from "fast-check";
import { expect, it } from "vitest";
import { stripGoComments } from "../../../src/build/builders/go-strip.ts";

/** As it is meant, in one expression: right, and quadratic in a run of blanks. */
function stripSlowly(text: string): string {
  const tokens = /"(?:\\.|[^"\\\n])*"|`[^`]*`|'(?:\\.|[^'\\\n])*'|[ \t]*\/\/[^\n]*|\/\*[^]*?\*\//g;
  return text.replaceAll(tokens, (token) => {
    const bare = token.trimStart();
    if (bare.startsWith("//")) return /^\/\/(go:|line |export |extern | ?\+build)/.test(bare) ? token : "";
    if (!bare.startsWith("/*") || bare.startsWith("/*line ")) return token;
    const lines = token.split("\n").length - 1;
    return lines === 0 ? " " : "\n".repeat(lines);
  });
}

const parts = [" ", "   ", "\t", "\n", "\r\n", "a", "/", "*", "// x", "//go:x y", " //nolint", "/* x */", "/*\n\n*/"];
const literals = ['"// a"', '"\\""', "'\"'", "'\\''", "`/*\n`", "/*line a:1*/", "// +build a\n", "/**/", "//\n"];

it("takes out the same, whatever stands beside what (R10)", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts, ...literals), { maxLength: 30 }), (tokens) => {
      // Where a quote is open there is no Go: those pieces that stand for code are closed.
      const text = tokens.map((token) => (/^(\/\/|\*|\/)/.test(token.trim()) ? `${token}\n` : token)).join("");
      expect(stripGoComments(text)).toBe(stripSlowly(text));
    }),
    { numRuns: 2000 },
  );
});

// Each takes minutes where a place of the text is looked at once for each place before it.
const long = 400_000;
it.each([
  ["blanks before code", `a${" ".repeat(long)}b`, `a${" ".repeat(long)}b`],
  ["blanks before a comment", `a${" ".repeat(long)}// b`, "a"],
  ["a string without an end", `"${'\\"'.repeat(long)}`, `"${'\\"'.repeat(long)}`],
  ["a comment without an end", "/* ".repeat(long), " "],
])("reads %s once, however long they are (case 55)", (_, text, expected) => {
  expect(stripGoComments(text) === expected).toBe(true);
});
