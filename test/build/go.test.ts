import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { BuildDependency } from "../../src/build/build-module.ts";
import type { Artifact } from "../../src/core/artifact.ts";
import { findGo } from "../../src/source/imports/go-toolchain.ts";
import { listFiles } from "../../src/build/list-files.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import { type BuildBed, type BuildBedOptions, createBuildBed } from "../support/build-bed.ts";
import { goModule, goOptions } from "../support/go-module.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const timeout = 600_000;

async function buildFit(bed: BuildBed, module: string, on: readonly BuildDependency[] = []): Promise<Artifact> {
  return bed.buildFit(module, await goOptions({ dependencies: on }));
}

function edge(module: string, artifact: Artifact, kind: "build" | "test" = "build"): BuildDependency {
  return { module, kind, artifact };
}

async function unpack(bed: BuildBed, artifact: Artifact): Promise<string> {
  const into = join(await createTemporaryFolder(), "unpacked");
  await unpackArtifact({ from: await bed.store.openBlob(artifact.blob), into, digest: artifact.digest });
  return into;
}

async function start(folder: string, program: string): Promise<string> {
  return (await run(join(folder, "bin", program))).stdout;
}

const core = goModule("core", {
  "core.go": `// Package core is one.\npackage core\n\nimport _ "embed"\n\n//go:embed one.txt\nvar One string // it is one\n`,
  "one.txt": "1",
  "core_test.go": `package core\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {\n\tif One != "1" {\n\t\tt.Fatal(One)\n\t}\n}\n`,
  "deep/deep.go": `package deep\n\nfunc Deep() string { return "deep" }\n`,
});
const lib = goModule("lib", {
  "lib.go": `package lib\n\nimport "mesh.test/core"\n\nfunc Two() string { return core.One + core.One }\n`,
});
const app = goModule("app", {
  "main.go": `package main\n\nimport (\n\t"fmt"\n\n\t"mesh.test/lib"\n)\n\nfunc main() { fmt.Println(lib.Two()) }\n`,
});

describe.runIf(findGo() !== null)("a fit Go module", () => {
  it(
    "has its programs, what others import, and its other files; no tests, no documents (R11)",
    { timeout },
    async () => {
      const bed = await createBuildBed();
      await bed.origin.commit({
        ...core,
        "core/README.md": "about",
        "core/.gitignore": "x",
        "core/pages/a.html": "<p>",
        "core/testdata/x": "1",
        "core/vendor/mesh.test/other/x.go": "package nonsense {",
        "core/only_windows.go": "package core\n\nvar Windows = 1\n",
        "core/cmd/tool/main.go": `package main\n\nimport "mesh.test/core"\n\nfunc main() { print(core.One) }\n`,
      });
      const folder = await unpack(bed, await buildFit(bed, "core"));
      expect(await listFiles(folder)).toEqual([
        "bin/tool",
        "go-modules/mesh.test+core/module/core.go",
        "go-modules/mesh.test+core/module/deep/deep.go",
        "go-modules/mesh.test+core/module/go.mod",
        "go-modules/mesh.test+core/module/one.txt",
        "mesh.yaml",
        "one.txt",
        "pages/a.html",
      ]);
      const text = await readFile(join(folder, "go-modules/mesh.test+core/module/core.go"), "utf8");
      expect(text).toBe(`\npackage core\n\nimport _ "embed"\n\n//go:embed one.txt\nvar One string\n`);
    },
  );

  it(
    "is built against exactly the artifacts of its closure, also what lies behind them (R5)",
    { timeout },
    async () => {
      const bed = await createBuildBed();
      await bed.origin.commit({ ...core, ...lib, ...app });
      const built = edge("lib", await buildFit(bed, "lib", [edge("core", await buildFit(bed, "core"))]));
      const folder = await unpack(bed, await buildFit(bed, "app", [built]));
      expect(await start(folder, "app")).toBe("11\n");
      expect(await listFiles(folder)).toEqual(["bin/app", "mesh.yaml"]);
    },
  );

  it("whatever version its go.mod, or another's, asks for", { timeout }, async () => {
    const bed = await createBuildBed();
    const mod = "module mesh.test/app\n\ngo 1.22\n\nrequire (\n\tmesh.test/lib v1.9.0\n\tmesh.test/gone v0.0.0\n)\n";
    await bed.origin.commit({ ...core, ...lib, ...app, "app/go.mod": mod });
    const built = edge("lib", await buildFit(bed, "lib", [edge("core", await buildFit(bed, "core"))]));
    const result = await bed.build("app", await goOptions({ dependencies: [built] }));
    expect(result.verdict.verdict).toBe("fit");
    expect(result.findings.map(({ line, message }) => `${line} ${message}`)).toEqual([
      expect.stringMatching(/^7 requires mesh\.test\/gone v0\.0\.0, which go\.sum does not pin/),
      expect.stringMatching(/no tests/),
    ]);
  });

  it("of a major version above one is published as that", { timeout }, async () => {
    const bed = await createBuildBed();
    const two = goModule("two", {
      "go.mod": "module mesh.test/two/v2\n\ngo 1.22\n",
      "two.go": "package two\n\nconst Two = 2\n",
    });
    const user = goModule("user", {
      "main.go": `package main\n\nimport "mesh.test/two/v2"\n\nfunc main() { print(two.Two) }\n`,
    });
    await bed.origin.commit({ ...two, ...user });
    await buildFit(bed, "user", [edge("two", await buildFit(bed, "two"))]);
  });

  it("does not carry what only its tests import", { timeout }, async () => {
    const bed = await createBuildBed();
    const test = `package lib\n\nimport (\n\t"testing"\n\n\t"mesh.test/core/deep"\n)\n\nfunc TestDeep(t *testing.T) { t.Log(deep.Deep()) }\n`;
    await bed.origin.commit({ ...core, ...goModule("lib", { "lib.go": "package lib\n", "lib_test.go": test }) });
    const artifact = await buildFit(bed, "lib", [edge("core", await buildFit(bed, "core"), "test")]);
    const paths = await listFiles(await unpack(bed, artifact));
    expect(paths.filter((path) => path.includes("mesh.test+core"))).toEqual([]);
  });

  it("the beds' own: a page over HTTP from a library", { timeout }, async () => {
    const bed = await createBuildBed();
    const from = join(import.meta.dirname, "../beds/modules");
    const files: Record<string, string> = {};
    for (const module of ["go-core", "go-page"])
      for (const path of await listFiles(join(from, module)))
        files[`${module}/${path}`] = await readFile(join(from, module, path), "utf8");
    await bed.origin.commit(files);
    const page = await buildFit(bed, "go-page", [edge("go-core", await buildFit(bed, "go-core"))]);
    expect(await listFiles(await unpack(bed, page))).toEqual(["bin/go-page", "mesh.yaml"]);
  });
});

