import { describe, expect, it } from "vitest";
import { listFiles } from "../../src/build/list-files.ts";
import { createCrateRegistry, lockEntry } from "../support/crate-registry.ts";
import { createRustBed, on, rustModule, rustTimeout as timeout } from "../support/rust-bed.ts";

const value = (n: number): string => `pub fn value() -> u32 {\n    ${n}\n}\n`;
const baseOf = (n: number) => rustModule("base", { "src/lib.rs": value(n) });
const over = (name: string) =>
  rustModule(
    name,
    { "src/lib.rs": "pub fn value() -> u32 {\n    base::value() * 10\n}\n" },
    `[dependencies]\nbase = { path = "../base" }\n`,
  );
const top = rustModule(
  "top",
  { "src/main.rs": `fn main() {\n    println!("{}", left::value() + right::value());\n}\n` },
  `[dependencies]\nleft = "*"\nright = "*"\n`,
);

describe("modules over modules", () => {
  it(
    "reach their dependents with what they were built against, once where both arms have it",
    { timeout },
    async () => {
      const bed = await createRustBed();
      await bed.commit({ ...baseOf(2), ...over("left"), ...over("right"), ...top });
      const base = on("base", await bed.buildFit("base"));
      const left = await bed.buildFit("left", { dependencies: [base] });
      expect((await listFiles(await bed.unpack(left))).map((path) => path.replace(/sha\.[0-9a-f]{12}/, "sha"))).toEqual(
        [
          "mesh.yaml",
          "rust/crate/Cargo.toml",
          "rust/crate/src/lib.rs",
          "rust/crates/base-0.0.0-sha/Cargo.toml",
          "rust/crates/base-0.0.0-sha/src/lib.rs",
        ],
      );
      const right = await bed.buildFit("right", { dependencies: [base] });
      const both = [on("left", left), on("right", right)];
      expect(await bed.runProgram(await bed.buildFit("top", { dependencies: both }), "top")).toBe("40\n");
    },
  );

  it("are never mixed: two versions below are outstanding until both arms have one", { timeout }, async () => {
    const bed = await createRustBed();
    await bed.commit({ ...baseOf(2), ...over("left"), ...over("right"), ...top });
    const left = on("left", await bed.buildFit("left", { dependencies: [on("base", await bed.buildFit("base"))] }));
    await bed.commit(baseOf(3));
    const right = on("right", await bed.buildFit("right", { dependencies: [on("base", await bed.buildFit("base"))] }));
    const mixed = await bed.build("top", { dependencies: [left, right] });
    expect(mixed.verdict).toEqual({
      verdict: "outstanding",
      class: "dependency",
      message: expect.stringMatching(
        /^what left was built against has base 0\.0\.0-sha\.\w+, and what right was .* never mixes two/,
      ),
    });
  });
});

