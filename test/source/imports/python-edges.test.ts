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
      "from a test, of a folder without code",
      "helpers",
      { file: "tests/test_a.py", files: ["tests/helpers/data.txt"] },
      /^- error/,
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

describe("a lock file (R8)", () => {
  const read = (facts: Record<string, string>) => reader.readLock(new Map(Object.entries(facts)));
  const entries = [`attrs==25.1.0 --hash=sha256:${hash}`];
  const pylock = (
    more: string,
    wheel = `url = "https://files.pythonhosted.org/a.whl", hashes = {sha256 = "${hash}"}`,
  ) =>
    `lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "attrs"\nversion = "25.1.0"\n${more}\nwheels = [{${wheel}}]\n`;

  it.each([
    ["requirements.lock", `attrs==25.1.0 --hash=sha256:${hash}`],
    [
      "requirements.lock",
      `# by a tool\nAttrs == 25.1.0 \\\n    --hash=sha256:${hash} \\\n    --hash=sha256:${hash}\n    # via x\n`,
    ],
    ["pylock.toml", pylock("")],
    ["pylock.toml", pylock(`index = "https://pypi.org/simple"\nmarker = "'dev' in dependency_groups"`)],
    ["pylock.toml", `# other\n${pylock("").replaceAll(" = ", "  =   ")}`],
  ])("%s gives the same entries, however it is written", (file, text) => {
    expect(read({ [file]: text })).toEqual({ kind: "locked", entries });
  });

  it("keeps where an entry is wanted", () => {
    const text = `attrs[x]==25.1.0 ; sys_platform == "win32" --hash=sha256:${hash}`;
    expect(read({ "requirements.lock": text })).toEqual({
      kind: "locked",
      entries: [`attrs==25.1.0 ; sys_platform == "win32" --hash=sha256:${hash}`],
    });
  });

  it("that is not there is none", () => expect(read({})).toEqual({ kind: "none" }));

  it.each([
    ["without a sha256", { "requirements.lock": "attrs==25.1.0" }, /no sha256/],
    ["with another digest", { "requirements.lock": `attrs==25.1.0 --hash=md5:${hash}` }, /no sha256/],
    ["without an exact version", { "requirements.lock": `attrs>=25 --hash=sha256:${hash}` }, /only name==version/],
    ["with a wildcard", { "requirements.lock": `attrs==25.* --hash=sha256:${hash}` }, /no exact version/],
    ["that is editable", { "requirements.lock": "-e ./x" }, /only name==version/],
    ["from git", { "requirements.lock": "attrs @ git+https://github.com/x/y" }, /only name==version/],
    ["from an address", { "requirements.lock": "attrs @ https://evil.example/a.whl" }, /only name==version/],
    ["that chooses an index", { "requirements.lock": "--index-url https://evil.example/" }, /only name==version/],
    ["that reads another file", { "requirements.lock": "-r /etc/passwd" }, /only name==version/],
    ["that is there twice", { "requirements.lock": `${lock}${lock}` }, /twice/],
    ["with two lock files", { "requirements.lock": lock, "pylock.toml": pylock("") }, /one of them must go/],
    ["from git in pylock.toml", { "pylock.toml": pylock("vcs = {type = 'git'}") }, /comes from a vcs/],
    ["from a folder", { "pylock.toml": pylock("directory = {path = '.'}") }, /comes from a directory/],
    ["from another index", { "pylock.toml": pylock("index = 'https://evil.example/simple'") }, /evil/],
    [
      "from a foreign host",
      { "pylock.toml": pylock("", `url = "https://evil.example/a.whl", hashes = {sha256 = "${hash}"}`) },
      /evil/,
    ],
    [
      "from a host with a password",
      { "pylock.toml": pylock("", `url = "https://a:b@pypi.org/a.whl", hashes = {sha256 = "${hash}"}`) },
      /no registry/,
    ],
    ["from a file", { "pylock.toml": pylock("", `path = "a.whl", hashes = {sha256 = "${hash}"}`) }, /file beside/],
    [
      "with a wheel without a sha256",
      { "pylock.toml": pylock("", 'url = "https://pypi.org/a.whl"') },
      /without a sha256/,
    ],
    [
      "with a source distribution only",
      { "pylock.toml": pylock("").replace(/wheels = .*/, "sdist = {url = 'x'}") },
      /no wheel/,
    ],
    ["of another version of the standard", { "pylock.toml": 'lock-version = "2.0"\npackages = []' }, /only version 1/],
    ["with a marker that is more than one", { "requirements.lock": `a==1 ; x $(id) --hash=sha256:${hash}` }, /marker/],
  ])("%s is refused (case 53)", (_, facts: Record<string, string>, wanted) => {
    const lockRead = read(facts);
    expect(lockRead.kind === "refused" ? lockRead.finding.message : lockRead.kind).toMatch(wanted);
  });
});
