import { describe, expect, it } from "vitest";
import type { FileImports, ImportReader } from "../../../src/source/imports/import-reader.ts";
import { createPythonReader } from "../../../src/source/imports/python.ts";
import { findPython } from "../../../src/source/imports/python-interpreter.ts";
import { pythonStandardNames } from "../../../src/source/imports/python-standard-names.ts";
import { judgeSituation, type Situation, situations } from "./python-situations.ts";
import { execFileSync } from "node:child_process";

const interpreter = findPython();
/** Of the interpreter itself: counted as skipped where there is none. */
const itAsked = it.runIf(interpreter !== null);
const grammar = createPythonReader({ interpreter: null });
const readers: readonly (readonly [string, ImportReader])[] = [
  ["the grammar", grammar],
  ...(interpreter === null ? [] : [["the interpreter", createPythonReader({ interpreter })] as const]),
];

async function readTable(reader: ImportReader): Promise<readonly (readonly [Situation, FileImports])[]> {
  const read = await reader.readImports(situations.map(({ text }) => ({ path: "src/a/b.py", text })));
  return situations.map((situation, at) => [situation, read[at] ?? { imports: [], findings: [] }]);
}

describe.each(readers)("read by %s (case 13)", (_, reader) => {
  const table = readTable(reader);

  it.each(situations)("$says", async (situation) => {
    const [, found] = (await table).find(([one]) => one === situation) ?? [];
    expect(found && judgeSituation(situation, found)).toBeNull();
  });

  const drops: readonly (readonly [string, (found: FileImports) => FileImports])[] = [
    ["static imports", (found) => keep(found, ({ kind }) => kind !== "static")],
    ["imports for types", (found) => keep(found, ({ kind }) => kind !== "type")],
    ["dynamic imports", (found) => keep(found, ({ kind }) => kind !== "dynamic")],
    ["relative imports", (found) => keep(found, ({ specifier }) => !specifier.startsWith("."))],
    ["submodules", (found) => keep(found, ({ specifier }) => !/\w\.\w/.test(specifier))],
    ["optional imports", (found) => keep(found, ({ optional }) => optional !== true)],
    ["imports below the first line", (found) => keep(found, ({ line }) => line === 1)],
    ["findings of computed names", (found) => ({ ...found, findings: found.findings.filter(isError) })],
    ["faults", (found) => ({ ...found, findings: found.findings.filter((one) => !isError(one)) })],
  ];
  it.each(drops)("a reader that drops %s fails the table", async (_what, drop) => {
    const judged = (await table).map(([situation, found]) => judgeSituation(situation, drop(found)));
    expect(judged.filter((one) => one !== null)).not.toEqual([]);
  });
});

function keep(found: FileImports, wanted: (one: FileImports["imports"][number]) => boolean): FileImports {
  return { ...found, imports: found.imports.filter(wanted) };
}

function isError({ severity }: FileImports["findings"][number]): boolean {
  return severity === "error";
}

describe("a batch", () => {
  itAsked("that the interpreter does not end in time is read by the grammar, and says so", async () => {
    const slow = createPythonReader({ interpreter, limits: { wallMs: 1, memoryBytes: 1024 ** 3 } });
    const [found] = await slow.readImports([{ path: "a.py", text: "import a" }]);
    expect(found?.imports).toEqual([{ specifier: "a", kind: "static", line: 1 }]);
    expect(found?.findings).toMatchObject([
      { severity: "warning", message: expect.stringMatching(/took longer than 1 ms/) },
    ]);
  });

  itAsked(
    "is read by the grammar only where its reader fails: one file is no harm to those beside it",
    async () => {
      const narrow = createPythonReader({ interpreter, limits: { wallMs: 60_000, memoryBytes: 96 * 1024 ** 2 } });
      const large = { path: "large.py", text: `x = [${"1, ".repeat(600_000)}]` };
      const small = ["a", "b", "c"].map((name) => ({ path: `${name}.py`, text: `import ${name}` }));
      const read = await narrow.readImports([...small, large]);
      expect(read.map(({ findings }) => findings.length > 0)).toEqual([false, false, false, true]);
    },
    60_000,
  );

  it("whose interpreter does not start is read by the grammar, and says so", async () => {
    const missing = { executable: "/nowhere/python3", base: "/nowhere", version: "3.11.0", minor: "3.11" };
    const [found] = await createPythonReader({ interpreter: missing }).readImports([
      { path: "a.py", text: "import a" },
    ]);
    expect(found?.imports).toHaveLength(1);
    expect(found?.findings).toMatchObject([{ severity: "warning", message: expect.stringMatching(/does not start/) }]);
  });

  it.each(readers)(
    "with text that is made to use up its reader ends in findings: %s",
    async (_, reader) => {
      const files = [
        { path: "deep.py", text: `x = ${"-".repeat(200_000)}1` },
        { path: "nested.py", text: `x = ${"[".repeat(100_000)}${"]".repeat(100_000)}` },
        { path: "wide.py", text: "import a\n".repeat(20_000) },
        { path: "after.py", text: "import a" },
      ];
      const read = await reader.readImports(files);
      expect(read).toHaveLength(4);
      expect(read[2]?.imports).toHaveLength(20_000);
      expect(read[3]?.imports).toHaveLength(1);
    },
    60_000,
  );

  it("is kept under a key that says that the grammar read it", () => {
    expect(grammar.readerKey("a.py")).toMatch(/^python\/\d+\/grammar$/);
  });

  itAsked("is kept under a key that names the interpreter that read it", () => {
    expect(createPythonReader().readerKey("a.py")).toBe(`python/2/ast-${interpreter?.minor}`);
  });
});

itAsked("the list of Python's own names has all that the interpreter knows", () => {
  const code = 'import sys; print(" ".join(sys.stdlib_module_names))';
  const names = execFileSync(interpreter?.executable ?? "", ["-I", "-S", "-c", code], { encoding: "utf8" })
    .trim()
    .split(" ");
  expect(names.filter((name) => !pythonStandardNames.has(name))).toEqual([]);
});

describe("what counts as source", () => {
  it.each([
    "src/a/b.py",
    "src/a/b.pyi",
    "a/b.py",
    "a.py",
    "src/build/x.py",
    "tests/test_a.py",
    "tests/conftest.py",
    "conftest.py",
  ])("%s does", (path) => expect(grammar.isSource(path)).toBe(true));
  it.each([
    "setup.py",
    "docs/conf.py",
    ".venv/lib/a.py",
    "venv/lib/a.py",
    "build/lib/a.py",
    "src/a/__pycache__/a.py",
    "tests/fixtures/a.py",
    "src/a/b.txt",
    "scripts/x.py",
  ])("%s does not (case 11: a file the build does not include)", (path) => {
    expect(grammar.isSource(path)).toBe(false);
  });
  it.each(["tests/a.py", "src/a/tests/b.py", "test_a.py", "src/a/a_test.py", "conftest.py"])("%s is a test", (path) => {
    expect(grammar.isTest(path)).toBe(true);
  });
  it.each(["src/a/testing.py", "src/a/latest.py", "src/contest.py"])("%s is none", (path) => {
    expect(grammar.isTest(path)).toBe(false);
  });
});
