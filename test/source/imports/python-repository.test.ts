import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { compareSources, headKey } from "../../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../../src/source/imports/import-cache.ts";
import { openRepository } from "../../../src/source/open-repository.ts";
import type { SourceFacts } from "../../../src/source/source-facts.ts";
import { createGitRepository } from "../../support/git-repository.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

async function compare(modules: Record<string, Record<string, string>>): Promise<Record<string, SourceFacts>> {
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const files = Object.entries(modules).flatMap(([module, texts]) => [
    [`${module}/mesh.yaml`, `module: ${module}\nlanguage: python\n`] as const,
    [`${module}/pyproject.toml`, `[project]\nname = "acme-${module}"\n`] as const,
    ...Object.entries(texts).map(([path, text]) => [`${module}/${path}`, text] as const),
  ]);
  await origin.commit(Object.fromEntries(files));
  const repository = await openRepository({ url: origin.dir, dir: join(await createTemporaryFolder(), "clone.git") });
  const head = (await repository.lookAtHeads(["main"])).get("main") ?? null;
  const compared = await compareSources({
    modules: Object.keys(modules).map((module) => ({ module, repository: "code", branch: "main", path: module })),
    repositories: new Map([["code", repository]]),
    heads: new Map([[headKey("code", "main"), head]]),
    cache: createMemoryImportCache(),
  });
  return Object.fromEntries(compared.modules.map((one) => [one.module, one]));
}

it("build and test edges have their first file and line, whoever lists what (R4, case 13)", async () => {
  const facts = await compare({
    core: { "src/core/__init__.py": "", "src/core/names.py": "x = 1\n" },
    kit: { "src/kit/__init__.py": "" },
    page: {
      "src/page/__init__.py": "",
      "src/page/main.py": "import os\n\nfrom core.names import x\n",
      "tests/test_main.py": "import core\nimport kit\n",
    },
  });
  expect(facts["page"]?.problem).toBeNull();
  expect(facts["page"]?.edges).toEqual([
    { dependency: "core", kind: "build", file: "src/page/main.py", line: 3 },
    { dependency: "kit", kind: "test", file: "tests/test_main.py", line: 2 },
  ]);
  expect(facts["page"]?.findings.map(({ message }) => message)).toContainEqual(
    "imports core of module core, and dependencies in pyproject.toml do not list acme-core",
  );
});

it("a namespace that two modules share is refused in both (case 13)", async () => {
  const facts = await compare({
    one: { "src/acme/one/__init__.py": "" },
    two: { "src/acme/two/__init__.py": "" },
  });
  expect(facts["one"]?.problem?.message).toMatch(/publishes acme, and so does module two/);
  expect(facts["two"]?.problem?.message).toMatch(/publishes acme, and so does module one/);
});

it("what imports nothing known, or cannot be read, keeps its module from being built, with file and line", async () => {
  const facts = await compare({
    page: { "src/page/__init__.py": "\nimport gone\n" },
    torn: { "src/torn/__init__.py": "def f(:\n" },
  });
  expect(facts["page"]?.problem?.message).toMatch(
    /^src\/page\/__init__\.py:2: imports gone, which no module publishes/,
  );
  expect(facts["torn"]?.problem?.message).toMatch(/^src\/torn\/__init__\.py:1: cannot be read/);
});