describe("third parties", () => {
  const stranger = { name: "stranger", version: "1.4.0", files: { "src/lib.rs": value(7) } };
  const user = rustModule(
    "user",
    {
      "src/lib.rs":
        "pub fn value() -> u32 {\n    stranger::value()\n}\n#[test]\nfn is_seven() {\n    assert_eq!(value(), 7);\n}\n",
    },
    `[dependencies]\nstranger = "1"\n`,
  );
  const head = "version = 4\n";

  it("come from the registry by the lock file's digest, once, and go on to dependents", { timeout }, async () => {
    const bed = await createRustBed();
    const registry = await createCrateRegistry([stranger]);
    const registries = { crates: registry.url };
    const app = rustModule(
      "app",
      { "src/main.rs": `fn main() {\n    println!("{}", user::value());\n}\n` },
      `[dependencies]\nuser = "*"\n`,
    );
    await bed.commit({ ...user, "user/Cargo.lock": `${head}${registry.lockEntry("stranger")}`, ...app });
    const artifact = await bed.buildFit("user", { registries });
    expect(registry.asked).toEqual(["/index/config.json", "/crates/stranger/1.4.0/download"]);
    expect(await listFiles(await bed.unpack(artifact))).toContain("rust/Cargo.lock");
    // Off: what was fetched before is here, and checked again.
    registry.failWith(503);
    const built = await bed.buildFit("app", { dependencies: [on("user", artifact)], registries });
    expect(await bed.runProgram(built, "app")).toBe("7\n");
    expect(registry.asked).toHaveLength(2);
  });

  it(
    "of a library that needs a later one than is locked are the library's, and that is said (R5, R11)",
    { timeout },
    async () => {
      const bed = await createRustBed();
      const between = {
        name: "between",
        version: "1.0.0",
        files: {
          "Cargo.toml": `[package]\nname = "between"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\nstranger = "1"\n`,
          "src/lib.rs": "pub fn value() -> u32 {\n    stranger::value()\n}\n",
        },
      };
      const registry = await createCrateRegistry([
        { ...stranger, version: "1.0.100" },
        { ...stranger, version: "1.0.200", files: { "src/lib.rs": value(8) } },
        between,
      ]);
      const registries = { crates: registry.url };
      const app = rustModule(
        "app",
        {
          "src/main.rs": `fn main() {\n    println!("{} {} {}", user::value(), between::value(), stranger::value());\n}\n`,
        },
        `[dependencies]\nuser = "*"\nbetween = "1"\nstranger = "1"\n`,
      );
      const own = `\n[[package]]\nname = "app"\nversion = "1.2.3"\ndependencies = ["between", "stranger"]\n`;
      const locked = (version: string): string => `${head}${registry.lockEntry("stranger", { version })}`;
      const needs = (version: string): Record<string, string> => ({
        "user/Cargo.toml": (user["user/Cargo.toml"] ?? "").replace('stranger = "1"', `stranger = "${version}"`),
        "user/src/lib.rs": "pub fn value() -> u32 {\n    stranger::value()\n}\n",
        "user/Cargo.lock": locked("1.0.200"),
      });
      const using = registry.lockEntry("between", { dependencies: ["stranger"] });
      await bed.commit({
        ...user,
        ...needs("1.0.200"),
        ...app,
        "app/Cargo.lock": `${locked("1.0.100")}${using}${own}`,
      });
      const strict = await bed.buildFit("user", { registries });
      const raised = await bed.build("app", { dependencies: [on("user", strict)], registries });
      expect(raised.verdict).toMatchObject({ verdict: "fit" });
      expect(await bed.runProgram(raised.artifact ?? strict, "app")).toBe("8 8 8\n");
      expect(raised.findings.map(({ message }) => message)).toContainEqual(
        expect.stringContaining("stranger 1.0.100, and 1.0.200 was taken"),
      );
      // What it is built against was built with a later one, and does not need it: the lock holds.
      await bed.commit(needs("1"));
      const easy = await bed.buildFit("user", { registries });
      const held = await bed.build("app", { dependencies: [on("user", easy)], registries });
      expect(held.verdict).toMatchObject({ verdict: "fit" });
      expect(await bed.runProgram(held.artifact ?? easy, "app")).toBe("7 7 7\n");
      expect(held.findings.map(({ file }) => file)).not.toContain("Cargo.lock");
    },
  );

  it("of a registry that does not answer are outstanding, and fit when it does (R11)", { timeout }, async () => {
    const bed = await createRustBed();
    const registry = await createCrateRegistry([stranger]);
    await bed.commit({ ...user, "user/Cargo.lock": `${head}${registry.lockEntry("stranger")}` });
    registry.failWith(503);
    const registries = { crates: registry.url };
    expect((await bed.build("user", { registries })).verdict).toEqual({
      verdict: "outstanding",
      class: "registry",
      message: expect.stringMatching(/config\.json answered 503$/),
    });
    expect((await bed.build("user", { registries: { crates: "http://127.0.0.1:1/" } })).verdict).toMatchObject({
      class: "registry",
    });
    registry.failWith(null);
    await bed.buildFit("user", { registries });
  });

  it(
    "with another digest are nobody's fault that can be told: both are named, and where (R11)",
    { timeout },
    async () => {
      const bed = await createRustBed();
      const registry = await createCrateRegistry([stranger]);
      const [, real = ""] = /checksum = "(\w+)"/.exec(registry.lockEntry("stranger")) ?? [];
      const checksum = "0".repeat(64);
      await bed.commit({ ...user, "user/Cargo.lock": `${head}${registry.lockEntry("stranger", { checksum })}` });
      const { verdict } = await bed.build("user", { registries: { crates: registry.url } });
      expect(verdict).toMatchObject({ verdict: "outstanding", class: "registry" });
      for (const named of [checksum, real, "stranger", "http://"])
        expect(verdict).toMatchObject({ message: expect.stringContaining(named) });
    },
  );

  it.each([
    ["a link in it", { ...stranger, links: { "src/x.rs": "/etc/passwd" } }, {}, /x\.rs is neither a file nor a folder/],
  ])("with %s are unfit (case 53)", { timeout }, async (_, crate, options, message) => {
    const bed = await createRustBed();
    const registry = await createCrateRegistry([crate]);
    await bed.commit({ ...user, "user/Cargo.lock": `${head}${registry.lockEntry("stranger", options)}` });
    const { verdict } = await bed.build("user", { registries: { crates: registry.url } });
    expect(verdict).toEqual({ verdict: "unfit", stage: "compile", message: expect.stringMatching(message) });
  });

  it("that are real come from crates.io", { timeout }, async () => {
    const bed = await createRustBed();
    const real = rustModule(
      "real",
      { "src/main.rs": `fn main() {\n    println!("{}", itoa::Buffer::new().format(42));\n}\n` },
      `[dependencies]\nitoa = "1"\n`,
    );
    const checksum = "4a5f13b858c8d314ee3e8f639011f7ccefe71f97f96e50151fb991f267928e2c";
    await bed.commit({ ...real, "real/Cargo.lock": `version = 4\n${lockEntry("itoa", "1.0.15", checksum)}` });
    expect(await bed.runProgram(await bed.buildFit("real"), "real")).toBe("42\n");
  });

  it("with a module's name are not taken in its place", { timeout }, async () => {
    const bed = await createRustBed();
    const registry = await createCrateRegistry([
      { name: "base", version: "9.0.0", files: { "src/lib.rs": value(666) } },
    ]);
    const app = rustModule(
      "app",
      { "src/main.rs": `fn main() {\n    println!("{}", base::value());\n}\n` },
      `[dependencies]\nbase = "*"\n`,
    );
    await bed.commit({ ...baseOf(2), ...app, "app/Cargo.lock": `${head}${registry.lockEntry("base")}` });
    const dependencies = [on("base", await bed.buildFit("base"))];
    const artifact = await bed.buildFit("app", { dependencies, registries: { crates: registry.url } });
    expect(await bed.runProgram(artifact, "app")).toBe("2\n");
  });
});
