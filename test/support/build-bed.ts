import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type ArtifactStore, openArtifactStore } from "../../src/build/artifact-store.ts";
import {
  type BuildDependency,
  type BuildFolders,
  type BuildModule,
  buildModule,
  type BuiltModule,
} from "../../src/build/build-module.ts";
import type { Registries } from "../../src/build/builders/builder.ts";
import { listFiles } from "../../src/build/list-files.ts";
import { openSandbox } from "../../src/build/open-sandbox.ts";
import type { Sandbox, SandboxLimits } from "../../src/build/sandbox.ts";
import { describeBuilder, describeToolchain } from "../../src/build/toolchain.ts";
import type { Artifact } from "../../src/core/artifact.ts";
import type { Language } from "../../src/core/manifest.ts";
import { readClosureSourceOf } from "../../src/source/closure-source.ts";
import { createImportReaders } from "../../src/source/compare-sources.ts";
import { openRepository } from "../../src/source/open-repository.ts";
import type { Repository } from "../../src/source/repository.ts";
import { readTree } from "../../src/source/read-tree.ts";
import { createGitRepository, type GitRepository } from "./git-repository.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** A real repository, a real artifact store and the real sandbox, in folders of this test's own. */
export interface BuildBed {
  readonly origin: GitRepository;
  readonly store: ArtifactStore;
  /** Builds the folder `module` of the repository at its newest commit. */
  build(module: string, options?: BuildBedOptions): Promise<BuiltModule>;
  /** Names of everything in the artifact store, and of what is left in the folder of builds. */
  listStore(): Promise<readonly string[]>;
  /** The same, and it must be fit. */
  buildFit(module: string, options?: BuildBedOptions): Promise<Artifact>;
}

export interface BuildBedOptions {
  /** TypeScript where it is left out. */
  readonly language?: Language;
  readonly dependencies?: readonly BuildDependency[];
  readonly limits?: SandboxLimits;
  readonly sandbox?: Sandbox;
  readonly registries?: Partial<Registries>;
  /** Instead of this machine's, in the closure. */
  readonly toolchain?: string;
  /** Builds from a new clone of this address instead. */
  readonly repositoryUrl?: string;
  readonly signal?: AbortSignal;
  readonly store?: ArtifactStore;
  readonly folders?: BuildFolders;
  readonly onProgress?: (step: string) => void;
  readonly onLog?: (text: string) => void;
  /** Told what the build is given, to build the same again. */
  readonly onOptions?: (options: BuildModule) => void;
}

let shared: Promise<Sandbox> | null = null;

export async function createBuildBed(): Promise<BuildBed> {
  const folder = await createTemporaryFolder();
  const origin = await createGitRepository();
  onTestFinished(() => origin.remove());
  const store = await openArtifactStore(join(folder, "artifacts"));
  const build = async (module: string, options: BuildBedOptions = {}): Promise<BuiltModule> => {
    const commit = await origin.git("rev-parse", "HEAD");
    const repository = await openRepository({ url: origin.dir, dir: join(folder, "clone.git") });
    await repository.fetchCommits([{ branch: "main", commit }]);
    const reading = await readTree({ repository, commit, path: module, without: [] });
    if (reading.kind !== "tree") throw new Error(reading.why);
    const language = options.language ?? "typescript";
    const reader = createImportReaders().get(language);
    const { tree, thirdParties } = await readClosureSourceOf(repository, { commit, path: module }, reading, reader);
    const dependencies = options.dependencies ?? [];
    const openElsewhere = async (url: string | undefined): Promise<Repository> =>
      url === undefined ? repository : openRepository({ url, dir: join(folder, "other.git") });
    const whole: BuildModule = {
      closure: {
        module,
        language,
        tree,
        dependencies: Object.fromEntries(dependencies.map((one) => [one.module, one.artifact.digest])),
        toolchain: options.toolchain ?? describeToolchain(language),
        builder: describeBuilder(language),
        thirdParties,
        settings: {},
      },
      source: {
        repository: await openElsewhere(options.repositoryUrl),
        branch: "main",
        commit,
        path: module,
        without: [],
      },
      store,
      sandbox: await (shared ??= openSandbox()),
      folders: { work: join(folder, "work"), cache: join(folder, "cache") },
      ...options,
      dependencies,
    };
    options.onOptions?.(whole);
    return buildModule(whole);
  };
  return {
    origin,
    store,
    build,
    listStore: async () => (await listFiles(join(folder, "artifacts"))).concat(await readdir(join(folder, "work"))),
    buildFit: async (module, options) => {
      const built = await build(module, options);
      if (built.artifact === null)
        throw new Error(`${module} is not fit: ${JSON.stringify(built.verdict)}\n${built.logTail}`);
      return built.artifact;
    },
  };
}

const tsconfig = {
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    types: ["node"],
    strict: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    removeComments: true,
  },
  include: ["src"],
};

/** The files of a small TypeScript module that publishes `@test/<module>`; more, or others, on top. */
export function typescriptModule(module: string, files: Record<string, string>): Record<string, string> {
  const all: Record<string, string> = {
    "mesh.yaml": `module: ${module}\nlanguage: typescript\n`,
    "package.json": JSON.stringify({
      name: `@test/${module}`,
      version: "1.0.0",
      type: "module",
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    }),
    "tsconfig.json": JSON.stringify(tsconfig),
    ...files,
  };
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${module}/${path}`, text]));
}
