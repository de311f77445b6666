import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll } from "vitest";
import type { BuildDependency } from "../../src/build/build-module.ts";
import type { Artifact } from "../../src/core/artifact.ts";
import { unpackArtifact } from "../../src/link/artifact/unpack.ts";
import { type BuildBed, type BuildBedOptions, createBuildBed } from "./build-bed.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

export const pythonBackends = {
  flit: 'requires = ["flit_core>=3.9"]\nbuild-backend = "flit_core.buildapi"',
  hatchling: 'requires = ["hatchling"]\nbuild-backend = "hatchling.build"',
};

interface PythonProject {
  readonly dependencies?: readonly string[];
  readonly more?: string;
  readonly backend?: string;
}

export function pythonModule(
  module: string,
  files: Record<string, string>,
  project: PythonProject = {},
): Record<string, string> {
  const { dependencies = [], more = "", backend = pythonBackends.flit } = project;
  const lists = `dependencies = ${JSON.stringify(dependencies)}`;
  const head = `[project]\nname = "${module}"\nversion = "1.0"\ndescription = "x"\n${lists}`;
  const all: Record<string, string> = {
    "mesh.yaml": `module: ${module}\nlanguage: python\n`,
    "pyproject.toml": `${head}\n${more}\n[build-system]\n${backend}\n`,
    ...files,
  };
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${module}/${path}`, text]));
}

export const unittest = (line: string): string =>
  `import unittest\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        ${line}\n`;
export const pythonCore = pythonModule("core", {
  "src/core/__init__.py": '"""Core."""\n\ndef one() -> int:\n    return 1\n',
  "src/core/py.typed": "",
  "tests/test_core.py": `import core\n${unittest("self.assertEqual(core.one(), 1)")}`,
});

/** Backends are fetched once for this file: what a fetch answers has tests of its own. */
const cache = mkdtempSync(join(tmpdir(), "mesh-python-cache-"));
afterAll(() => rm(cache, { recursive: true, force: true }));

export async function createPythonBed(files: Record<string, string>): Promise<BuildBed> {
  const bed = await createBuildBed();
  await bed.origin.commit(files);
  const work = join(await createTemporaryFolder(), "work");
  const python = { language: "python" as const, folders: { work, cache } };
  return {
    ...bed,
    build: (module, options: BuildBedOptions = {}) => bed.build(module, { ...python, ...options }),
    buildFit: (module, options: BuildBedOptions = {}) => bed.buildFit(module, { ...python, ...options }),
  };
}

export async function unpackBuilt(bed: BuildBed, artifact: Artifact): Promise<string> {
  const into = join(await createTemporaryFolder(), "unpacked");
  await unpackArtifact({ from: await bed.store.openBlob(artifact.blob), into, digest: artifact.digest });
  return into;
}

export async function listPaths(folder: string): Promise<string[]> {
  const { stdout } = await run("find", [".", "-type", "f"], { cwd: folder });
  const paths = stdout
    .trim()
    .split("\n")
    .map((path) => path.slice(2).replace(/\+sha\.[0-9a-f]{12}/, "+sha.X"));
  return paths.toSorted();
}

export const dependOn = (module: string, artifact: Artifact, kind: "build" | "test" = "build"): BuildDependency => ({
  module,
  kind,
  artifact,
});
