import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Artifact } from "../../src/core/artifact.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import type { BuildDependency } from "../../src/build/build-module.ts";
import { listFiles } from "../../src/build/list-files.ts";
import { findGo } from "../../src/source/imports/go-toolchain.ts";
import { type BuildBed, createBuildBed } from "../support/build-bed.ts";
import { goModule, goOptions } from "../support/go-module.ts";
import { createRustBed, on, rustModule, rustTimeout } from "../support/rust-bed.ts";

/** T is built against A, and A's tests use T: legal, for only build edges must not go round. */
describe("a module whose tests use what is built against it", () => {
  const lib = (more: string): string => `pub struct X(pub u32);\npub fn f(x: &X) -> u32 {\n    x.0\n}\n${more}`;
  const fixtures = rustModule(
    "fixtures",
    { "src/lib.rs": "pub fn fixture() -> a::X {\n    a::X(7)\n}\n" },
    `[dependencies]\na = { path = "../a" }\n`,
  );
  const devDependency = `[dev-dependencies]\nfixtures = { path = "../fixtures" }\n`;
  const rustTest = (n: number): string =>
    `#[test]\nfn takes_it() {\n    assert_eq!(env!("CARGO_PKG_VERSION"), "1.2.3");\n    assert_eq!(a::f(&fixtures::fixture()), ${n});\n}\n`;

  it("Rust: has one crate of its own in them, so types are shared (R5, R11)", { timeout: rustTimeout }, async () => {
    const bed = await createRustBed();
    await bed.commit({ ...rustModule("a", { "src/lib.rs": lib("") }), ...fixtures });
    const first = await bed.buildFit("a");
    const built = on("fixtures", await bed.buildFit("fixtures", { dependencies: [on("a", first)] }), "test");
    await bed.commit(
      rustModule("a", { "src/lib.rs": lib("pub fn g() {}\n"), "tests/a.rs": rustTest(7) }, devDependency),
    );
    const second = await bed.buildFit("a", { dependencies: [built] });
    expect(await listFiles(await bed.unpack(second))).toEqual([
      "mesh.yaml",
      "rust/crate/Cargo.toml",
      "rust/crate/src/lib.rs",
    ]);
    await bed.commit({ "a/tests/a.rs": rustTest(8) });
    expect((await bed.build("a", { dependencies: [built] })).verdict).toMatchObject({
      verdict: "unfit",
      stage: "test",
    });
    await bed.commit({ "a/tests/a.rs": rustTest(7), "a/src/lib.rs": lib("").replace("pub u32", "pub u64") });
    expect((await bed.build("a", { dependencies: [built] })).verdict).toMatchObject({ verdict: "unfit" });
  });

  it("Rust: two of them that were built against different builds of it", { timeout: rustTimeout }, async () => {
    const bed = await createRustBed();
    const other = rustModule(
      "other",
      { "src/lib.rs": "pub fn other() -> a::X {\n    fixtures::fixture()\n}\n" },
      `[dependencies]\na = "*"\nfixtures = "*"\n`,
    );
    const more = rustModule(
      "more",
      { "src/lib.rs": "pub fn more() -> a::X {\n    a::X(1)\n}\n" },
      `[target.'cfg(unix)'.dependencies]\na = "*"\n`,
    );
    await bed.commit({ ...rustModule("a", { "src/lib.rs": lib("") }), ...fixtures, ...other, ...more });
    const first = on("a", await bed.buildFit("a"));
    const built = on("fixtures", await bed.buildFit("fixtures", { dependencies: [first] }));
    const above = on("other", await bed.buildFit("other", { dependencies: [first, built] }), "test");
    await bed.commit({ "a/src/lib.rs": lib("pub fn g() {}\n") });
    const later = on("more", await bed.buildFit("more", { dependencies: [on("a", await bed.buildFit("a"))] }), "test");
    const test = `#[test]\nfn takes_both() {\n    assert_eq!(a::f(&other::other()) + a::f(&more::more()), 8);\n}\n`;
    const dependencies = `[dev-dependencies]\nother = "*"\nmore = "*"\n`;
    await bed.commit(rustModule("a", { "src/lib.rs": lib("pub fn h() {}\n"), "tests/a.rs": test }, dependencies));
    await bed.buildFit("a", { dependencies: [above, later] });
  });

  it.runIf(findGo() !== null)(
    "Go: has one package of its own in them, whichever they carry",
    { timeout: 600_000 },
    async () => {
      const bed = await createBuildBed();
      const build = async (module: string, dependencies: readonly BuildDependency[]) =>
        bed.build(module, await goOptions({ dependencies }));
      const buildFit = async (module: string, dependencies: readonly BuildDependency[]) =>
        bed.buildFit(module, await goOptions({ dependencies }));
      const code = "package a\n\ntype X struct{ N int }\n\nfunc F(x X) int { return x.N }\n";
      const makeFixtures = (name: string, n: number): Record<string, string> =>
        goModule(name, {
          "f.go": `package ${name}\n\nimport "mesh.test/a"\n\nfunc Fixture() a.X { return a.X{N: ${n}} }\n`,
        });
      await bed.origin.commit({
        ...goModule("a", { "a.go": code }),
        ...makeFixtures("one", 1),
        ...makeFixtures("two", 2),
      });
      const first = await buildFit("a", []);
      const one = await buildFit("one", [{ module: "a", kind: "build", artifact: first }]);
      await bed.origin.commit({ "a/a.go": `${code}\nfunc G() {}\n` });
      const second = await buildFit("a", []);
      const two = await buildFit("two", [{ module: "a", kind: "build", artifact: second }]);
      const test = (says: string): string =>
        `package a_test\n\nimport (\n\t"testing"\n\n\t"mesh.test/a"\n\t"mesh.test/one"\n\t"mesh.test/two"\n)\n\nfunc TestIt(t *testing.T) {\n\tif a.F(one.Fixture())+a.F(two.Fixture()) != 3 {\n\t\tt.Fatal("no")\n\t}\n${says}}\n`;
      await bed.origin.commit({ "a/a.go": `${code}\nfunc H() {}\n`, "a/a_test.go": test("\ta.H()\n") });
      const back: BuildDependency[] = [
        { module: "one", kind: "test", artifact: one },
        { module: "two", kind: "test", artifact: two },
      ];
      const third = await buildFit("a", back);
      expect((await listFiles(await unpack(bed, third))).filter((path) => /one|two|a_test/.test(path))).toEqual([]);
      // What it lacks itself is not what they lack: only a commit to it mends that.
      await bed.origin.commit({ "a/a_test.go": test("\ta.Gone()\n") });
      const { verdict, lacks } = await build("a", back);
      expect(verdict).toMatchObject({ verdict: "unfit", stage: "compile", message: expect.stringMatching(/a\.Gone/) });
      expect(lacks).toBeUndefined();
    },
  );
});

async function unpack(bed: BuildBed, artifact: Artifact): Promise<string> {
  const into = join(await createTemporaryFolder(), "unpacked");
  await unpackArtifact({ from: await bed.store.openBlob(artifact.blob), into, digest: artifact.digest });
  return into;
}
