import { describe, expect, it } from "vitest";
import { buildTwice } from "../support/build-twice.ts";
import { createRustBed, on, rustModule } from "../support/rust-bed.ts";

const timeout = 600_000;
const core = rustModule("rust-core", {
  "src/lib.rs": "mod b;\npub fn one() -> u32 {\n    b::B\n}\n",
  "src/b.rs": "pub const B: u32 = 1;\n",
});
const onCore = `[dependencies]\nrust-core = { path = "../rust-core" }\n`;

describe("a second build of a Rust module (R10)", () => {
  it("gives the same, a library and a program that can say where it broke", { timeout }, async () => {
    const bed = await createRustBed();
    const main = `fn main() {\n    assert_eq!(rust_core::one(), 1);\n    println!("{}", file!());\n}\n`;
    await bed.commit({ ...core, ...rustModule("page", { "src/main.rs": main }, onCore) });
    const library = await buildTwice(bed, "rust-core");
    expect(library.second).toMatchObject({ kind: "compared", second: library.first.digest, files: [] });
    const program = await buildTwice(bed, "page", { dependencies: [on("rust-core", library.first)] });
    expect(program.second).toMatchObject({ kind: "compared", second: program.first.digest, files: [] });
  });

  it("finds a build.rs that writes down the clock, and names the program", { timeout }, async () => {
    const bed = await createRustBed();
    const script = `fn main() {\n    println!("cargo:rustc-env=STAMP={:?}", std::time::SystemTime::now());\n}\n`;
    const main = `fn main() {\n    println!("{}", env!("STAMP"));\n}\n`;
    await bed.commit(rustModule("page", { "src/main.rs": main, "build.rs": script }));
    const { second } = await buildTwice(bed, "page");
    expect(second).toMatchObject({ kind: "compared", files: [expect.stringMatching(/^bin\/page: /)] });
  });
});