describe.runIf(findGo() !== null)("a diamond of Go modules (R9)", () => {
  it(
    "is built where both arms have the same core, refused where one is behind, and the other arm is named",
    { timeout },
    async () => {
      const bed = await createBuildBed();
      const main = `package main\n\nimport (\n\t"mesh.test/core"\n\t"mesh.test/lib"\n)\n\nfunc main() { print(core.One, lib.Two()) }\n`;
      await bed.origin.commit({ ...core, ...lib, ...goModule("app", { "main.go": main }) });
      const older = await buildFit(bed, "core");
      const olderLib = await buildFit(bed, "lib", [edge("core", older)]);
      await buildFit(bed, "app", [edge("core", older), edge("lib", olderLib)]);
      await bed.origin.commit({ "core/deep/deep.go": `package deep\n\nfunc Deep() string { return "deeper" }\n` });
      const newer = await buildFit(bed, "core");
      const mixed = await bed.build(
        "app",
        await goOptions({ dependencies: [edge("core", newer), edge("lib", olderLib)] }),
      );
      expect(mixed.verdict).toMatchObject({
        verdict: "outstanding",
        class: "dependency",
        message: expect.stringMatching(/^core and lib were built against two versions of mesh\.test\/core/),
      });
      const newerLib = await buildFit(bed, "lib", [edge("core", newer)]);
      // What is behind lib is in it: whoever is built against lib alone is rebuilt too.
      expect(newerLib.digest).not.toBe(olderLib.digest);
      await buildFit(bed, "app", [edge("core", newer), edge("lib", newerLib)]);
    },
  );
});

describe.runIf(findGo() !== null)("the same output of Go (R10)", () => {
  it("from another path, another umask and another order of dependencies", { timeout }, async () => {
    const bed = await createBuildBed();
    const main = `package main\n\nimport (\n\t"mesh.test/core"\n\t"mesh.test/lib"\n)\n\nfunc main() { print(core.One, lib.Two()) }\n`;
    await bed.origin.commit({ ...core, ...lib, ...goModule("app", { "main.go": main }) });
    const built = edge("core", await buildFit(bed, "core"));
    const arm = edge("lib", await buildFit(bed, "lib", [built]));
    const first = await buildFit(bed, "app", [built, arm]);
    const before = process.umask(0o077);
    onTestFinished(() => void process.umask(before));
    expect(await buildFit(bed, "app", [arm, built])).toEqual(first);
    expect(await buildFit(bed, "core")).toEqual(built.artifact);
  });

  it("comes of comments that move no line, documents, tests and go.sum's order (case 8)", { timeout }, async () => {
    const bed = await createBuildBed();
    const program = `package main\n\n// before\nfunc main() { print("x") } // behind\n`;
    await bed.origin.commit({ ...core, "core/cmd/tool/main.go": program });
    const first = await buildFit(bed, "core");
    await bed.origin.commit({
      "core/README.md": "new",
      "core/core.go": (core["core/core.go"] ?? "").replace("it is one", "still one").replace("is one.", "is another."),
      "core/cmd/tool/main.go": program.replace("before", "ahead").replace("behind", "after that"),
      "core/core_test.go": `package core\n\nimport "testing"\n\nfunc TestOther(t *testing.T) {}\n`,
    });
    expect((await buildFit(bed, "core")).digest).toBe(first.digest);
    await bed.origin.commit({ "core/core.go": `\n${core["core/core.go"]}` });
    expect((await buildFit(bed, "core")).digest).not.toBe(first.digest);
  });
});

