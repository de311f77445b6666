import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listFiles } from "../../src/build/list-files.ts";
import { countJobs } from "../../src/build/builders/rust-cargo.ts";
import { prepareCrate } from "../../src/build/builders/rust-crate.ts";
import { stripRustSources } from "../../src/build/builders/rust-strip.ts";
import { countTests, describeRustFailures } from "../../src/build/builders/rust-test-output.ts";
import { addressOf } from "../../src/build/builders/rust-third-parties.ts";
import { versionOfDigest } from "../../src/build/builders/rust-vendor.ts";
import { findDifference, placeBeside } from "../../src/build/builders/rust-resolve-crates.ts";
import { readCargoManifest } from "../../src/source/imports/rust-manifest.ts";
import { createRustBed, on, rustModule, rustTimeout as timeout } from "../support/rust-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const lib = `pub fn one(x: &[u32]) -> u32 {\n    x[0]\n}\n`;
const main = `fn main() {\n    println!("{}", rust_core::one(&[1, 2]));\n}\n`;
const page = rustModule("page", { "src/main.rs": main }, `[dependencies]\nrust-core = "*"\n`);

function core(text: string, files: Record<string, string> = {}) {
  return rustModule("rust-core", { "src/lib.rs": text, ...files });
}

describe("the same output (R10)", () => {
  it("has the same digest from another path, under another umask, in another order", { timeout }, async () => {
    const [one, two] = [await createRustBed(), await createRustBed()];
    const files = { ...core(lib), ...page };
    await one.commit(files);
    const first = await one.buildFit("rust-core");
    const program = await one.buildFit("page", { dependencies: [on("rust-core", first)] });
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    await two.commit(Object.fromEntries(Object.entries(files).toReversed()));
    const second = await two.buildFit("rust-core");
    expect(second).toEqual(first);
    expect(await two.buildFit("page", { dependencies: [on("rust-core", second)] })).toEqual(program);
  });

  it(
    "comes of other comments, tests and documents, and not of other code or moved lines (case 8)",
    { timeout },
    async () => {
      const bed = await createRustBed();
      await bed.commit(core(`// Old.\n${lib}`));
      const first = (await bed.buildFit("rust-core")).digest;
      const edited = `// New, and longer.\n${lib.replace("x[0]", "x[0] // the first")}#[cfg(test)]\nmod tests {\n    #[test]\n    fn f() {}\n}\n`;
      await bed.commit({
        ...core(edited, {
          "README.md": "new",
          "tests/a.rs": "#[test]\nfn g() {}\n",
          ".cargo/config.toml": "[build]\nrustc-wrapper = '/bin/false'\n",
        }),
      });
      expect((await bed.buildFit("rust-core")).digest).toBe(first);
      await bed.commit(core(`// Old.\n// A line more.\n${lib}`));
      expect((await bed.buildFit("rust-core")).digest).not.toBe(first);
      await bed.commit(core(`// Old.\n${lib.replace("x[0]", "x[1]")}`));
      expect((await bed.buildFit("rust-core")).digest).not.toBe(first);
    },
  );
});

describe("what is compiled and given to dependents", () => {
  const strip = async (text: string, path = "src/lib.rs") => {
    const stripped = (await stripRustSources(new Map([[path, text]]))).get(path);
    if (stripped === undefined) throw new Error("one file in, one out");
    return stripped;
  };

  it.each([
    ["a comment on its line", "// a\nfn f() {}\n", "\nfn f() {}\n"],
    ["a comment behind code", "fn f() {} // a\nfn g() {}\n", "fn f() {}\nfn g() {}\n"],
    ["a comment inside a line", "fn /* é */ f() {}\n", "fn         f() {}\n"],
    ["a comment over lines", "fn f() {} /* a\n b */\nfn g() {}\n", "fn f() {}\n\nfn g() {}\n"],
    ["a comment in a macro", "m!(\n  a, // why\n  b,\n);\n", "m!(\n  a,\n  b,\n);\n"],
    ["tests at the end", "fn f() {}\n\n#[cfg(test)]\nmod tests {\n  use super::*;\n}\n", "fn f() {}\n"],
    ["tests in the middle", "/// doc\n#[cfg(test)]\n#[allow(x)]\nfn t() {\n}\nfn f() {}\n", "\n\n\n\n\nfn f() {}\n"],
    ["a test under two conditions", "#[cfg(all(test, unix))]\nuse a::b;\nfn f() {}\n", "\n\nfn f() {}\n"],
    ["line breaks of another system", "fn f() {} // a\r\nfn g() {}\r\n", "fn f() {}\r\nfn g() {}\n"],
  ])("has no %s, and everything else in its place", async (_, text, left) => {
    expect((await strip(text)).text).toBe(left);
  });

  it.each([
    "/// doc\nfn f() {}\n",
    "//! doc\n\nfn f() {}\n",
    "/** doc */\nfn f() {}\n",
    'const A: &str = "// no // comment  ";\n',
    'const A: &str = r#"/* no */ " // "#;\n',
    'const A: &str = "a  \n  // b  \n";\n',
    "#[cfg(not(test))]\nfn f() {}\n",
    "#[cfg(any(test, unix))]\nfn f() {}\n",
    "struct S {\n    #[cfg(test)]\n    a: u32,\n}\n",
  ])("keeps %j", async (text) => {
    expect((await strip(text)).text).toBe(text);
  });

  it("has no files that only tests are made of", async () => {
    expect((await strip("#[cfg(test)]\nmod tests;\n")).testPaths).toEqual(["src/tests.rs", "src/tests"]);
    expect((await strip("#[cfg(test)]\nmod t;\n", "src/a.rs")).testPaths).toEqual(["src/a/t.rs", "src/a/t"]);
    expect((await strip('#[cfg(test)]\n#[path = "x.rs"]\nmod t;\n')).testPaths).toEqual([]);
  });

  it("has those of modules inside of modules where these are", async () => {
    const inner = await strip(
      "mod a {\n    #[cfg(test)]\n    mod t;\n    mod b;\n}\n#[cfg(test)]\nmod c {\n    mod d;\n}\n",
    );
    expect(inner.testPaths).toEqual(["src/a/t.rs", "src/a/t", "src/c/d.rs", "src/c/d"]);
    expect(inner.livePaths).toEqual(["src/a/b.rs", "src/a/b"]);
  });

  it("keeps the files of a module that is there without tests too", async () => {
    const [from, into] = [await createTemporaryFolder(), join(await createTemporaryFolder(), "into")];
    const files = {
      "src/lib.rs":
        "#[cfg(test)]\npub mod both;\n#[cfg(not(test))]\nmod both;\n#[cfg(test)]\nmod shared;\n#[cfg(test)]\nmod tests;\n",
      "src/main.rs": 'mod shared;\n#[path = "tests/kept.rs"]\nmod kept;\nfn main() {}\n',
      "src/both.rs": "",
      "src/shared.rs": "",
      "src/tests.rs": "",
      "src/tests/kept.rs": "",
      "src/tests/more.rs": "",
    };
    for (const folder of ["src", "src/tests"]) await mkdir(join(from, folder));
    for (const [path, text] of Object.entries(files)) await writeFile(join(from, path), text);
    await prepareCrate(from, into, []);
    expect(await listFiles(into)).toEqual([
      "src/both.rs",
      "src/lib.rs",
      "src/main.rs",
      "src/shared.rs",
      "src/tests/kept.rs",
    ]);
  });

  it("is left as it is where the grammar cannot read it", async () => {
    const text = "// a\nfn f( {{{\n";
    expect((await strip(text)).text).toBe(text);
  });
});

