import { describe, expect, it } from "vitest";
import { createRustReader } from "../../../src/source/imports/rust.ts";
import { readCargoManifest } from "../../../src/source/imports/rust-manifest.ts";
import { askCargo, describeDeclared } from "../../support/ask-cargo.ts";
import { rustRows } from "../../support/rust-rows.ts";
import { readEdges } from "../../support/read-edges.ts";

const reader = createRustReader();

async function read(text: string, path = "src/lib.rs") {
  const [imports] = await reader.readImports([{ path, text }]);
  if (imports === undefined) throw new Error("one file in, one out");
  return imports;
}

describe("what code names (case 13)", () => {
  it.each([
    ["use a::b;", "static"],
    ["use a;", "static"],
    ["use ::a::b;", "static"],
    ["use a::*;", "dynamic"],
    ["use ::a::*;", "static"],
    ["use a as b;", "static"],
    ["use a::{self, b::{c, d as e}};", "static"],
    ["use {a::b, self::c};", "static"],
    ["use ::{a::b};", "static"],
    ["use r#a::b;", "static"],
    ["fn f() { use a::b; }", "static"],
    ["pub use a::b;", "reexport"],
    ["pub(crate) use a::b;", "reexport"],
    ["extern crate a;", "require"],
    ["extern crate a as b;", "require"],
    ["#[cfg(windows)] use a::b;", "dynamic"],
    ["use super::*; use a::b;", "dynamic"],
    ["make!(); use a::b;", "dynamic"],
    ["fn f() { a::g(); }", "type"],
    ["fn f() { ::a::g(); }", "type"],
    ["fn f() { a::m!(b); }", "type"],
    ["fn f(x: a::T) {}", "type"],
    ["impl a::T for S {}", "type"],
    ["#[a::main] fn f() {}", "type"],
  ])("%s is one of kind %s", async (text, kind) => {
    expect(await read(text)).toEqual({ imports: [{ specifier: "a", kind, line: 1 }], findings: [] });
  });

  it.each([
    "use crate::a::b;",
    "use self::a::b;",
    "use super::a::b;",
    "mod a; use a::b;",
    "mod c { pub mod a {} } use c::a; use a::d;",
    "enum a { B } use a::B;",
    "// use a::b;",
    "/* use a::b; */",
    "/// use a::b;\nfn f() {}",
    'const A: &str = "use a::b;";',
    'const A: &str = r#"use a::b; "use a""#;',
    "macro_rules! m { () => { use a::b; a::c() } }",
    "fn f() { u8::from(1); String::new(); Self::a(); }",
    "fn f() { let a = 1; a.b(); }",
    "extern crate self as a;",
  ])("%s is none", async (text) => {
    const { imports, findings } = await read(text);
    expect({ imports: imports.filter((one) => one.specifier === "a"), findings }).toEqual({
      imports: [],
      findings: [],
    });
  });

  it.each([
    "#[cfg(test)]\nmod tests { use a::b; }",
    "#[cfg(test)]\nuse a::b;",
    "#[cfg(all(test, unix))]\nuse a::b;",
    "#[test]\nfn f() { a::b(); }",
    "#[cfg(test)]\n// why\n#[allow(dead_code)]\nmod tests { fn f() { a::b(); } }",
    "#![cfg(test)]\nuse a::b;",
  ])("%s is only for tests", async (text) => {
    expect((await read(text)).imports).toEqual([expect.objectContaining({ specifier: "a", test: true })]);
  });

  it.each(["#[cfg(not(test))]\nuse a::b;", "#[cfg(any(test, unix))]\nuse a::b;"])("%s is not", async (text) => {
    expect((await read(text)).imports).toEqual([{ specifier: "a", kind: "dynamic", line: 2 }]);
  });

  it("has the line of its first use", async () => {
    expect(
      (await read("\n\nuse a::b;\nuse a::c;\nuse d::e;\n")).imports.map((one) => [one.specifier, one.line]),
    ).toEqual([
      ["a", 3],
      ["d", 5],
    ]);
  });

  it("that cannot be read whole is a warning with its line: the edges are those of Cargo.toml", async () => {
    const { imports, findings } = await read("use a::b;\nfn f( {{{\n");
    expect(imports.map((one) => one.specifier)).toContain("a");
    expect(findings).toEqual([expect.objectContaining({ severity: "warning", line: expect.any(Number) })]);
  });

  it("nested ten thousand deep is read, and hangs nothing (case 54)", async () => {
    const text = `use a::b;\n${"mod m { ".repeat(10_000)}${"}".repeat(10_000)}`;
    expect((await read(text)).imports.map((one) => one.specifier)).toEqual(["a"]);
  });
});

