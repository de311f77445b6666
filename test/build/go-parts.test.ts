import { describe, expect, it } from "vitest";
import { type BuildJob, publicRegistries } from "../../src/build/builders/builder.ts";
import { listGoPackages } from "../../src/build/builders/go-packages.ts";
import { judgeFetch } from "../../src/build/builders/go-third-parties.ts";
import { describeGoFailures } from "../../src/build/builders/go-tests.ts";
import { stripGoComments } from "../../src/build/builders/go-strip.ts";
import { compareGoLines } from "../../src/build/builders/go-versions.ts";
import { compareSemanticVersions } from "../../src/build/builders/semantic-versions.ts";
import { hashGoFiles } from "../../src/build/builders/go-zip.ts";
import { sandboxLimits, type SandboxResult } from "../../src/build/sandbox.ts";

describe("published Go source", () => {
  it.each([
    ["a := 1 // one", "a := 1"],
    ["a := 1 /* one */ + 2", "a := 1   + 2"],
    ["a /* one\ntwo */ b", "a \n b"],
    ["\t// one\n\tb", "\n\tb"],
    [`a := "// no" // yes`, `a := "// no"`],
    ["a := `// no\n/* no */` // yes", "a := `// no\n/* no */`"],
    [`a := '"' // yes`, `a := '"'`],
    [`a := '\\'' // yes`, `a := '\\''`],
    [`a := "\\" // no" // yes`, `a := "\\" // no"`],
    ["//go:embed a", "//go:embed a"],
    ["//go:build linux", "//go:build linux"],
    ["// +build linux", "// +build linux"],
    ["//line a.go:1", "//line a.go:1"],
    ["//export a", "//export a"],
    ["// go:embed a", ""],
    ["//nolint", ""],
    ["a /*line a.go:1*/ b", "a /*line a.go:1*/ b"],
    [`// #include <a>\nimport "C"\n// x`, `// #include <a>\nimport "C"\n// x`],
  ])("%s", (text, expected) => {
    expect(stripGoComments(text)).toBe(expected);
    expect(stripGoComments(text).split("\n")).toHaveLength(text.split("\n").length);
  });
});

describe("versions of Go modules", () => {
  it("are in semantic order", () => {
    const order = [
      "v0.0.0-19800101000000-abc",
      "v0.1.0",
      "v1.0.0-alpha",
      "v1.0.0-alpha.1",
      "v1.0.0-alpha.beta",
      "v1.0.0-beta.2",
      "v1.0.0-beta.11",
      "v1.0.0",
      "v1.2.0",
      "v1.10.0",
      "v2.0.0+incompatible",
    ];
    expect(order.toReversed().toSorted(compareSemanticVersions)).toEqual(order);
    const lines = ["1.16", "1.21rc1", "1.21", "1.21.3", "1.22"];
    expect(lines.toReversed().toSorted(compareGoLines)).toEqual(lines);
  });

  it("have Go's own digest, whatever the order", () => {
    // As `go mod download` has it of a go.mod with this text.
    const mod = { name: "go.mod", bytes: Buffer.from('module "rsc.io/quote"\n\nrequire "rsc.io/sampler" v1.3.0\n') };
    expect(hashGoFiles([mod])).toBe("h1:LzX7hefJvL54yjefDEDHNONDjII0t9xZLPXsUe+TKr0=");
    const more = { name: "a", bytes: Buffer.from("1") };
    expect(hashGoFiles([mod, more])).toBe(hashGoFiles([more, mod]));
  });
});

describe("what go test prints of failures", () => {
  it("names the innermost tests, with their first words", () => {
    const output =
      "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n        a_test.go:3: no\n--- FAIL: TestC (0.00s)\nFAIL\nFAIL\tx.y/z\t0.01s\nFAIL\n";
    expect(describeGoFailures(output)).toBe("2 tests fail:\nTestA/b: a_test.go:3: no\nTestC");
  });
  it("says the package and the panic where no test is named", () => {
    expect(describeGoFailures("panic: boom\n\ngoroutine 1\nFAIL\tx.y/z\t0.01s\nFAIL\n")).toBe(
      "the tests of x.y/z ended with a failure\npanic: boom",
    );
  });

  it("of many are told apart from their groups by one look at each", () => {
    const output = Array.from({ length: 50_000 }, (_, at) => `--- FAIL: T${at}\n    --- FAIL: T${at}/a/b\n`).join("");
    expect(describeGoFailures(output)).toMatch(/^50000 tests fail:\nT0\/a\/b\n/);
  });
});

describe("the packages of a module", () => {
  it("are told from the programs that test them by what they test, not by their name", async () => {
    const listed = [
      { ImportPath: "corp.test", Name: "corp", GoFiles: ["a.go"], TestGoFiles: ["a_test.go"] },
      { ImportPath: "corp.test.test", Name: "main" },
      { ImportPath: "corp.test [corp.test.test]", ForTest: "corp.test", Name: "corp" },
      { ImportPath: "corp.test/in", Name: "in", GoFiles: ["b.go"] },
      { ImportPath: "fmt", Name: "fmt", Standard: true, DepOnly: true },
    ];
    const stdout = listed.map((one) => `${JSON.stringify(one, null, "\t")}\n`).join("");
    const run = async (): Promise<SandboxResult> => ({ kind: "exited", code: 0, stdout, log: "" });
    const job: BuildJob = {
      module: "corp",
      root: "/nowhere",
      dependencies: [],
      cache: "/nowhere",
      registries: publicRegistries,
      sandbox: { promises: [], run },
      limits: sandboxLimits,
      signal: undefined,
      onStep: () => undefined,
      log: () => undefined,
    };
    const toolchain = { program: "/usr/local/go/bin/go", root: "/usr/local/go", version: "1.26.0" };
    const found = await listGoPackages(job, { toolchain, thirdParties: null, standard: "/nowhere" });
    if (found.kind !== "packages") throw new Error(JSON.stringify(found));
    expect(found.own.map((one) => one.ImportPath)).toEqual(["corp.test", "corp.test/in"]);
    expect(found.hasTests).toBe(true);
  });
});

describe("a fetch that fails", () => {
  it.each([
    ["outstanding", "verifying a@v1: checksum mismatch\n\tdownloaded: h1:a=\n\tgo.sum:     h1:b="],
    ["outstanding", "go: b@v1 requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)"],
    ["unfit", "go: errors parsing go.mod:\ngo.mod:3: malformed module path"],
    ["unfit", 'go: malformed module path "-": leading dash'],
    [
      "outstanding",
      'go: a@v1.0.0: Get "https://proxy.test/a/@v/v1.0.0.mod": net/http: HTTP/1.x transport connection broken: malformed HTTP response',
    ],
    [
      "outstanding",
      "go: a@v1.0.0: reading https://proxy.test/a/@v/v1.0.0.zip: 404 Not Found\n\tserver response: not found: a@v1.0.0: invalid version: git ls-remote -q origin: exit status 128",
    ],
    ["outstanding", 'go: a@v1.0.0: Get "https://proxy.test/a/@v/v1.0.0.mod": dial tcp: connection refused'],
  ])("is %s where Go says: %s (R11, case 10)", (verdict, log) => {
    expect(judgeFetch(log, "https://proxy.test/")).toMatchObject({ verdict: { verdict } });
  });
});
