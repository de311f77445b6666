import fc from "fast-check";
import { expect, it } from "vitest";
import { stripRustSources } from "../../../src/build/builders/rust-strip.ts";
import { parseLimits } from "../../../src/source/imports/parse-within.ts";

async function strip(text: string): Promise<string | undefined> {
  return (await stripRustSources(new Map([["src/lib.rs", text]]))).get("src/lib.rs")?.text;
}

const parts = [
  "// a  ",
  "/* a  */",
  "/* a \r\n  b\n*/",
  "/*a\r*/",
  " ",
  "\t",
  "\n",
  "\r\n",
  "fn f() {}",
  'm!("// a");',
];

it("moves no code and leaves no blanks behind it, whatever stands beside what (R10)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), async (tokens) => {
      const text = tokens.map((token) => (token.startsWith("//") ? `${token}\n` : token)).join("");
      const lines = ((await strip(text)) ?? "").split("\n");
      const before = text.split("\n");
      for (const [at, line] of lines.entries()) {
        for (const code of ["fn f() {}", 'm!("// a");'])
          for (let found = line.indexOf(code); found !== -1; found = line.indexOf(code, found + 1))
            expect(before[at]?.slice(found, found + code.length)).toBe(code);
        expect(line.replaceAll(/fn f\(\) \{\}|m!\("\/\/ a"\);/g, "")).toMatch(/^[ \t\r]*$/);
      }
      const count = (one: string): number => one.split("fn f() {}").length + one.split('m!("// a");').length;
      expect(count(lines.join("\n"))).toBe(count(text));
    }),
    { numRuns: 300 },
  );
});

// Each takes minutes where a place of the text is looked at once for each place before it.
const long = 400_000;
it.each([
  ["a comment in one line", `fn f() {} /* ${"x".repeat(long)} */ fn g() {}\n`],
  ["a comment over lines", `fn f() {} /* ${"x".repeat(long)}\n${"x".repeat(long)}*/\nfn g() {}\n`],
])("reads %s once, however long it is (case 55)", async (_, text) => {
  const stripped = await strip(text);
  expect(stripped === text).toBe(false);
  expect(stripped?.replaceAll(/\s+/g, " ")).toBe("fn f() {} fn g() {} ");
});

it("leaves a file as it is that is larger than the reader of imports reads (case 55)", async () => {
  const text = `// a\n${"fn f() {}\n".repeat(parseLimits.characters / 8)}`;
  expect((await strip(text)) === text).toBe(true);
});