describe("what leads nowhere", () => {
  const manifest = `[package]\nname = "app"\nedition = "2021"\n`;
  it.each([
    ["static", { "src/lib.rs": "\nuse nowhere::x;\n" }, "error"],
    ["extern crate", { "src/lib.rs": "\nextern crate nowhere;\n" }, "error"],
    ["maybe of a glob", { "src/lib.rs": "use crate::*;\nuse nowhere::x;\n" }, "warning"],
    ["in a test", { "tests/a.rs": "\nuse nowhere::x;\n" }, "warning"],
  ])("by %s is said with file and line", async (_, files, severity) => {
    const { findings, edges } = await readEdges(reader, { "Cargo.toml": manifest, ...files });
    expect(edges).toEqual([]);
    const [file] = Object.keys(files);
    const message = "uses nowhere, which no module publishes and Cargo.toml does not list";
    expect(findings).toEqual([{ severity, file, line: 2, message }]);
  });

  it("is for the compiler where it is a path, and before 2018 where it is a use", async () => {
    const files = { "Cargo.toml": manifest, "src/lib.rs": "fn f() { nowhere::x(); }\n" };
    expect((await readEdges(reader, files)).findings).toEqual([]);
    const old = { "Cargo.toml": `[package]\nname = "app"\n`, "src/a.rs": "use nowhere::x;\n" };
    expect((await readEdges(reader, old)).findings).toEqual([]);
  });

  it("is a dependency that nobody publishes and no lock file has, with its line", async () => {
    const files = { "Cargo.toml": `${manifest}[dependencies]\n\nnowhere = "1"\n` };
    expect((await readEdges(reader, files)).findings).toEqual([
      {
        severity: "error",
        file: "Cargo.toml",
        line: 6,
        message: expect.stringMatching(
          /^nowhere: no module publishes nowhere, and there is no Cargo.lock to fetch it by in the module's folder: that of a workspace around it is not read/,
        ),
      },
    ]);
  });

  it("is a file taken in from outside the folder, with its owner", async () => {
    const files = {
      "Cargo.toml": manifest,
      "src/lib.rs": `#[path = "../../rust-core/src/x.rs"]\nmod x;\nconst A: &str = include_str!("../../../a.txt");\nconst B: &str = include_str!("../a.txt");\n`,
    };
    expect((await readEdges(reader, files)).findings).toEqual([
      expect.objectContaining({ line: 1, message: expect.stringMatching(/belongs to module rust-core$/) }),
      expect.objectContaining({ line: 3, message: expect.stringMatching(/outside the module's folder$/) }),
    ]);
  });
});

describe("each situation of Cargo.toml", () => {
  it.each(rustRows)("$situation", async ({ files, edges, findings }) => {
    const found = await readEdges(reader, files);
    expect(found.edges).toEqual(edges);
    expect(found.findings.map((one) => `${one.severity} ${one.file}:${one.line}: ${one.message}`)).toEqual(
      (findings ?? []).map((text) => expect.stringMatching(text)),
    );
  });
});

describe("cargo itself", () => {
  it.each(rustRows)("reads $situation as we do", { timeout: 60_000 }, async ({ files, cargoRefuses }) => {
    const reading = readCargoManifest(files["Cargo.toml"]);
    const answer = await askCargo(files);
    if (cargoRefuses === true) {
      expect(answer).toBeNull();
      return;
    }
    expect(answer).not.toBeNull();
    // What we refuse for reasons of the mesh has no reading to compare.
    if (reading.kind !== "manifest") return;
    expect(describeDeclared(reading.manifest)).toEqual(answer);
  });
});

describe("a lock file", () => {
  const entry = (
    name: string,
    more = `source = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${"a".repeat(64)}"\n`,
  ) => `[[package]]\nname = "${name}"\nversion = "1.0.0"\n${more}`;
  const readLock = (text: string) => reader.readLock(new Map([["Cargo.lock", text]]));

  it("is its packages of the registry, however it is written (R8)", () => {
    const one = readLock(`version = 3\n${entry("b")}\n${entry("a")}\n${entry("own", "")}`);
    expect(one).toEqual({
      kind: "locked",
      entries: [`a 1.0.0 ${"a".repeat(64)}`, `b 1.0.0 ${"a".repeat(64)}`],
    });
    expect(
      readLock(
        `# new\nversion = 4\n\n\n${entry("a")}\n\n${entry("b", `checksum = "${"a".repeat(64)}"\nsource = "sparse+https://index.crates.io/"\n`)}`,
      ),
    ).toEqual(one);
  });

  it.each([
    [
      "another registry",
      entry("a", `source = "registry+https://example.org/index"\nchecksum = "${"a".repeat(64)}"\n`),
      /only crates.io/,
    ],
    ["git", entry("a", `source = "git+https://example.org/a"\n`), /only crates.io/],
    ["no checksum", entry("a", `source = "registry+https://github.com/rust-lang/crates.io-index"\n`), /no checksum/],
    ["a name that is a path", entry("../a"), /package.0.name/],
    ["no TOML", "[[package", /is not TOML/],
  ])("with %s is refused (case 53)", (_, text, message) => {
    expect(readLock(text)).toEqual({
      kind: "refused",
      finding: expect.objectContaining({ file: "Cargo.lock", message: expect.stringMatching(message) }),
    });
  });

  it("also says which of two versions is taken", () => {
    const own = (which: string) => readLock(`${entry("own", `dependencies = ["a ${which}"]\n`)}\n${entry("a")}`);
    expect(own("1.0.0")).not.toEqual(own("2.0.0"));
  });

  it("that is not there resolves nothing", () => {
    expect(reader.readLock(new Map())).toEqual({ kind: "none" });
  });
});

describe("what a module publishes", () => {
  const publish = (manifest: string, files = ["Cargo.toml", "src/lib.rs"]) =>
    reader.publishNames({ facts: new Map([["Cargo.toml", manifest]]), files });

  it("is its package's name, and how code writes it", () => {
    expect(publish(`[package]\nname = "a-b"\n`)).toEqual({ names: ["a-b", "a_b"], findings: [] });
    expect(publish(`[package]\nname = "ab"\n`)).toEqual({ names: ["ab"], findings: [] });
  });

  it("is nothing where it is a program", () => {
    expect(publish(`[package]\nname = "a"\n`, ["src/main.rs"])).toEqual({ names: [], findings: [] });
  });

  it.each(["std", "core", "alloc", "proc_macro", "proc-macro", "test"])(
    "is nothing where Rust keeps %s for itself, and that is said",
    (name) => {
      expect(publish(`[package]\nname = "${name}"\n`)).toEqual({
        names: [],
        findings: [
          expect.objectContaining({ severity: "warning", line: 2, message: expect.stringMatching(/keeps for itself/) }),
        ],
      });
    },
  );

  it("is refused where code would call it by another name than its package's", () => {
    expect(publish(`[package]\nname = "a"\n[lib]\nname = "b"\n`)).toEqual({
      names: [],
      findings: [expect.objectContaining({ severity: "error", line: 4 })],
    });
  });
});
