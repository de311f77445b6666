import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles } from "../../src/build/list-files.ts";
import { prepareCrate } from "../../src/build/builders/rust-crate.ts";
import { createRustBed, rustModule, rustTimeout as timeout } from "../support/rust-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

/** What is left of a crate's files, beside those of `src/`. */
async function compiledOf(files: Record<string, string>, targets: readonly string[] = []): Promise<string[]> {
  const [from, into] = [await createTemporaryFolder(), join(await createTemporaryFolder(), "into")];
  for (const [path, text] of Object.entries({ "src/lib.rs": "", ...files })) {
    await mkdir(dirname(join(from, path)), { recursive: true });
    await writeFile(join(from, path), text);
  }
  await prepareCrate(from, into, targets);
  return (await listFiles(into)).filter((path) => !/^src\/\w+\.rs$/.test(path));
}

const folders = {
  "examples/a.toml": "a",
  "tests/b.txt": "b",
  "benches/c.txt": "c",
  ".version": "1",
  "release.toml": "",
};

describe("a file that the compiled code takes in", () => {
  it("is there when what is delivered is compiled, wherever it lies (R11)", { timeout }, async () => {
    const bed = await createRustBed();
    const main = `#[path = "../tests/shared/mod.rs"]
mod shared;
#[path = "../examples/inner/deep.rs"]
mod deep;
const VERSION: &str = include_str!("../.version");
const CONFIG: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/config.toml"));
fn main() {
    print!("{}{}{}{}{}", VERSION, CONFIG, shared::TEXT, deep::more(), include_str!("../.queries/one.json"));
}
`;
    await bed.commit({
      ...rustModule("page", {
        "src/main.rs": main,
        ".version": "1",
        ".queries/one.json": "5",
        "examples/config.toml": "2",
        "tests/shared/mod.rs": `pub const TEXT: &str = include_str!("text.txt");\n`,
        "tests/shared/text.txt": "3",
        "examples/inner/deep.rs": "mod more;\npub fn more() -> u32 {\n    more::four()\n}\n",
        "examples/inner/more.rs": "pub fn four() -> u32 {\n    4\n}\n",
      }),
    });
    expect(await bed.runProgram(await bed.buildFit("page"), "page")).toBe("12345");
  });

  it.each([
    ["a file that is included", `const A: &str = include_str!("../examples/a.toml");`, ["examples/a.toml"]],
    ["bytes", `const A: &[u8] = include_bytes!(r"../tests/b.txt");`, ["tests/b.txt"]],
    ["by a macro of its own", `macro_rules! m { () => { include_str!("../.version") } }`, [".version"]],
    ["in documentation", `#![doc = include_str!("../release.toml")]`, ["release.toml"]],
    [
      "from the crate's folder",
      `const A: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/c.txt");`,
      ["benches/c.txt"],
    ],
    ["a whole folder", `static A: Dir = include_dir!("$CARGO_MANIFEST_DIR/examples");`, ["examples/a.toml"]],
    ["where the grammar cannot read the code", `fn f( {{{ "../tests/b.txt"`, ["tests/b.txt"]],
  ])("is kept: %s", async (_, code, kept) => {
    expect(await compiledOf({ ...folders, "src/lib.rs": `${code}\n` })).toEqual(kept);
  });

  it.each([
    ["a comment", `// include_str!("../examples/a.toml")`],
    ["a test", `#[cfg(test)]\nmod tests {\n    const A: &str = include_str!("../examples/a.toml");\n}`],
    ["a file of tests", `#[cfg(test)]\nmod tests;`],
    ["the folder of everything", `static A: Dir = include_dir!("$CARGO_MANIFEST_DIR");\nconst B: &str = "../..";`],
    ["another crate's", `const A: &str = include_str!("../../other/examples/a.toml");`],
  ])("is left out where only this names it: %s (R10)", async (_, code) => {
    const tests = code.includes("mod tests;") ? { "src/tests.rs": `f("../examples/a.toml");\n` } : {};
    expect(await compiledOf({ ...folders, ...tests, "src/lib.rs": `${code}\n` })).toEqual([]);
  });

  it("is kept where it lies among the modules of tests", async () => {
    const code = `const A: &str = include_str!("tests/a.txt");\n#[cfg(test)]\nmod tests;\n`;
    expect(await compiledOf({ "src/lib.rs": code, "src/tests/a.txt": "", "src/tests/b.txt": "" })).toEqual([
      "src/tests/a.txt",
    ]);
  });

  it("may be a program that Cargo.toml puts among the examples, with its modules", async () => {
    const files = { "examples/p.rs": "mod q;\nfn main() {}\n", "examples/q.rs": "", "examples/other.rs": "" };
    expect(await compiledOf(files, ["examples/p.rs"])).toEqual(["examples/p.rs", "examples/q.rs"]);
  });

  it("is any of a hidden folder, which macros read by a name of their own; not those of git, cargo and editors", async () => {
    const hidden = [
      ".sqlx/query-1.json",
      ".cargo/config.toml",
      ".github/x.yml",
      ".git-hooks/x",
      ".vscode/x.json",
      ".env",
    ];
    expect(await compiledOf(Object.fromEntries(hidden.map((path) => [path, ""])))).toEqual([".sqlx/query-1.json"]);
  });
});
