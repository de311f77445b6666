import { describe, expect, it } from "vitest";
import type { Name } from "../../../src/core/names.ts";
import { createPythonReader } from "../../../src/source/imports/python.ts";
import type { Import, ImportReader } from "../../../src/source/imports/import-reader.ts";

const reader: ImportReader = createPythonReader({ interpreter: null });
const hash = "a".repeat(64);
const lock = `attrs==25.1.0 --hash=sha256:${hash}\nPyYAML==6.0 --hash=sha256:${hash}\npytest==8.0 --hash=sha256:${hash}\n`;
const pyproject = `[project]
name = "acme-app"
dependencies = ["core-lib>=1", "attrs"]
[dependency-groups]
dev = ["pytest>=8", { include-group = "more" }]
[tool.mesh.imports]
pyyaml = ["yaml"]
`;

interface Asked {
  readonly file?: string;
  readonly files?: readonly string[];
  readonly facts?: Record<string, string>;
  readonly published?: Record<string, Name>;
  readonly use?: "build" | "test";
}

const published = {
  core: "core",
  "distribution core-lib": "core",
  other: "other",
  json: "clash",
  "distribution x": "x",
};

function resolve(found: string | Import, asked: Asked = {}) {
  const file = asked.file ?? "src/acme/a.py";
  const resolver = reader.createResolver({
    module: "app",
    facts: new Map(Object.entries({ "pyproject.toml": pyproject, "requirements.lock": lock, ...asked.facts })),
    files: [file, ...(file.startsWith("acme/") ? [] : ["src/acme/__init__.py"]), ...(asked.files ?? [])],
    published: new Map(Object.entries({ acme: "app", ...published, ...asked.published })),
    ownerOfPath: () => null,
    factsOf: () => new Map<string, string>(),
  });
  const one: Import = typeof found === "string" ? { specifier: found, kind: "static", line: 1 } : found;
  const { owner, finding } = resolver.resolve(file, one, asked.use ?? (reader.isTest(file) ? "test" : "build"));
  return `${owner ?? "-"}${finding === null ? "" : ` ${finding.severity}: ${finding.message}`}`;
}

describe("an import (R4, case 13)", () => {
  it.each([
    ["of a package that a module publishes is an edge", "core", {}, /^core$/],
    ["of what lies below it is one", "core.names.deep", {}, /^core$/],
    ["from a test is one", "core", { file: "tests/test_a.py" }, /^core$/],
    ["that pyproject.toml does not list is one, with a warning", "other.x", {}, /^other warning: .*do not list other/],
    ["of its own package is none", "acme.b", {}, /^-$/],
    ["of Python's own library is none", "os.path", {}, /^-$/],
    [
      "of Python's own is none where a module publishes that name, and says so",
      "json",
      {},
      /^- warning: json is Python's own: module clash/,
    ],
    ["of a listed and locked distribution is none", "attrs", {}, /^-$/],
    ["of a distribution with another name, as pyproject.toml says", "yaml", {}, /^- warning: .*lists pyyaml nowhere/],
    ["of what only development lists: the artifact has none", "pytest", {}, /^- warning: .*for development only/],
    ["of the same from a test is fine", "pytest", { file: "tests/test_a.py" }, /^-$/],
    [
      "of nothing known is an error that says what to do",
      "bs4.x",
      {},
      /^- error: imports bs4\.x, which no module publishes.*\[tool\.mesh\.imports\]/,
    ],
    ["of a name in another case says so", "CORE", {}, /error: .*module core publishes core: case matters/],
    ["from a file that no wheel has is not looked at", "bs4", { file: "notes.py" }, /^-$/],
    ["relative, inside", ".", {}, /^-$/],
    ["relative, that leaves the package", "..x", {}, /^- error: imports \.\.x, which leaves the package/],
    ["relative, from deeper", "..x", { file: "src/acme/b/c.py" }, /^-$/],
    ["relative, in a file of no package", ".x", { file: "src/acme.py" }, /error: .*in no package/],
    ["relative, in a test of a package", ".x", { file: "tests/test_a.py", files: ["tests/__init__.py"] }, /^-$/],
    ["relative, in a test of no package", ".x", { file: "tests/test_a.py" }, /error: .*in no package/],
    [
      "from a test, hidden by a file beside it: as Python finds it, and said",
      "core",
      { file: "tests/test_a.py", files: ["tests/core.py"] },
      /^- warning: tests\/core\.py of this module hides core/,
    ],
    [
      "from a test, hidden by a folder beside it",
      "core",
      { file: "tests/test_a.py", files: ["tests/core/__init__.py"] },
      /hides core/,
    ],
    [
      "from a test, not hidden by a folder of no package",
      "core",
      { file: "tests/test_a.py", files: ["tests/core/data.txt"] },
      /^core$/,
    ],
    [
      "from a package, not hidden by a file beside it: Python 3 looks from the top",
      "core",
      { files: ["src/acme/core.py"] },
      /^core$/,
    ],
    ["from a package, not hidden by a folder outside src", "core", { files: ["core/__init__.py"] }, /^core$/],
    ["from a package in src, hidden by its own", "core", { files: ["src/core/__init__.py"] }, /^-$/],
    [
      "from a test, of a folder beside it that is no package of its own",
      "helpers.db",
      { file: "tests/test_a.py", files: ["tests/helpers/db.py"] },
      /^-$/,
    ],
    [
      "from a test, of a file beside another test",
      "helpers",
      { file: "tests/unit/test_b.py", files: ["tests/helpers.py", "tests/test_a.py"] },
      /^-$/,
    ],
    [
      "from a test, of a file beside a conftest.py",
      "helpers",
      { file: "tests/unit/test_b.py", files: ["tests/helpers.py", "tests/conftest.py"] },
      /^-$/,
    ],
    [
      "from a helper of tests, of another one",
      "helpers.more",
      { file: "tests/helpers/db.py", files: ["tests/helpers/more.py", "tests/test_a.py"] },
      /^-$/,
    ],
    [
      "from a test, of a file beside nothing that runs",
      "more",
      { file: "tests/test_a.py", files: ["tests/helpers/more.py"] },
      /^- error: imports more, which no module publishes/,
    ],
    [
      "in a test, of a folder without code",
      "helpers",
      { file: "tests/test_a.py", files: ["tests/helpers/a.txt"] },
      /r:/,
    ],
    [
      "from a package, of a file beside a test",
      "helpers",
      { files: ["tests/helpers.py", "tests/test_a.py"] },
      /^- error/,
    ],
    ["from a flat package", "core", { file: "acme/a.py", files: ["acme/__init__.py"] }, /^core$/],
  ] as const)("%s", (_, specifier, asked: Asked, wanted) => {
    expect(resolve(specifier, asked)).toMatch(wanted);
  });

  it("that is optional, or for types, warns where it is nobody's", () => {
    expect(resolve({ specifier: "ujson", kind: "static", line: 1, optional: true })).toMatch(/^- warning/);
    expect(resolve({ specifier: "ujson", kind: "type", line: 1 })).toMatch(/^- warning/);
    expect(resolve({ specifier: ".x", kind: "dynamic", line: 1 })).toBe("-");
  });
});

