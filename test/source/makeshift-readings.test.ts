import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { compareSources, headKey } from "../../src/source/compare-sources.ts";
import { createMemoryImportCache } from "../../src/source/imports/import-cache.ts";
import { createPythonReader } from "../../src/source/imports/python.ts";
import { findPython, type PythonInterpreter } from "../../src/source/imports/python-interpreter.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import { createGitRepository } from "../support/git-repository.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const found = findPython();

it.runIf(found !== null)(
  "what only the grammar read, because the interpreter failed for a moment, is read anew by the next comparison (R4)",
  async () => {
    if (found === null) return;
    const origin = await createGitRepository();
    onTestFinished(() => origin.remove());
    const commit = await origin.commit({
      "app/mesh.yaml": "module: app\nlanguage: python\n",
      "app/pyproject.toml": '[project]\nname = "app"\nversion = "1.0"\n',
      "app/src/app/__init__.py": "import os\n",
    });
    const repository = await openRepository({ url: origin.dir, dir: join(await createTemporaryFolder(), "clone.git") });
    const cache = createMemoryImportCache();
    const compare = async (interpreter: PythonInterpreter) => {
      const { modules, parsedFiles } = await compareSources({
        modules: [{ module: "app", repository: "code", branch: "main", path: "app" }],
        repositories: new Map([["code", repository]]),
        heads: new Map([[headKey("code", "main"), commit]]),
        readers: new Map([["python", createPythonReader({ interpreter })]]),
        cache,
      });
      return { parsedFiles, findings: (modules[0]?.findings ?? []).map(({ message }) => message) };
    };
    const short = await compare({ ...found, executable: "/nowhere/python3" });
    expect(short).toMatchObject({ parsedFiles: 1, findings: [expect.stringMatching(/read by the grammar, because/)] });
    expect(await compare(found)).toEqual({ parsedFiles: 1, findings: [] });
    expect((await compare(found)).parsedFiles).toBe(0);
  },
);
