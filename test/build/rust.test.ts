import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import { sandboxLimits } from "../../src/build/sandbox.ts";
import { listFiles } from "../../src/build/list-files.ts";
import { createRustBed, on, rustModule, rustTimeout as timeout } from "../support/rust-bed.ts";

const lib = `/// One.
pub fn one() -> u32 {
    1 // why
}

#[cfg(test)]
mod tests {
    #[test]
    fn is_one() {
        assert_eq!(super::one(), 1);
    }
}
`;
const core = rustModule("rust-core", { "src/lib.rs": lib });
const onCore = `[dependencies]\nrust-core = { path = "../rust-core" }\n`;
const main = `fn main() {\n    println!("{}", rust_core::one() + 1);\n}\n`;

describe("a fit module", () => {
  it(
    "is compiled and tested, and its program runs, built against exactly its closure (R5, R11)",
    { timeout },
    async () => {
      const bed = await createRustBed();
      const page = rustModule(
        "page",
        { "src/main.rs": main, "src/page.html": "<p>", "assets/style.css": "p {}" },
        onCore,
      );
      await bed.commit({ ...core, ...page });
      const library = await bed.buildFit("rust-core");
      expect(await listFiles(await bed.unpack(library))).toEqual([
        "mesh.yaml",
        "rust/crate/Cargo.toml",
        "rust/crate/src/lib.rs",
      ]);
      const built = await bed.build("page", { dependencies: [on("rust-core", library)] });
      expect(built.findings.map((finding) => finding.message)).toEqual([expect.stringMatching(/no tests/)]);
      const artifact = built.artifact ?? library;
      const folder = await bed.unpack(artifact);
      expect(await listFiles(folder)).toEqual(["assets/style.css", "bin/page", "mesh.yaml", "src/page.html"]);
      expect(await bed.runProgram(artifact, "page")).toBe("2\n");
      expect(await readFile(join(folder, "bin", "page"), "latin1")).not.toMatch(/mesh-test-|\/root\//);
    },
  );

  it("may be found by any version, renamed, optional, or only for tests", { timeout }, async () => {
    const bed = await createRustBed();
    const app = rustModule(
      "app",
      {
        "src/lib.rs": "pub fn two() -> u32 {\n    base::one() + 1\n}\n",
        "tests/app.rs": "#[test]\nfn is_two() {\n    assert_eq!(app::two(), mesh_colour::red() + 1);\n}\n",
      },
      `[dependencies]\nbase = { package = "rust-core", version = "7" }\nrust-core = { version = "*", optional = true }\n[dev-dependencies]\nmesh-colour = "0.1"\n`,
    );
    const colour = rustModule("colour", { "src/lib.rs": "pub fn red() -> u32 {\n    1\n}\n" });
    const named = { "colour/Cargo.toml": (colour["colour/Cargo.toml"] ?? "").replace('"colour"', '"mesh-colour"') };
    await bed.commit({ ...core, ...app, ...colour, ...named });
    const dependencies = [
      on("rust-core", await bed.buildFit("rust-core")),
      on("colour", await bed.buildFit("colour"), "test"),
    ];
    const artifact = await bed.buildFit("app", { dependencies });
    const files = await listFiles(await bed.unpack(artifact));
    expect(files.filter((path) => /rust-core|colour/.test(path))).toEqual([
      expect.stringMatching(/^rust\/crates\/rust-core-0\.0\.0-sha\.[0-9a-f]{12}\/Cargo.toml$/),
      expect.stringMatching(/src\/lib.rs$/),
    ]);
  });
});

describe("an unfit module", () => {
  it("does not compile: the place is said (R11)", { timeout }, async () => {
    const bed = await createRustBed();
    await bed.commit(rustModule("a", { "src/lib.rs": "pub fn f() -> u32 {\n    no\n}\n" }));
    expect((await bed.build("a")).verdict).toEqual({
      verdict: "unfit",
      stage: "compile",
      message: expect.stringMatching(/^error\[E0425\][^]*src\/lib\.rs:2:5/),
    });
  });

  it("fails a test: its name and place are said (R11)", { timeout }, async () => {
    const bed = await createRustBed();
    const text = '// A comment.\n#[test]\nfn adds() {\n    assert_eq!(1 + 1, 3, "sums");\n}\n#[test]\nfn fine() {}\n';
    await bed.commit(rustModule("a", { "src/lib.rs": "", "tests/sums.rs": text }));
    expect((await bed.build("a")).verdict).toEqual({
      verdict: "unfit",
      stage: "test",
      message: expect.stringMatching(/^1 test fails:\nadds: .*sums.*\(tests\/sums\.rs:4\)$/),
    });
  });

  it("has tests that do not compile", { timeout }, async () => {
    const bed = await createRustBed();
    await bed.commit(rustModule("a", { "src/lib.rs": "", "tests/x.rs": "use nothing::x;\n" }));
    const { verdict } = await bed.build("a");
    expect(verdict).toMatchObject({
      verdict: "unfit",
      stage: "compile",
      message: expect.stringMatching(/^its tests do not compile/),
    });
  });

  it("uses a module that Cargo.toml does not list: cargo refuses it", { timeout }, async () => {
    const bed = await createRustBed();
    await bed.commit({ ...core, ...rustModule("page", { "src/main.rs": main }) });
    const { verdict } = await bed.build("page", { dependencies: [on("rust-core", await bed.buildFit("rust-core"))] });
    expect(verdict).toMatchObject({ verdict: "unfit", stage: "compile", message: expect.stringMatching(/rust_core/) });
  });

  it("declares what neither a module nor a lock file has", { timeout }, async () => {
    const bed = await createRustBed();
    await bed.commit(rustModule("a", { "src/lib.rs": "" }, `[dependencies]\nstranger = "1"\n`));
    expect((await bed.build("a")).verdict).toMatchObject({
      verdict: "unfit",
      message: expect.stringMatching(
        /^Cargo.toml:10: stranger is no module, and there is no Cargo.lock to fetch it by in the module's folder/,
      ),
    });
  });

  it.each([
    ["bin", "bin"],
    ["bin/page/x", "bin/page"],
    ["rust", "rust"],
  ])("has a file %s in the way of what is made", { timeout }, async (path, place) => {
    const bed = await createRustBed();
    await bed.commit(rustModule("page", { "src/main.rs": "fn main() {}\n", "src/lib.rs": "", [path]: "1" }));
    expect((await bed.build("page")).verdict).toEqual({
      verdict: "unfit",
      stage: "compile",
      message: expect.stringMatching(new RegExp(`^${place} is the module's own, and the build puts`)),
    });
  });

  it("has a manifest that cargo refuses", { timeout }, async () => {
    const bed = await createRustBed();
    await bed.commit(rustModule("a", { "src/lib.rs": "" }, `[features]\nf = ["nothing"]\n`));
    const { verdict } = await bed.build("a");
    expect(verdict).toMatchObject({
      verdict: "unfit",
      stage: "import",
      message: expect.stringMatching(/^Cargo.toml: error/),
    });
  });

  it("has a manifest that cargo reads in another way than the edges were made by", { timeout }, async () => {
    const bed = await createRustBed();
    const both = `[dev-dependencies]\n[dev_dependencies]\nrust-core = "*"\n`;
    await bed.commit({ ...core, ...rustModule("a", { "src/lib.rs": "" }, both) });
    const dependencies = [on("rust-core", await bed.buildFit("rust-core"), "test")];
    expect((await bed.build("a", { dependencies })).verdict).toMatchObject({
      verdict: "unfit",
      stage: "import",
      message: "Cargo.toml: the mesh reads dependency rust-core for dev, which cargo does not",
    });
  });
});

describe("without a sandbox, where the mesh allows it", () => {
  it("a module is built and tested all the same", { timeout }, async () => {
    const bed = await createRustBed();
    await bed.commit({ ...core, ...rustModule("page", { "src/main.rs": main }, onCore) });
    const sandbox = await openSandbox({ bubblewrap: "/nowhere/bwrap", unsafeWithoutSandbox: true });
    const dependencies = [on("rust-core", await bed.buildFit("rust-core", { sandbox }))];
    expect(await bed.runProgram(await bed.buildFit("page", { dependencies, sandbox }), "page")).toBe("2\n");
  });
});

describe("a limit of the environment", () => {
  it("on time or disk is outstanding, never unfit (R11, case 10)", { timeout }, async () => {
    const bed = await createRustBed();
    const loop = "#[test]\nfn waits() {\n    loop {\n        std::thread::park();\n    }\n}\n";
    await bed.commit({
      ...rustModule("slow", { "src/lib.rs": "", "tests/slow.rs": loop }),
      ...rustModule("big", {
        "src/lib.rs": "",
        "build.rs": `fn main() {\n    let dir = std::env::var("OUT_DIR").unwrap();\n    for n in 0..4 {\n        std::fs::write(format!("{dir}/{n}"), vec![0u8; 20 << 20]).unwrap();\n    }\n    std::thread::sleep(std::time::Duration::from_secs(60));\n}\n`,
      }),
    });
    const slow = await bed.build("slow", { limits: { ...sandboxLimits, wallMs: 15_000 } });
    expect(slow.verdict).toMatchObject({ verdict: "outstanding", class: "limit" });
    const big = await bed.build("big", { limits: { ...sandboxLimits, diskBytes: 32 * 1024 ** 2 } });
    expect(big.verdict).toMatchObject({ verdict: "outstanding", class: "disk" });
  });
});
