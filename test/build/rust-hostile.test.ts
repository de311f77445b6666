import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxLimits } from "../../src/build/sandbox.ts";
import { createRustBed, rustModule, rustTimeout as timeout } from "../support/rust-bed.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const attempts: Readonly<Record<string, string>> = {
  "the network": `std::net::TcpStream::connect("1.1.1.1:53")`,
  "files of the build": `std::fs::write("/build/vendor/x", "x")`,
  "its own source": `std::fs::write("/build/module/src/lib.rs", "x")`,
  "the toolchain": `std::fs::write("/toolchain/rust/bin/cargo", "x")`,
  "the settings of cargo": `std::fs::write("/build/settings/config.toml", "x")`,
  "other processes": `std::fs::read_to_string("/proc/${process.pid}/environ")`,
  "our home": `std::fs::read_dir("/root/.cargo")`,
  "the users of this machine": `std::fs::read_to_string("/etc/shadow")`,
};

describe("a hostile module (cases 54, 55)", () => {
  it("reaches from build.rs neither the network nor what is not its own", { timeout }, async () => {
    const bed = await createRustBed();
    const tries = Object.entries(attempts).map(([what, code]) => `    if ${code}.is_ok() { reached.push("${what}"); }`);
    const script = `fn main() {\n    let mut reached: Vec<&str> = vec![];\n${tries.join("\n")}\n    assert!(reached.is_empty(), "{reached:?}");\n}\n`;
    await bed.commit(rustModule("a", { "src/lib.rs": "", "build.rs": script }));
    expect((await bed.build("a")).verdict).toMatchObject({ verdict: "fit" });
  });

  it("does not run what its settings of cargo and its toolchain file name", { timeout }, async () => {
    const bed = await createRustBed();
    const trace = `/tmp/mesh-hostile-${process.pid}`;
    const evil = `#!/bin/sh\ntouch ${trace}\nexit 1\n`;
    await bed.commit(
      rustModule("a", {
        "src/main.rs": "fn main() {}\n#[test]\nfn f() {}\n",
        "evil.sh": evil,
        ".cargo/config.toml": `[build]\nrustc-wrapper = "./evil.sh"\n[target.x86_64-unknown-linux-gnu]\nrunner = "./evil.sh"\nlinker = "./evil.sh"\n`,
        "rust-toolchain.toml": `[toolchain]\npath = "/build/module"\n`,
      }),
    );
    expect((await bed.build("a")).verdict).toMatchObject({ verdict: "fit" });
    expect(existsSync(trace)).toBe(false);
  });

  it("does not change what is delivered from its tests", { timeout }, async () => {
    const bed = await createRustBed();
    const test = `#[test]\nfn swaps() {\n    let _ = std::fs::write("/build/target/release/a", "evil");\n    let _ = std::fs::write("/build/artifact/bin/a", "evil");\n}\n`;
    await bed.commit(rustModule("a", { "src/main.rs": `fn main() {\n    println!("good");\n}\n`, "tests/t.rs": test }));
    expect(await bed.runProgram(await bed.buildFit("a"), "a")).toBe("good\n");
  });

  it("does not have a file of this machine delivered by a link where its program is to be", { timeout }, async () => {
    // In the sandbox a folder of this name is another one: cargo goes on in it, and out here the link leads to ours.
    const secret = await createTemporaryFolder();
    await writeFile(join(secret, "a"), "secret");
    const swap = `test -L release || (mkdir -p ${secret} && cp -a release/. ${secret} && rm -rf release && ln -s ${secret} release)`;
    const script = `fn main() {\n    let swapped = std::process::Command::new("/bin/sh").args(["-c", "${swap}"]).current_dir("/build/target").status();\n    assert!(swapped.unwrap().success());\n}\n`;
    const bed = await createRustBed();
    await bed.commit(rustModule("a", { "src/main.rs": "fn main() {}\n", "build.rs": script }));
    expect((await bed.build("a")).verdict).toEqual({
      verdict: "unfit",
      stage: "compile",
      message: expect.stringMatching(/^bin\/a: .* put a link there$/),
    });
  });

  it("that forks without end is stopped, and the next build is clean", { timeout }, async () => {
    const bed = await createRustBed();
    const forks = `fn main() {\n    let mut all = Vec::new();\n    loop {\n        all.push(std::process::Command::new("sleep").arg("5").spawn().unwrap());\n    }\n}\n`;
    await bed.commit({
      ...rustModule("forks", { "src/lib.rs": "", "build.rs": forks }),
      ...rustModule("fine", { "src/lib.rs": "" }),
    });
    const built = await bed.build("forks", { limits: { ...sandboxLimits, processes: 40 } });
    expect(["limit", "compile"]).toContain(
      "class" in built.verdict ? built.verdict.class : "stage" in built.verdict ? built.verdict.stage : "fit",
    );
    await bed.buildFit("fine");
  });

  it("with a path that leads far out is unfit", { timeout }, async () => {
    const bed = await createRustBed();
    const path = `${"../".repeat(30)}etc`;
    await bed.commit(rustModule("a", { "src/lib.rs": "" }, `[dependencies]\nx = { path = "${path}" }\n`));
    expect((await bed.build("a")).verdict).toMatchObject({
      verdict: "unfit",
      stage: "import",
      message: expect.stringMatching(/is no folder beside/),
    });
  });

  it("that takes in a file of this machine is unfit", { timeout }, async () => {
    const bed = await createRustBed();
    await bed.commit(rustModule("a", { "src/lib.rs": `pub const A: &str = include_str!("/etc/hostname");\n` }));
    expect((await bed.build("a")).verdict).toMatchObject({ verdict: "unfit", stage: "compile" });
  });
});
