import { describe, expect, it } from "vitest";
import {
  findLackingInGo,
  findLackingInPython,
  findLackingInRust,
  findLackingInTypeScript as findLacking,
} from "../../src/build/builders/missing-exports.ts";
import { createBuildBed, typescriptModule } from "../support/build-bed.ts";
import { goModule, goOptions } from "../support/go-module.ts";
import { createPythonBed, pythonCore, pythonModule, unittest } from "../support/python-bed.ts";
import { rustModule, rustTimeout } from "../support/rust-bed.ts";

const packages = new Map([["@test/core", "core"]]);

describe("what a dependency lacks, from the compiler's words", () => {
  it.each([
    `src/main.ts(1,10): error TS2305: Module '"@test/core"' has no exported member 'two'.`,
    `src/main.ts(1,10): error TS2724: '"@test/core"' has no exported member named 'twoo'. Did you mean 'two'?`,
    `src/main.ts(1,10): error TS2614: Module '"@test/core"' has no exported member 'two'. Did you mean to use 'import two from "@test/core"' instead?`,
    `src/main.ts(1,21): error TS2307: Cannot find module '@test/core/names' or its corresponding type declarations.`,
  ])("%s", (line) => {
    expect(findLacking(`${line}\n`, packages)).toEqual(["core"]);
    expect(
      findLacking(`${line}\nsrc/main.ts(2,1): error TS2322: Type 'string' is not assignable.\n`, packages),
    ).toEqual([]);
    expect(findLacking(`${line}\n`.replaceAll("@test/core", "zod"), packages)).toEqual([]);
    expect(findLacking(`${line}\n`.replaceAll("@test/core", "./own"), packages)).toEqual([]);
  });

  it("is what the compiler of this product prints", { timeout: 120_000 }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({
      ...typescriptModule("core", { "src/index.ts": "export const one: number = 1;\n" }),
      ...typescriptModule("app", { "src/main.ts": `import { two } from "@test/core";\nconsole.log(two);\n` }),
    });
    const core = await bed.buildFit("core");
    const built = await bed.build("app", { dependencies: [{ module: "core", kind: "build", artifact: core }] });
    expect(built).toMatchObject({ verdict: { verdict: "unfit", stage: "compile" }, lacks: ["core"] });
  });
});

const owners = new Map([["core", "core"]]);