describe("what a module publishes (R5)", () => {
  const names = (files: string[], text = pyproject): readonly string[] =>
    reader.publishNames({ facts: new Map([["pyproject.toml", text]]), files }).names;
  it.each([
    ["packages and files below src", ["src/b/__init__.py", "src/a.py", "tests/test_a.py"], ["a", "b"]],
    ["a namespace below src", ["src/acme/deep/x.py"], ["acme"]],
    ["types alone", ["src/acme/__init__.pyi", "src/acme/py.typed"], ["acme"]],
    [
      "flat packages, without tests and tools",
      ["acme/__init__.py", "tests/__init__.py", "docs/conf.py", "setup.py"],
      ["acme"],
    ],
    ["a flat namespace", ["acme/deep/__init__.py"], ["acme"]],
    ["one file with the project's name", ["acme_app.py", "other.py"], ["acme_app"]],
    ["no name that nobody could import", ["src/a-b/x.py", "src/a.egg-info/x.py"], []],
    ["nothing where there is nothing", ["README.md"], []],
  ])("%s", (_, files, wanted) => {
    expect(names(files)).toEqual([...wanted, "distribution acme-app"]);
  });

  it("says that a name is Python's own", () => {
    const { findings } = reader.publishNames({ facts: new Map(), files: ["src/json/__init__.py"] });
    expect(findings).toMatchObject([{ severity: "warning", message: expect.stringMatching(/publishes json/) }]);
  });
});

describe("facts", () => {
  const findings = (texts: Record<string, string>) => {
    const facts = new Map(Object.entries(texts));
    const context = { module: "app", facts, files: [], published: new Map(Object.entries(published)) };
    const said = reader.createResolver({
      ...context,
      ownerOfPath: () => null,
      factsOf: () => new Map<string, string>(),
    }).findings;
    return [...said, ...reader.publishNames({ facts, files: [] }).findings];
  };
  it.each([
    ["no pyproject.toml", {}, /^error pyproject\.toml there is none/],
    ["one that is no TOML", { "pyproject.toml": "= 1" }, /^error .* is not TOML/],
    [
      "a name that is none",
      { "pyproject.toml": '[project]\nname = "../../x"' },
      /^error pyproject\.toml project\.name/,
    ],
    [
      "a listed package that nobody locked",
      { "pyproject.toml": pyproject },
      /lists attrs, which no module publishes and neither/,
    ],
  ])("%s is an error", (_, facts: Record<string, string>, wanted) => {
    const found = findings(facts).map(({ severity, file, message }) => `${severity} ${file} ${message}`);
    expect(found).toEqual([expect.stringMatching(wanted)]);
  });

  it("listed for another platform only need no lock", () => {
    const text = '[project]\nname = "a"\ndependencies = ["tomli; python_version < \'3.11\'"]';
    expect(findings({ "pyproject.toml": text })).toEqual([]);
  });

  it("with keys that would change every object change none", () => {
    const text = '[project]\nname = "a"\n[project.scripts]\n__proto__ = "a:b"\n[tool.mesh.imports]\n';
    findings({ "pyproject.toml": `${text}[__proto__]\nx = 1` });
    expect(Object.hasOwn(Object.prototype, "x")).toBe(false);
  });
});