describe("names and words", () => {
  it("a version is made of the digest, and never begins a number with a zero", () => {
    expect(versionOfDigest(`sha256:${"ab".repeat(32)}`)).toBe("0.0.0-sha.abababababab");
    expect(versionOfDigest(`sha256:012345678901${"2a".repeat(26)}`)).toBe("0.0.0-sha.0123456789012a");
  });

  it("a crate is where the index says", () => {
    const crate = { name: "Serde_x", version: "1.0.0", checksum: "c" };
    expect(addressOf("https://a/b", crate)).toBe("https://a/b/Serde_x/1.0.0/download");
    expect(addressOf("https://a/{lowerprefix}/{crate}-{version}.crate", crate)).toBe(
      "https://a/se/rd/Serde_x-1.0.0.crate",
    );
    expect(addressOf("https://a/{prefix}/{sha256-checksum}", { ...crate, name: "abc" })).toBe("https://a/3/a/c");
  });

  it("failures are those of every harness that ran", () => {
    const output = `running 2 tests\ntest a ... ok\ntest m::b ... FAILED\n\nfailures:\n\n---- m::b stdout ----\n\nthread 'm::b' (7) panicked at src/lib.rs:3:5:\nboom\n\nrunning 1 test\ntest src/lib.rs - f (line 3) ... FAILED\n`;
    expect(countTests(output)).toBe(3);
    expect(describeRustFailures(output)).toBe(
      "2 tests fail:\nm::b: boom (src/lib.rs:3)\nsrc/lib.rs - f (line 3): failed",
    );
    expect(describeRustFailures("abort")).toMatch(/none of them is named:\nabort$/);
  });

  it("of many failures those are looked for that are shown", () => {
    const output = Array.from({ length: 200_000 }, (_, at) => `test t${at} ... FAILED\n`).join("");
    expect(describeRustFailures(output)).toMatch(/^200000 tests fail:\nt0: failed\n[^]*… and 199990 more$/);
  });

  it("a crate beside the module is found there, also where its name begins as the module's folder here", () => {
    expect(placeBeside("/c", "/c/1/module", "../module-b")).toBe("/c/1/module-b");
    expect(placeBeside("/c", "/c/1/module", "../../x")).toBe("/c/x");
    for (const path of [".", "inner", "../..", "../../..", "../../../etc"])
      expect(placeBeside("/c", "/c/1/module", path)).toBeNull();
  });

  it("cargo is given whole processors, whatever part of one a build may use", () => {
    expect([0.1, 0.5, 1, 1.5, 2, 8].map(countJobs)).toEqual(["1", "1", "1", "1", "2", "2"]);
  });

  it("a dependency that cargo reads otherwise is named", () => {
    const reading = readCargoManifest(
      `[package]\nname = "a"\n[dev-dependencies]\nb = { package = "c", version = "1", optional = true }\n`,
    );
    if (reading.kind !== "manifest") throw new Error("it can be read");
    const same = ["b (package c) for dev optional"];
    expect(findDifference(reading.manifest, same)).toBeNull();
    expect(findDifference(reading.manifest, [...same, "d on cfg(windows)"])).toMatch(
      /cargo reads dependency d on cfg\(windows\), which the mesh does not/,
    );
    expect(findDifference(reading.manifest, [])).toMatch(
      /reads dependency b \(package c\) for dev optional, which cargo does not/,
    );
  });
});
