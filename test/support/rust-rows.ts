export interface RustRow {
  readonly situation: string;
  /** The files of module `app`. */
  readonly files: Readonly<Record<string, string>>;
  /** `dependency kind file:line`. */
  readonly edges: readonly string[];
  /** Patterns of `severity file:line: message`. */
  readonly findings?: readonly RegExp[];
  /** Cargo itself does not take this manifest either. */
  readonly cargoRefuses?: true;
}

const head = `[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021"\n`;
const lib = { "src/lib.rs": "" };

function declares(text: string, code: Record<string, string> = {}): Record<string, string> {
  return { ...lib, ...code, "Cargo.toml": `${head}${text}` };
}

const sum = "0".repeat(64);
const lock = `version = 4\n[[package]]\nname = "itoa"\nversion = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${sum}"\n`;

/** One table for our reading and for cargo's (case 13): what a Cargo.toml says, and what follows. Line 5 is the first free one. */
export const rustRows: readonly RustRow[] = [
  {
    situation: "a dependency is an edge where it is declared",
    files: declares(`[dependencies]\nrust-core = "*"\n`),
    edges: ["rust-core build Cargo.toml:6"],
  },
  {
    situation: "a use shows a better line, and `-` is `_` in code",
    files: declares(`[dependencies]\nrust-core = "*"\n`, { "src/lib.rs": "\nuse rust_core::x;\n" }),
    edges: ["rust-core build src/lib.rs:2"],
  },
  {
    situation: "used in tests only, it is still what the crate is compiled against",
    files: declares(`[dependencies]\nrust-core = "*"\n`, { "tests/a.rs": "use rust_core::x;\n" }),
    edges: ["rust-core build Cargo.toml:6"],
  },
  {
    situation: "a dependency for development is a test edge",
    files: declares(`[dev-dependencies]\nrust-core = "*"\n`, { "tests/a.rs": "use rust_core::x;\n" }),
    edges: ["rust-core test tests/a.rs:1"],
  },
  {
    situation: "a dependency for development stays a test edge where `mod tests;` lies in a file of its own",
    files: declares(`[dev-dependencies]\nrust-core = "*"\n`, {
      "src/lib.rs": "#[cfg(test)]\nmod tests;\n",
      "src/tests.rs": "use rust_core::x;\n",
    }),
    edges: ["rust-core test Cargo.toml:6"],
  },
  {
    situation: "a dependency of build.rs is a build edge",
    files: declares(`[build-dependencies]\nrust-core = "*"\n`, { "build.rs": "fn main() { rust_core::x(); }\n" }),
    edges: ["rust-core build build.rs:1"],
  },
  {
    situation: "for development and for real: real",
    files: declares(`[dependencies]\nrust-core = "*"\n[dev-dependencies]\nrust-core = { version = "*" }\n`),
    edges: ["rust-core build Cargo.toml:6"],
  },
  {
    situation: "for another platform is an edge all the same",
    files: declares(`[target.'cfg(windows)'.dependencies]\nrust-core = "*"\n`),
    edges: ["rust-core build Cargo.toml:6"],
  },
  {
    situation: "for a triple and development",
    files: declares(`[target.x86_64-pc-windows-gnu.dev-dependencies.rust-core]\nversion = "*"\n`),
    edges: ["rust-core test Cargo.toml:5"],
  },
  {
    situation: "renamed: the package decides, the code calls it by the key",
    files: declares(`[dependencies]\npaint = { package = "mesh-colour", version = "*" }\n`, {
      "src/lib.rs": "pub use paint::x;\n",
    }),
    edges: ["colour build src/lib.rs:1"],
  },
  {
    situation: "extern crate, as before 2018",
    files: declares(`[dependencies]\nrust-core = "*"\n`, { "src/lib.rs": "extern crate rust_core as c;\n" }),
    edges: ["rust-core build src/lib.rs:1"],
  },
  {
    situation: "used on one platform only",
    files: declares(`[target.'cfg(windows)'.dependencies]\nrust-core = "*"\n`, {
      "src/lib.rs": "#[cfg(windows)]\nuse rust_core::x;\n",
    }),
    edges: ["rust-core build src/lib.rs:2"],
  },
  {
    situation: "used in a test beside the code",
    files: declares(`[dev-dependencies]\nrust-core = "*"\n`, {
      "src/lib.rs": "#[cfg(test)]\nmod tests {\n  use rust_core::x;\n}\n",
    }),
    edges: ["rust-core test src/lib.rs:3"],
  },
  {
    situation: "renamed, and not named in code",
    files: declares(`[dependencies]\npaint = { package = "mesh-colour", version = "*" }\n`),
    edges: ["colour build Cargo.toml:6"],
  },
  {
    situation: "optional is an edge: a feature may want it",
    files: declares(
      `[dependencies]\nrust-core = { version = "*", optional = true }\n[features]\nf = ["dep:rust-core"]\n`,
    ),
    edges: ["rust-core build Cargo.toml:6"],
  },
  {
    situation: "a table of its own, and keys with dots",
    files: declares(`[dependencies.rust-core]\nversion = "*"\n[dependencies]\nmesh-colour.version = "*"\n`),
    edges: ["colour build Cargo.toml:8", "rust-core build Cargo.toml:5"],
  },
  {
    situation: "keys in quotes, lists over lines, and a comment that looks like a dependency",
    files: declares(
      `keywords = [\n  "[dependencies]", # mesh-colour = "*"\n]\ndescription = """\nrust-core = "*"\n"""\n[dependencies]\n"rust-core" = { version = "*", features = [\n  "a",\n] }\n`,
    ),
    edges: ["rust-core build Cargo.toml:12"],
  },
  {
    situation: "an inline table of all of them",
    files: { ...lib, "Cargo.toml": `dependencies = { rust-core = "*" }\n${head}` },
    edges: ["rust-core build Cargo.toml:1"],
  },
  {
    situation: "the old spelling with `_`",
    files: declares(`[dev_dependencies]\nrust-core = "*"\n[build_dependencies]\nmesh-colour = "*"\n`),
    edges: ["colour build Cargo.toml:8", "rust-core test Cargo.toml:6"],
  },
  {
    situation: "a path to the module that publishes it",
    files: declares(`[dependencies]\nrust-core = { path = "../rust-core" }\n`),
    edges: ["rust-core build Cargo.toml:6"],
  },
  {
    situation: "inherited from a workspace in the same file",
    files: declares(
      `[workspace]\n[workspace.dependencies]\nrust-core = { version = "*", features = ["a"] }\n[dependencies]\nrust-core = { workspace = true, optional = true }\n`,
    ),
    edges: ["rust-core build Cargo.toml:9"],
  },
  {
    situation: "a crate of the registry that the lock file has is none",
    files: declares(`[dependencies]\nitoa = "1"\n`, { "Cargo.lock": lock, "src/lib.rs": "use itoa::Buffer;\n" }),
    edges: [],
  },
  {
    situation: "declared and never named in code: an edge, because a macro may need it",
    files: declares(`[dependencies]\nmesh-colour = "*"\n`, { "src/lib.rs": "pub fn f() {}\n" }),
    edges: ["colour build Cargo.toml:6"],
  },
  {
    situation: "none is none, and the own crate is no module",
    files: declares("", {
      "src/main.rs": "use app::x;\nuse std::fmt;\nuse core::mem;\nextern crate alloc;\nfn main() {}\n",
    }),
    edges: [],
  },
  {
    situation: "used and not declared: an edge, and a warning",
    files: declares("", { "src/lib.rs": "\nuse rust_core::x;\n" }),
    edges: ["rust-core build src/lib.rs:2"],
    findings: [
      /^warning src\/lib.rs:2: uses rust_core, which module rust-core publishes, and Cargo.toml does not list/,
    ],
  },
  {
    situation: "called and not declared: an edge, and a warning",
    files: declares("", { "src/lib.rs": "fn f() { rust_core::x!(); }\n" }),
    edges: ["rust-core build src/lib.rs:1"],
    findings: [/^warning src\/lib.rs:1: uses rust_core/],
  },
  {
    situation: "a workspace that is not there",
    files: declares(`[dependencies]\nrust-core = { workspace = true }\n`),
    edges: [],
    findings: [/^error Cargo.toml:6: rust-core is inherited from a workspace/],
    cargoRefuses: true,
  },
  {
    situation: "an edition from a workspace that is not there",
    files: { ...lib, "Cargo.toml": `[package]\nname = "app"\nversion = "1.0.0"\nedition.workspace = true\n` },
    edges: [],
    findings: [/^error Cargo.toml:4: edition is inherited from a workspace/],
    cargoRefuses: true,
  },
  {
    situation: "a workspace of several crates",
    files: declares(`[workspace]\nmembers = ["a"]\n`),
    edges: [],
    findings: [/^error Cargo.toml:6: a workspace of several crates/],
    cargoRefuses: true,
  },
  {
    situation: "no package at all",
    files: { "Cargo.toml": `[workspace]\nmembers = []\n` },
    edges: [],
    findings: [/^error Cargo.toml:1: has no \[package\]/],
  },
  {
    situation: "a path to a module of another name names the owner",
    files: declares(`[dependencies]\ncolour = { path = "../colour" }\n`),
    edges: [],
    findings: [
      /^error Cargo.toml:6: colour is at ..\/colour, which belongs to module colour: .* does not publish colour$/,
    ],
  },
  {
    situation: "a path to nobody's folder",
    files: declares(`[dependencies]\nrust-core = { path = "../../elsewhere" }\n`),
    edges: [],
    findings: [/^error Cargo.toml:6: rust-core is at .* outside the module's folder/],
  },
  {
    situation: "a path inside the module",
    files: declares(`[dependencies]\nsub = { path = "crates/sub" }\n`),
    edges: [],
    findings: [/^error Cargo.toml:6: sub is at crates\/sub, inside this module/],
  },
  {
    situation: "from git",
    files: declares(`[dependencies]\nrust-core = { git = "https://example.org/core" }\n`),
    edges: [],
    findings: [/^error Cargo.toml:6: rust-core comes from git/],
  },
  {
    situation: "from a registry of its own",
    files: declares(`[dependencies]\nitoa = { version = "1", registry-index = "https://example.org/index" }\n`),
    edges: [],
    findings: [/^error Cargo.toml:6: itoa names its own registry-index/],
  },
  {
    situation: "[patch]",
    files: declares(`[patch.crates-io]\nitoa = { git = "https://example.org/x" }\n`),
    edges: [],
    findings: [/^error Cargo.toml:5: \[patch\]/],
  },
  {
    situation: "[replace]",
    files: declares(`[replace]\n"itoa:1.0.0" = { git = "https://example.org/x" }\n`),
    edges: [],
    findings: [/^error Cargo.toml:5: \[replace\]/],
  },
  {
    situation: "a module with a name of Rust's own",
    files: declares(`[dependencies]\nstd = "*"\n`),
    edges: [],
    findings: [/^error Cargo.toml:6: std is package std, a name that Rust keeps for itself/],
  },
  {
    situation: "the name in code where the package's name is meant",
    files: declares(`[dependencies]\nrust_core = "*"\n`),
    edges: ["rust-core build Cargo.toml:6"],
    findings: [/^error Cargo.toml:6: rust_core is package rust_core, which module rust-core writes rust-core/],
  },
  {
    situation: "settings of cargo and a toolchain file are not used, and that is said",
    files: declares("", {
      ".cargo/config.toml": `[build]\nrustc-wrapper = "./evil"\n`,
      "rust-toolchain.toml": `[toolchain]\nchannel = "nightly"\n`,
    }),
    edges: [],
    findings: [/^warning .cargo\/config.toml:0: is not used/, /^warning rust-toolchain.toml:0: is not used/],
  },
  {
    situation: "a target outside the folder",
    files: declares(`[lib]\npath = "../x.rs"\n`),
    edges: [],
    findings: [/^error Cargo.toml:6: ..\/x.rs is outside the module's folder/],
  },
  {
    situation: "upper case in the name",
    files: { ...lib, "Cargo.toml": `[package]\nname = "App"\nversion = "1.0.0"\n` },
    edges: [],
    findings: [/^error Cargo.toml:2: package.name must be lower-case/],
  },
  {
    situation: "no TOML (case 53)",
    files: { ...lib, "Cargo.toml": `${head}[dependencies\n` },
    edges: [],
    findings: [/^error Cargo.toml:5: is not TOML/],
    cargoRefuses: true,
  },
  {
    situation: "a key that would change every object (case 53)",
    files: declares(`[dependencies]\n\n__proto__ = { package = "rust-core", version = "*" }\n`),
    edges: [],
    findings: [/^error Cargo.toml:7: has a key __proto__/],
  },
  {
    situation: "a list where a table must be",
    files: declares(`[[dependencies]]\nrust-core = "*"\n`),
    edges: [],
    findings: [/^error Cargo.toml:5: dependencies is no table/],
    cargoRefuses: true,
  },
];
