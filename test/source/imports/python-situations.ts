import type { FileImports } from "../../../src/source/imports/import-reader.ts";

/** One situation, and what either reader of Python must find in it (case 13). */
export interface Situation {
  readonly says: string;
  readonly text: string;
  /** `specifier kind line`, with `?` behind what the code goes on without. */
  readonly imports?: readonly string[];
  /** `severity line`, and a word of the message. */
  readonly findings?: readonly (readonly [string, RegExp])[];
}

const lines = (...texts: string[]): string => `${texts.join("\n")}\n`;
const unknown = /cannot be read, so its imports are not known/;

export const situations: readonly Situation[] = [
  { says: "import a.b", text: "import a.b", imports: ["a.b static 1"] },
  { says: "import a as b", text: "import a as b", imports: ["a static 1"] },
  { says: "several in one statement", text: "import a, b.c as d", imports: ["a static 1", "b.c static 1"] },
  { says: "from a import b", text: "from a import b", imports: ["a static 1"] },
  { says: "from a.b import c", text: "from a.b import (c,\n  d as e,\n)", imports: ["a.b static 1"] },
  { says: "a star", text: "from a import *", imports: ["a static 1"] },
  { says: "spaces and line ends in a name", text: "import a . \\\n  b", imports: ["a.b static 1"] },
  { says: "after a semicolon", text: "x = 1; import a", imports: ["a static 1"] },
  { says: "from . import x", text: "from . import x", imports: [". static 1"] },
  { says: "from ..x import y", text: "from ..x import y", imports: ["..x static 1"] },
  { says: "from ... import y", text: "from ... import y", imports: ["... static 1"] },
  { says: "from .a.b import y", text: "from .a.b import y", imports: [".a.b static 1"] },
  { says: "from __future__", text: "from __future__ import annotations", imports: [] },
  { says: "in a function", text: lines("def f():", "    import a"), imports: ["a static 2"] },
  {
    says: "in an async method",
    text: lines("class A:", "  async def f(self):", "    import a"),
    imports: ["a static 3"],
  },
  { says: "in a match", text: lines("match x:", "  case 1:", "    import a"), imports: ["a static 3"] },
  { says: "in a with", text: lines("with x as y:", "  import a"), imports: ["a static 2"] },
  {
    says: "in a loop",
    text: lines("for x in y:", "  import a", "else:", "  import b"),
    imports: ["a static 2", "b static 4"],
  },
  {
    says: "under TYPE_CHECKING, and its else",
    text: lines("if TYPE_CHECKING:", "    import a", "else:", "    import b"),
    imports: ["a type 2", "b static 4"],
  },
  {
    says: "under typing.TYPE_CHECKING",
    text: lines("if typing.TYPE_CHECKING:", "  from a import b"),
    imports: ["a type 2"],
  },
  {
    says: "under an attribute of an attribute called TYPE_CHECKING, or of what a call gives",
    text: lines("if a.b.TYPE_CHECKING:", "  import a", "if f().TYPE_CHECKING:", "  import b"),
    imports: ["a type 2", "b type 4"],
  },
  {
    says: "with an ImportError caught that is an attribute of an attribute",
    text: lines("try:", "  import a", "except pkg.errors.ImportError:", "  pass"),
    imports: ["a static 2 ?"],
  },
  { says: "under not TYPE_CHECKING", text: lines("if not TYPE_CHECKING:", "  import a"), imports: ["a static 2"] },
  {
    says: "with a caught ImportError, and what is tried then",
    text: lines(
      "try:",
      "  import a",
      "except ImportError:",
      "  import b",
      "else:",
      "  import c",
      "finally:",
      "  import d",
    ),
    imports: ["a static 2 ?", "b static 4 ?", "c static 6", "d static 8"],
  },
  {
    says: "with one of several errors caught",
    text: lines("try:", "  import a", "except (ValueError, ModuleNotFoundError) as e:", "  pass"),
    imports: ["a static 2 ?"],
  },
  { says: "with any error caught", text: lines("try:", "  import a", "except:", "  pass"), imports: ["a static 2 ?"] },
  {
    says: "with Exception caught",
    text: lines("try:", "  import a", "except Exception:", "  pass"),
    imports: ["a static 2 ?"],
  },
  {
    says: "with another error caught",
    text: lines("try:", "  import a", "except ValueError:", "  pass"),
    imports: ["a static 2"],
  },
  {
    says: "with a group of errors caught",
    text: lines("try:", "  import a", "except* ImportError:", "  pass"),
    imports: ["a static 2 ?"],
  },
  {
    says: "by platform",
    text: lines('if sys.platform == "win32":', "  import a", "elif x:", "  import b", "else:", "  import c"),
    imports: ["a static 2 ?", "b static 4 ?", "c static 6 ?"],
  },
  {
    says: "by version, in an elif",
    text: lines("if x:", "  import a", "elif sys.version_info >= (3, 11):", "  import b", "else:", "  import c"),
    imports: ["a static 2", "b static 4 ?", "c static 6 ?"],
  },
  { says: "by os.name", text: lines("if os.name == 'nt':", "  import a"), imports: ["a static 2 ?"] },
  {
    says: "import_module with a literal",
    text: 'import importlib\nimportlib.import_module("a.b")',
    imports: ["importlib static 1", "a.b dynamic 2"],
  },
  {
    says: "import_module by its own name, under another one",
    text: lines("from importlib import import_module as load", "load('a')", "def f(import_module): import_module('b')"),
    imports: ["importlib static 1", "a dynamic 2"],
  },
  {
    says: "importlib under another name",
    text: lines("import importlib as i", "i.import_module(r'a')"),
    imports: ["importlib static 1", "a dynamic 2"],
  },
  {
    says: "import_module with a name that is given by name",
    text: "importlib.import_module(package=p, name='a')",
    imports: ["a dynamic 1"],
  },
  {
    says: "import_module of a relative name",
    text: "importlib.import_module('.a', __package__)",
    imports: [".a dynamic 1"],
  },
  { says: "__import__ with a literal", text: '__import__("a")', imports: ["a dynamic 1"] },
  { says: "builtins.__import__", text: '(builtins.__import__)("a")', imports: ["a dynamic 1"] },
  {
    says: "a literal in two parts, with an escape",
    text: String.raw`__import__("a" '''\x2eb''')`,
    imports: ["a.b dynamic 1"],
  },
  {
    says: "a literal under TYPE_CHECKING",
    text: lines("if TYPE_CHECKING:", " __import__('a')"),
    imports: ["a type 2"],
  },
  {
    says: "computed names (case 12)",
    text: lines(
      "",
      "__import__(name)",
      "importlib.import_module(f'a.{b}')",
      "__import__('a' + b)",
      "__import__()",
      "__import__(b'a')",
    ),
    imports: [],
    findings: [2, 3, 4, 5, 6].map((line) => [`warning ${line}`, /computed name/] as const),
  },
  {
    says: "a method of another thing",
    text: "thing.import_module('a'); self.x.import_module('b'); import_module('c')",
    imports: [],
  },
  {
    says: "comments, strings and docstrings",
    text: lines('"""', "import a", '"""', "# import b", "x = 'import c'", "y = f'''", "from d import e {z}", "'''"),
    imports: [],
  },
  { says: "a name like a keyword's", text: "importance = 1; from_x = 2; important.import_ = 3", imports: [] },
  { says: "a byte order mark", text: "\uFEFFimport a", imports: ["a static 1"] },
  { says: "an encoding cookie", text: lines("# -*- coding: latin-1 -*-", "import a"), imports: ["a static 2"] },
  { says: "Windows line ends", text: "x = 1\r\nimport a\r\n", imports: ["a static 2"] },
  { says: "an empty file", text: "", imports: [] },
  { says: "names that are no ASCII", text: "import é", imports: ["é static 1"] },
  { says: "a syntax error", text: lines("import a", "def f(:"), findings: [["error", unknown]] },
  { says: "Python 2", text: lines("import a", 'print "b"'), findings: [["error", unknown]] },
  { says: "a null byte", text: "import a\0", findings: [["error", unknown]] },
  {
    says: "a name with a control character (case 52)",
    text: String.raw`__import__("a\x00b")`,
    findings: [["error 1", /control characters/]],
  },
  { says: "an empty name", text: '__import__("")', findings: [["error 1", /empty/]] },
  { says: "500 brackets that are never closed", text: "(".repeat(500), findings: [["error", unknown]] },
  {
    says: "a name in a thousand parts",
    text: `import ${Array.from({ length: 1000 }, () => "a").join(".")}`,
    findings: [["error 1", /longer than 500/]],
  },
];

/** Null: as the table says. */
export function judgeSituation({ imports = [], findings = [] }: Situation, found: FileImports): string | null {
  const read = found.imports.map(
    ({ specifier, kind, line, optional }) => `${specifier} ${kind} ${line}${optional === true ? " ?" : ""}`,
  );
  if (JSON.stringify(read) !== JSON.stringify(imports)) return `found ${JSON.stringify(read)}`;
  const said = found.findings.map(({ severity, line, message }) => `${severity} ${line} ${message}`);
  const isSaid =
    said.length === findings.length &&
    findings.every(([start, words], at) => {
      const one = said[at] ?? "";
      return one.startsWith(`${start} `) && words.test(one);
    });
  return isSaid ? null : `said ${JSON.stringify(said)}`;
}
