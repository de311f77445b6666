import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { compareSources, headKey } from "../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

it(
  "edges between Go modules of a repository, by kind, with file and line (R4, case 13)",
  { timeout: 120_000 },
  async () => {
    const origin = await createGitRepository();
    onTestFinished(() => origin.remove());
    const module = (name: string, files: Record<string, string>): Record<string, string> =>
      Object.fromEntries(
        Object.entries({
          "mesh.yaml": `module: ${name}\nlanguage: go\n`,
          "go.mod": `module example.org/${name}\n\ngo 1.22\n`,
          ...files,
        }).map(([path, text]) => [`${name}/${path}`, text]),
      );
    await origin.commit({
      ...module("core", { "core.go": "package core\n", "v.go": `package core\n\nimport "example.org/gone"\n` }),
      ...module("checks", { "checks.go": "package checks\n" }),
      ...module("app", {
        "go.mod": "module example.org/app\n\ngo 1.22\n\nrequire example.org/core v0.0.0\n",
        "main.go": `package main\n\nimport _ "example.org/core/x"\n`,
        "main_test.go": `package main_test\n\nimport "example.org/checks"\n`,
        "testdata/a.go": `package a\n\nimport "example.org/nowhere"\n`,
      }),
    });
    const repository = await openRepository({ url: origin.dir, dir: join(await createTemporaryFolder(), "clone.git") });
    const { modules, parsedFiles } = await compareSources({
      modules: ["core", "checks", "app"].map((name) => ({
        module: name,
        repository: "code",
        branch: "main",
        path: name,
      })),
      repositories: new Map([["code", repository]]),
      heads: new Map([[headKey("code", "main"), (await repository.lookAtHeads(["main"])).get("main") ?? null]]),
      cache: createMemoryImportCache(),
    });
    expect(parsedFiles).toBe(5);
    const [core, , app] = modules;
    expect(app?.edges).toEqual([
      { dependency: "checks", kind: "test", file: "main_test.go", line: 3 },
      { dependency: "core", kind: "build", file: "main.go", line: 3 },
    ]);
    expect(app?.problem).toBeNull();
    expect(app?.findings).toEqual([
      {
        severity: "warning",
        file: "main_test.go",
        line: 3,
        message: expect.stringMatching(/does not require example\.org\/checks/),
      },
    ]);
    expect(core?.problem).toEqual({
      stage: "import",
      message: "v.go:3: imports example.org/gone, which no module publishes and go.mod does not require",
    });
  },
);