describe.runIf(findGo() !== null)("an unfit Go module (R11)", () => {
  const verdictOf = async (files: Record<string, string>, options: BuildBedOptions = {}) => {
    const bed = await createBuildBed();
    await bed.origin.commit(files);
    return (await bed.build("core", await goOptions(options))).verdict;
  };

  it("names the file and line that does not compile, also in tests", { timeout }, async () => {
    expect(await verdictOf({ ...core, "core/bad.go": 'package core\n\nvar X int = "1"\n' })).toMatchObject({
      verdict: "unfit",
      stage: "compile",
      message: expect.stringMatching(/bad\.go:3:/),
    });
    expect(await verdictOf({ ...core, "core/bad_test.go": 'package core\n\nvar X int = "1"\n' })).toMatchObject({
      verdict: "unfit",
      stage: "compile",
      message: expect.stringMatching(/bad_test\.go:3:/),
    });
  });

  it("names the tests that fail, and one that dies (case 10)", { timeout }, async () => {
    const failing = `package core\n\nimport "testing"\n\nfunc TestGroup(t *testing.T) {\n\tt.Run("adds up", func(t *testing.T) { t.Error("boom") })\n\tt.Run("is fine", func(t *testing.T) {})\n}\n`;
    expect(await verdictOf({ ...core, "core/more_test.go": failing })).toEqual({
      verdict: "unfit",
      stage: "test",
      message: "1 test fails:\nTestGroup/adds_up: more_test.go:6: boom",
    });
    const dying = `package core\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestExit(t *testing.T) { os.Exit(3) }\n`;
    expect(await verdictOf({ ...core, "core/more_test.go": dying })).toMatchObject({
      stage: "test",
      message: expect.stringMatching(/the tests of mesh\.test\/core ended with a failure/),
    });
  });

  it("has no go.mod, a broken one, or nothing to compile", { timeout }, async () => {
    expect(
      await verdictOf({ "core/mesh.yaml": "module: core\nlanguage: go\n", "core/a.go": "package a\n" }),
    ).toMatchObject({
      message: expect.stringMatching(/no go\.mod/),
    });
    expect(await verdictOf({ ...core, "core/go.mod": "module mesh.test/core\nrequire (\n x\n)\n" })).toMatchObject({
      message: expect.stringMatching(/^go\.mod:3: cannot be read/),
    });
    expect(await verdictOf(goModule("core", {}))).toMatchObject({ message: expect.stringMatching(/no Go package/) });
  });

  it("imports what nobody gives it", { timeout }, async () => {
    expect(await verdictOf({ ...core, "core/bad.go": `package core\n\nimport _ "mesh.test/gone"\n` })).toMatchObject({
      stage: "compile",
      message: expect.stringMatching(/bad\.go:3:\d+: .*mesh\.test\/gone/),
    });
  });

  it("says a lower go than what it is built against", { timeout }, async () => {
    const bed = await createBuildBed();
    await bed.origin.commit({ ...core, ...lib, "lib/go.mod": "module mesh.test/lib\n\ngo 1.21\n" });
    const verdict = (
      await bed.build("lib", await goOptions({ dependencies: [edge("core", await buildFit(bed, "core"))] }))
    ).verdict;
    expect(verdict).toMatchObject({
      stage: "compile",
      message: expect.stringMatching(/^go\.mod:3: says go 1\.21, and mesh\.test\/core/),
    });
  });

  it("two programs of one name, and a program in the way of a file", { timeout }, async () => {
    const main = "package main\n\nfunc main() {}\n";
    expect(await verdictOf({ ...core, "core/a/x/main.go": main, "core/b/x/main.go": main })).toMatchObject({
      message: expect.stringMatching(/same name/),
    });
    expect(await verdictOf({ ...core, "core/x/main.go": main, "core/bin/x": "1" })).toMatchObject({
      message: expect.stringMatching(/^bin\/x is the module's own, and the build puts/),
    });
    for (const [path, place] of [
      ["bin", "bin"],
      ["bin/x/y", "bin/x"],
      ["go-modules", "go-modules"],
    ] as const)
      expect(await verdictOf({ ...core, "core/x/main.go": main, [`core/${path}`]: "1" })).toEqual({
        verdict: "unfit",
        stage: "compile",
        message: expect.stringMatching(new RegExp(`^${place} is the module's own, and the build puts`)),
      });
  });

  it("a newer Go than the machine's is outstanding, not unfit", { timeout }, async () => {
    expect(await verdictOf({ ...core, "core/go.mod": "module mesh.test/core\n\ngo 1.99\n" })).toMatchObject({
      verdict: "outstanding",
      class: "toolchain",
      message: expect.stringMatching(/^go\.mod:3: asks for go 1\.99, and this machine has go /),
    });
  });
});
