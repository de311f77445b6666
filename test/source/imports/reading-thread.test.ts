import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { compareSources, type Comparison, headKey } from "../../../src/source/compare-sources.ts";
import { createMemoryImportCache, type ImportCache } from "../../../src/source/imports/import-cache.ts";
import { createReadingThread, type ReadingThread } from "../../../src/source/imports/reading-thread.ts";
import { openRepository } from "../../../src/source/open-repository.ts";
import type { Repository } from "../../../src/source/repository.ts";
import { typescriptModule } from "../../support/build-bed.ts";
import { bundlePrograms } from "../../support/bundle-programs.ts";
import { createGitRepository } from "../../support/git-repository.ts";

const modules = ["app", "core", "tools"];
const filesEach = 500;

interface Bed {
  readonly repository: Repository;
  readonly commit: string;
  compare(thread: ReadingThread | undefined, cache?: ImportCache): Promise<Comparison>;
}

let bed: Bed;
let program: string;

beforeAll(async () => {
  const entry = fileURLToPath(new URL("../../../src/source/imports/reading-thread-main.ts", import.meta.url));
  [program = ""] = await bundlePrograms([entry]);
  const folder = await mkdtemp(join(tmpdir(), "mesh-test-"));
  const origin = await createGitRepository();
  const files: Record<string, string> = {};
  for (const [at, module] of modules.entries())
    for (let file = 0; file < filesEach; file += 1) {
      const imported = modules[(at + 1) % modules.length];
      files[`${module}/src/f${file}.ts`] =
        file % 100 === 0
          ? `export const late = () => import("@test/${imported}"); // ${module} ${file}\n`
          : `import { a${file} } from "@test/${imported}";\nexport const x = a${file} + ${at};\n`;
    }
  const made = modules.map((module) => typescriptModule(module, { "src/index.ts": `export const ${module} = 1;\n` }));
  const commit = await origin.commit({ ...Object.assign({}, ...made), ...files });
  const repository = await openRepository({ url: origin.dir, dir: join(folder, "clone.git") });
  await repository.fetchCommits([{ branch: "main", commit }]);
  bed = {
    repository,
    commit,
    compare: (thread, cache = createMemoryImportCache()) =>
      compareSources({
        modules: modules.map((module) => ({ module, repository: "code", branch: "main", path: module })),
        repositories: new Map([["code", repository]]),
        heads: new Map([[headKey("code", "main"), commit]]),
        cache,
        thread,
      }),
  };
  return () => Promise.all([origin.remove(), rm(folder, { recursive: true, force: true })]);
}, 60_000);

interface Watched extends ReadingThread {
  readonly files: number;
  readonly failures: unknown[];
}

function watchThread(start: () => Worker): Watched {
  const failures: unknown[] = [];
  const thread = createReadingThread({ start, onFailed: (error) => failures.push(error) });
  onTestFinished(() => thread.close());
  let files = 0;
  return {
    ...thread,
    failures,
    get files() {
      return files;
    },
    read: async (job) => {
      const read = await thread.read(job);
      files += read?.length ?? 0;
      return read;
    },
  };
}

const said = ({ modules: facts, parsedFiles, cachedFiles }: Comparison): unknown => ({
  facts,
  parsedFiles,
  cachedFiles,
});

it("files that another thread reads say what they say here, and the records keep the same of them", async () => {
  const thread = watchThread(() => new Worker(program));
  const [here, beside] = [createMemoryImportCache(), createMemoryImportCache()];
  const expected = await bed.compare(undefined, here);
  expect(said(await bed.compare(thread, beside))).toEqual(said(expected));
  expect(thread.files).toBe(modules.length * (filesEach + 1));
  expect(thread.failures).toEqual([]);
  expect(expected.modules.map(({ edges }) => edges.length)).toEqual([1, 1, 1]);
  const { parsedFiles, cachedFiles } = await bed.compare(thread, beside);
  expect({ parsedFiles, cachedFiles }).toEqual({ parsedFiles: 0, cachedFiles: thread.files });
});

it.each([
  ["cannot begin", `throw new Error("planted")`],
  ["ends in the middle", `require("node:worker_threads").parentPort.once("message", () => process.exit(3))`],
  [
    "reads nothing",
    `const { parentPort } = require("node:worker_threads"); parentPort.on("message", ({ id }) => parentPort.postMessage({ id, imports: null }))`,
  ],
])("a thread that %s keeps no import from being seen", async (_what, code) => {
  const thread = watchThread(() => new Worker(code, { eval: true }));
  expect(said(await bed.compare(thread))).toEqual(said(await bed.compare(undefined)));
  expect(thread.files).toBe(0);
  expect(thread.failures).toHaveLength(code.includes("imports: null") ? 0 : 1);
});

it("an object that the clone does not have is no empty answer", async () => {
  const thread = watchThread(() => new Worker(program));
  thread.prepare();
  const lost = { blob: "ab".repeat(20), path: "src/a.ts" };
  const job = { dir: bed.repository.dir, language: "typescript", files: [lost], limitBytes: 100 } as const;
  expect(await thread.read(job)).toBeNull();
  expect(thread.failures).toEqual([]);
});

it("what the records cannot keep ends the comparison with their error, whoever read it", async () => {
  const cache: ImportCache = {
    read: async () => new Map(),
    write: () => Promise.reject(new Error("planted: no room")),
  };
  const thread = watchThread(() => new Worker(program));
  await expect(bed.compare(thread, cache)).rejects.toThrow("planted: no room");
  await expect(bed.compare(undefined, cache)).rejects.toThrow("planted: no room");
});
