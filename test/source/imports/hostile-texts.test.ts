import { describe, expect, it } from "vitest";
import { readGoMod } from "../../../src/source/imports/go-mod.ts";
import { readPackage, stripJsonComments } from "../../../src/source/imports/package-facts.ts";
import { readByGrammar } from "../../../src/source/imports/python-grammar.ts";
import { readPythonLock } from "../../../src/source/imports/python-lock.ts";
import { readSettings } from "../../../src/source/imports/tsconfig.ts";
import { createTypeScriptReader } from "../../../src/source/imports/typescript.ts";
import { createRustReader } from "../../../src/source/imports/rust.ts";

/**
 * Each of these took minutes to hours while its text was looked through again from each of its places, and nothing else
 * of the controller went on. They are long enough for that to be a test that does not end, and no clock is asked.
 */
describe("a text that is made to be read slowly is read once (case 53)", () => {
  it.each([
    ["comments that are not closed", "/*"],
    ["strings that are not closed", '\\"'],
    ["commas", ","],
  ])("tsconfig.json: %s", (_what, text) => {
    expect(stripJsonComments(text.repeat(1_000_000))).not.toBe("");
  });

  it("tsconfig.json: files that extend each other in twos, and in a long chain", () => {
    const extend = (count: number, times: number): Map<string, string> => {
      const name = (at: number): string => (at === 0 ? "tsconfig.json" : `tsconfig.${at}.json`);
      const base = (at: number): string => JSON.stringify({ extends: Array(times).fill(`./${name(at + 1)}`) });
      const files = Array.from({ length: count }, (_, at) => [name(at), base(at)] as const);
      return new Map([...files, [name(count), "{}"]]);
    };
    expect(readSettings(extend(40, 2)).findings).toEqual([]);
    expect(readSettings(extend(5_000, 1)).findings).toMatchObject([
      { file: "tsconfig.50.json", message: expect.stringMatching(/which is the 51th of one chain/) },
    ]);
  });

  it("package.json: deeper than anybody writes is refused, and no walk goes down there", () => {
    const deep = `{"name":"x","imports":{"#a":${'{"a":'.repeat(50_000)}"./x"${"}".repeat(50_000)}}}`;
    expect(readPackage(deep)).toMatchObject({
      kind: "refused",
      finding: { message: "is nested deeper than 200 levels" },
    });
    expect(readPackage(`{"name":"x","description":"${"[".repeat(1_000)}"}`).kind).toBe("package");
  });

  it("go.mod: longer than anybody's is refused", () => {
    const { findings } = readGoMod(`module a.test/a\n${"ignore x\n".repeat(100_000)}`);
    expect(findings[0]).toMatchObject({ file: "go.mod", message: "has more than 524288 characters" });
  });

  it.each([
    ["spaces before a hash that is none", `a==1 ;${" ".repeat(1_000_000)}x`],
    ["hashes before a word that is none", `a==1 ;${" --hash=x".repeat(200_000)} x`],
    ["lines that go on and on", `a==1 ;${"\\\n".repeat(500_000)}`],
  ])("requirements.lock: %s", (_what, text) => {
    expect(readPythonLock(new Map([["requirements.lock", text]])).kind).toBe("refused");
  });

  it.each([
    ["brackets", `x = ${"(".repeat(20_000)}1${")".repeat(20_000)};`],
    ["functions", `x = ${"function(){return ".repeat(2_000)}1${"}".repeat(2_000)};`],
    ["functions, more of them", `x = ${"function(){return ".repeat(20_000)}1${"}".repeat(20_000)};`],
    ["arrows", `x = ${"a=>".repeat(20_000)}1;`],
    ["types", `type A = ${"B<".repeat(20_000)}C${">".repeat(20_000)};`],
    ["words", `x = ${"typeof ".repeat(200_000)}a;`],
    ["a sum", `x = 1${"+1".repeat(200_000)};`],
  ])(
    "TypeScript: %s in each other end no process: the file is named, and the next one is read",
    async (_what, deep) => {
      const files = [deep, `${deep}\nrequire("x");`, 'import "a";'].map((text, at) => ({ path: `src/${at}.ts`, text }));
      const found = await createTypeScriptReader().readImports(files);
      const refused = { message: expect.stringMatching(/imports are not known: it is nested more deeply/) };
      expect(found[1]).toMatchObject({ imports: [], findings: [refused] });
      expect(found[2]?.imports).toMatchObject([{ specifier: "a" }]);
    },
    60_000,
  );

  it("Python: more statements than a call takes arguments are read by the grammar too", async () => {
    const read = await readByGrammar(`${"0\n".repeat(200_000)}import core\n`);
    expect(read).toMatchObject({ imports: [{ specifier: "core", line: 200_001 }], fault: null });
  });

  it("TypeScript: a long file that is not deep is read as any other", async () => {
    const text = `import "a";\n${"f({ a: [1, 2] });\n".repeat(5_000)}require("b");\n`;
    const [found] = await createTypeScriptReader().readImports([{ path: "src/a.ts", text }]);
    expect(found?.findings).toEqual([]);
    expect(found?.imports.map(({ specifier }) => specifier)).toEqual(["a", "b"]);
  }, 60_000);

  it.each([
    ["attributes of one item", `${"#[test]\n".repeat(30_000)}fn f() {}\n`],
    ["a long path", `fn f() { ${"a::".repeat(20_000)}b(); }\n`],
    ["a star in many lists", `use a::{${"b::{".repeat(1_000)}${"*,".repeat(1_000)}${"}".repeat(1_000)}};\n`],
  ])("Rust: %s", async (_what, text) => {
    const [found] = await createRustReader().readImports([{ path: "src/lib.rs", text }]);
    expect(found?.imports.length).toBeLessThan(5);
  });
});
