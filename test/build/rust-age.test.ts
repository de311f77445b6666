import { describe, expect, it } from "vitest";
import { judgeRustVersion } from "../../src/build/builders/rust-version.ts";
import { createRustBed, on, rustModule, rustTimeout as timeout } from "../support/rust-bed.ts";

/** What stands in cargo's own place for it, told by the compiler while it compiles. */
const refusal = "error: rustc 1.95.0 is not supported by the following package:\n  a@1.2.3 requires rustc 1.999\n";
const olderRefusal =
  "error: package `a v1.2.3 (/build/module)` cannot be built because it requires rustc 1.99 or newer, while the currently active rustc version is 1.70.0\n";
const olderEdition = `error: failed to parse manifest at \`/build/module/Cargo.toml\`

Caused by:
  feature \`edition2024\` is required

  The package requires the Cargo feature called \`edition2024\`, but that feature is not stabilized in this version of Cargo (1.82.0 (8f40fc59f 2024-08-21)).
`;

describe("a Rust that is older than what a module asks for", () => {
  it.each([
    ["rust-version", `edition = "2021"\nrust-version = "1.999"`, /^a@1\.2\.3 requires rustc 1\.999.*install/],
    ["edition", `edition = "2048"`, /older than the `2048` edition.*install/],
  ])("by its %s is the machine's fault: outstanding (R11)", { timeout }, async (_, line, message) => {
    const bed = await createRustBed();
    const files = rustModule("a", { "src/lib.rs": "" });
    const manifest = (files["a/Cargo.toml"] ?? "").replace('edition = "2021"', line);
    await bed.commit({ ...files, "a/Cargo.toml": manifest });
    expect((await bed.build("a")).verdict).toEqual({
      verdict: "outstanding",
      class: "toolchain",
      message: expect.stringMatching(message),
    });
  });

  it.each([refusal, `warning: unused manifest key: x\n${refusal}`, olderRefusal, olderEdition])(
    "is told by cargo's own words: %j",
    (log) => {
      expect(judgeRustVersion(log)?.verdict).toMatchObject({ verdict: "outstanding", class: "toolchain" });
    },
  );

  it.each([
    `   Compiling a v1.2.3 (/build/module)\n${refusal}`,
    `error: it is said in code\n  |\n3 |   a@1.2.3 requires rustc 1.999\n`,
    "error: failed to parse manifest\n\nCaused by:\n  supported edition values are `2015`, but `edition2024` is unknown\n",
    "error: failed to parse manifest\n\nCaused by:\n  the cargo feature `edition2024` requires a nightly version of Cargo\n",
    `${"x".repeat(65_000)}\n${refusal}`,
  ])("is not told by other words, or by those of code", (log) => {
    expect(judgeRustVersion(log)).toBeNull();
  });

  it("is not believed of a macro that prints cargo's words while it is compiled (case 55)", { timeout }, async () => {
    const bed = await createRustBed();
    const macro = `use proc_macro::TokenStream;
#[proc_macro]
pub fn say(_: TokenStream) -> TokenStream {
    eprint!("{}", ${JSON.stringify(refusal)});
    "compile_error!(\\"wrong\\");".parse().unwrap()
}
`;
    await bed.commit({
      ...rustModule("says", { "src/lib.rs": macro }, "[lib]\nproc-macro = true\n"),
      ...rustModule("a", { "src/lib.rs": "says::say!();\n" }, `[dependencies]\nsays = "*"\n`),
    });
    const built = await bed.build("a", { dependencies: [on("says", await bed.buildFit("says"))] });
    expect(built.logTail).toContain(refusal);
    expect(built.verdict).toMatchObject({ verdict: "unfit", stage: "compile" });
  });
});