describe("what a dependency lacks, in the other languages' words", () => {
  const other = {
    go: `./main.go:4:2: cannot use "a" (untyped string constant) as int value in assignment`,
    rust: "error[E0308]: mismatched types",
    python: "app: SyntaxError: invalid syntax (app.py, line 2)",
  };
  it.each([
    "./main.go:3:28: undefined: core.Two",
    "lib/main.go:3:52: t.Method undefined (type core.T has no field or method Method)",
    "./main.go:3:52: t.Method undefined (type *core.T has no field or method Method)",
  ])("Go: %s", (line) => {
    expect(findLackingInGo(`# example.com/app\n${line}\n`, owners)).toEqual(["core"]);
    expect(findLackingInGo(`${line}\n${other.go}\n`, owners)).toEqual([]);
    expect(findLackingInGo(`${line}\n\ttoo many errors\n`, owners)).toEqual([]);
    expect(findLackingInGo(line, new Map())).toEqual([]);
  });

  it("Go: a package that is not there yet, below the longest module's path that fits (R11)", () => {
    const paths = new Map([...owners, ["mesh.test/core", "core"], ["mesh.test/core/deep", "deep"]]);
    const say = (path: string): string =>
      `main.go:6:2: cannot find module providing package ${path}: import lookup disabled by -mod=readonly\n`;
    expect(findLackingInGo(say("mesh.test/core/names"), paths)).toEqual(["core"]);
    expect(findLackingInGo(say("mesh.test/core/deep/er"), paths)).toEqual(["deep"]);
    expect(findLackingInGo(say("mesh.test/core"), paths)).toEqual(["core"]);
    for (const path of ["mesh.test/corex", "mesh.test", "core/names"]) {
      expect(findLackingInGo(say(path), paths), path).toEqual([]);
      expect(findLackingInGo(say("mesh.test/core/names") + say(path), paths), path).toEqual([]);
    }
  });

  it.each([
    "error[E0432]: unresolved import `core::two`",
    "error[E0432]: unresolved imports `core::three`, `core::names::four`",
    "error[E0433]: cannot find `gone` in `core`",
    "error[E0433]: failed to resolve: could not find `gone` in `core`",
    "error[E0425]: cannot find function `five` in crate `core`",
    "error[E0425]: cannot find value `SIX` in module `core::names`",
    "error[E0422]: cannot find struct, variant or union type `U` in crate `core`",
  ])("Rust: %s", (line) => {
    const end = 'error: could not compile `app` (bin "app") due to 1 previous error';
    expect(findLackingInRust(`${line}\n --> src/main.rs:1:5\n${end}\n`, owners)).toEqual(["core"]);
    expect(findLackingInRust(`${line}\n${other.rust}\n${end}\n`, owners)).toEqual([]);
    expect(findLackingInRust(line, new Map())).toEqual([]);
    expect(findLackingInRust("error[E0432]: unresolved imports `core::two`, `own::three`", owners)).toEqual([]);
  });

  it.each([
    "app: ImportError: cannot import name 'two' from 'core' (/build/lib/core/__init__.py)",
    "app.sub: ModuleNotFoundError: No module named 'core.names'",
    "app: AttributeError: module 'core' has no attribute 'two'",
  ])("Python: %s", (line) => {
    expect(findLackingInPython([line, line], owners)).toEqual(["core"]);
    expect(findLackingInPython([line, other.python], owners)).toEqual([]);
    expect(findLackingInPython([line], new Map())).toEqual([]);
  });

  const lacking = { verdict: { verdict: "unfit", stage: "compile" }, lacks: ["core"] };

  it("Go: is what its compiler prints", { timeout: 600_000 }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({
      ...goModule("core", { "core.go": "package core\n\nfunc One() int { return 1 }\n" }),
      ...goModule("app", {
        "main.go": `package main\n\nimport "mesh.test/core"\n\nfunc main() { println(core.Two()) }\n`,
      }),
    });
    const core = await bed.buildFit("core", await goOptions());
    const dependencies = [{ module: "core", kind: "build" as const, artifact: core }];
    expect(await bed.build("app", await goOptions({ dependencies }))).toMatchObject(lacking);
  });

  it(
    "Go: is what it says of a package that is not there yet, in code and in tests (R11)",
    { timeout: 600_000 },
    async () => {
      const bed = await createBuildBed();
      const names = `package app\n\nimport "mesh.test/core/names"\n\nfunc App() string { return names.Full() }\n`;
      await bed.origin.commit({
        ...goModule("core", { "core.go": "package core\n\nfunc One() int { return 1 }\n" }),
        ...goModule("app", { "app.go": names }),
      });
      const artifact = await bed.buildFit("core", await goOptions());
      const build = async (kind: "build" | "test") =>
        bed.build("app", await goOptions({ dependencies: [{ module: "core", kind, artifact }] }));
      expect(await build("build")).toMatchObject(lacking);
      await bed.origin.commit({ "app/app.go": names.replace("package app", "package main") + "\nfunc main() {}\n" });
      expect(await build("build")).toMatchObject(lacking);
      const test = `package app\n\nimport (\n\t"testing"\n\n\t"mesh.test/core/names"\n)\n\nfunc TestFull(t *testing.T) { names.Full() }\n`;
      await bed.origin.commit({ "app/app.go": "package app\n", "app/app_test.go": test });
      expect(await build("test")).toMatchObject(lacking);
    },
  );

  it(
    "Go: is what its compiler prints of tests, where nothing else is wrong with them (R11)",
    { timeout: 600_000 },
    async () => {
      const bed = await createBuildBed();
      const test = `package app\n\nimport (\n\t"testing"\n\n\t"mesh.test/core"\n)\n\nfunc TestTwo(t *testing.T) { core.Two() }\n`;
      await bed.origin.commit({
        ...goModule("core", { "core.go": "package core\n\nfunc One() int { return 1 }\n" }),
        ...goModule("app", { "app.go": "package app\n", "app_test.go": test }),
      });
      const artifact = await bed.buildFit("core", await goOptions());
      const dependencies = [{ module: "core", kind: "test" as const, artifact }];
      const build = async () => bed.build("app", await goOptions({ dependencies }));
      expect(await build()).toMatchObject(lacking);
      // It fails, and says what the compiler would: that is another fault, and core's next version mends nothing of it.
      const says = `package more\n\nimport "testing"\n\nfunc TestSays(t *testing.T) {\n\tprintln("more.go:1:1: undefined: core.Three")\n\tt.Fail()\n}\n`;
      await bed.origin.commit({ "app/more/more_test.go": says });
      const { verdict, lacks } = await build();
      expect(verdict).toMatchObject({ verdict: "unfit", stage: "compile" });
      expect(lacks).toBeUndefined();
      // Nothing but a test that prints all of it.
      const prints = says.replace("core.Three", "core.Three\\nFAIL\\tmesh.test/app [build failed]");
      await bed.origin.commit({ "app/more/more_test.go": prints, "app/app_test.go": "package app\n" });
      const printed = await build();
      expect(printed.verdict).toMatchObject({ verdict: "unfit" });
      expect(printed.lacks).toBeUndefined();
    },
  );

  it("Rust: is what its compiler prints", { timeout: rustTimeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({
      ...rustModule("core", { "src/lib.rs": "pub fn one() -> i32 {\n    1\n}\n" }),
      ...rustModule(
        "app",
        { "src/main.rs": "fn main() {\n    my_core::two();\n}\n" },
        `[dependencies]\nmy-core = { package = "core", version = "*" }\n`,
      ),
    });
    const core = await bed.buildFit("core", { language: "rust" });
    const dependencies = [{ module: "core", kind: "build" as const, artifact: core }];
    expect(await bed.build("app", { language: "rust", dependencies })).toMatchObject(lacking);
  });

  it("Python: is what importing it says", { timeout: 120_000 }, async () => {
    const app = pythonModule("app", { "src/app/__init__.py": "from core import two\n" }, { dependencies: ["core"] });
    const bed = await createPythonBed({ ...pythonCore, ...app });
    const core = await bed.buildFit("core");
    const dependencies = [{ module: "core", kind: "build" as const, artifact: core }];
    expect(await bed.build("app", { dependencies })).toMatchObject(lacking);
  });

  it("Python: is what importing tests says, also where only they need it", { timeout: 240_000 }, async () => {
    const write = (test: string): Record<string, string> =>
      pythonModule("app", { "src/app/__init__.py": "", "tests/test_app.py": test });
    const bed = await createPythonBed({ ...pythonCore, ...write(`from core import two\n${unittest("two()")}`) });
    const core = await bed.buildFit("core");
    const dependencies = [{ module: "core", kind: "test" as const, artifact: core }];
    expect(await bed.build("app", { dependencies })).toMatchObject(lacking);
    // What a test itself runs into is its own failure.
    await bed.origin.commit(write(`import core\n${unittest("core.two()")}`));
    const failed = await bed.build("app", { dependencies });
    expect(failed).toMatchObject({ verdict: { verdict: "unfit", stage: "test" } });
    expect(failed).not.toHaveProperty("lacks");
  });
});
