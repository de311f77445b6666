import { constants } from "node:fs";
import { copyFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Name } from "../../core/names.ts";
import { errorCode, whenThere } from "../../core/errors.ts";
import type { Finding } from "../../source/finding.ts";
import { lockFile, packageFile, readPackage, tsconfigFile } from "../../source/imports/package-facts.ts";
import {
  dataFolders,
  isOfNoBuild,
  isTypeScriptSource,
  isTypeScriptTest,
  sourceFolder,
} from "../../source/imports/typescript-source.ts";
import { isTsconfig, readSettings, type Settings } from "../../source/imports/tsconfig.ts";
import { listFiles } from "../list-files.ts";
import { normaliseModes } from "../normalise-modes.ts";
import type { Mount } from "../sandbox.ts";
import { describeNode, findPackage } from "../own-packages.ts";
import { type Builder, type BuildJob, type BuildOutcome, buildRoot, judgeEnvironment, unfit } from "./builder.ts";
import { findLackingInTypeScript } from "./missing-exports.ts";
import { placeBarrier, placeDependencies, placeTypes, readDependencyNames } from "./place-dependencies.ts";
import { prepareArtifact } from "./prepare-artifact.ts";
import { runTests } from "./run-tests.ts";
import { placeThirdParties } from "./third-parties.ts";
import { readNeeds, trimDependencies } from "./trim-dependencies.ts";

const ownConfig = "tsconfig.mesh-build.json";
const compilerRoot = "/toolchain/typescript";

/**
 * Places what the module is built against, compiles `src/` to `dist/` with this product's own compiler, runs the
 * module's tests on what came out, and leaves what the artifact is made of.
 */
export function createTypeScriptBuilder(): Builder {
  return {
    language: "typescript",
    version: "4",
    describeToolchain: () => ({ kind: "present", text: describeNode() }),
    keeps: (path) => !isOfNoBuild(path),
    build,
  };
}

async function build(job: BuildJob): Promise<BuildOutcome> {
  const folder = join(job.root, "module");
  const sources = (await listFiles(folder)).filter(isTypeScriptSource);
  if (sources.length === 0) return unfit("compile", `there is no code under ${sourceFolder}/: nothing to compile`);
  const reading = readPackage((await whenThere(readFile(join(folder, packageFile), "utf8"))) ?? undefined);
  if (reading.kind === "refused") return unfit("compile", `${packageFile}: ${reading.finding.message}`);
  const own = reading.kind === "package" ? reading.value : {};

  job.onStep("fetch");
  const names = await readDependencyNames(job);
  const third = await placeThirdParties(job, folder, own, new Set(names));
  if (third.kind !== "placed") return third;
  await placeDependencies(job, folder, names);
  const types = await placeTypes(job.root);
  await placeBarrier(job.root);

  job.onStep("compile");
  const settings = await readSettingsOf(folder);
  const packages = new Map(
    names.flatMap((name, at) => {
      const dependency = job.dependencies[at];
      return dependency === undefined ? [] : [[name, dependency.module] as const];
    }),
  );
  const compiled = await compile({ job, folder, sources, settings, packages, types });
  if (compiled !== null) return compiled;
  await copyAssets(folder);
  await normaliseModes(join(folder, "dist"));

  job.onStep("test");
  const tests = sources.filter((path) => isTypeScriptTest(path) && !path.endsWith(".d.ts"));
  const tested = await runTests(job, tests.map(outputOf));
  if (tested !== null) return tested;

  const builtAgainst = names.filter((_name, at) => job.dependencies[at]?.kind === "build");
  await trimDependencies(folder, await readNeeds(folder, builtAgainst));
  await prepareArtifact({
    folder,
    lockedText: third.lockText,
    testPackages: names.filter((name) => !builtAgainst.includes(name)),
    remove: [ownConfig, lockFile, tsconfigFile, sourceFolder],
  });
  const findings = [
    ...third.findings,
    ...(tests.length === 0 ? [describeNoTests()] : []),
    ...describeUnsteady(settings),
  ];
  return { kind: "built", folder, findings };
}

async function readSettingsOf(folder: string): Promise<Settings> {
  const facts = new Map<string, string>();
  for (const path of await listFiles(folder))
    if (isTsconfig(path)) facts.set(path, await readFile(join(folder, path), "utf8"));
  return readSettings(facts);
}

/** What the module asks for itself is done, and it is said what that costs. */
function describeUnsteady(settings: Settings): Finding[] {
  const options = [...settings.steady].flatMap(([name, value]) =>
    value === (name !== "removeComments") ? [`"${name}": ${value}`] : [],
  );
  if (options.length === 0) return [];
  const message = `asks for ${options.join(", ")}: a change of comments makes another artifact, and everything behind it is built again`;
  return [{ severity: "warning", file: tsconfigFile, line: 0, message }];
}

function describeNoTests(): Finding {
  return {
    severity: "warning",
    file: sourceFolder,
    line: 0,
    message: "there are no tests (*.test.ts): fit says only that it compiles",
  };
}

interface Compile {
  readonly job: BuildJob;
  readonly folder: string;
  readonly sources: readonly string[];
  readonly settings: Settings;
  readonly packages: ReadonlyMap<string, Name>;
  readonly types: readonly Mount[];
}

async function compile({ job, folder, sources, settings, packages, types }: Compile): Promise<BuildOutcome | null> {
  const dist = join(folder, "dist");
  await mkdir(dist);
  const hasConfig = (await whenThere(stat(join(folder, tsconfigFile)))) !== null;
  await writeFile(join(folder, ownConfig), JSON.stringify(describeConfig(hasConfig, sources, settings)));
  await normaliseModes(job.root);
  const result = await job.sandbox.run({
    // The program itself: the one that the package starts is a Node process around it, as long as the compiling of a small module.
    command: [`${compilerRoot}/lib/tsc`, "--pretty", "false", "-p", `${buildRoot}/module/${ownConfig}`],
    folder: `${buildRoot}/module`,
    mounts: [
      { from: job.root, to: buildRoot, access: "read" },
      { from: dist, to: `${buildRoot}/module/dist`, access: "write" },
      ...types,
      { from: findCompiler(), to: compilerRoot, access: "read" },
    ],
    network: "none",
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep("compile"),
  });
  job.log(result.log);
  const environment = judgeEnvironment("compiling", result);
  if (environment !== null) return environment;
  if (result.kind === "exited" && result.code !== 0) {
    const lacks = findLackingInTypeScript(result.log, packages);
    return { ...unfit("compile", firstLines(result.log, 20)), ...(lacks.length === 0 ? {} : { lacks }) };
  }
  return null;
}

/** The folder of this platform's compiler: the program, and the library's declarations beside it. */
function findCompiler(): string {
  return findPackage(`@typescript/typescript-${process.platform}-${process.arch}`, findPackage("typescript"));
}

/** The module's own settings, with what the build decides put over them. */
function describeConfig(hasConfig: boolean, sources: readonly string[], settings: Settings): object {
  const defaults = { target: "es2023", module: "nodenext", strict: true, types: ["node"], skipLibCheck: true };
  const javascript = sources.some((path) => /\.[mc]?jsx?$/.test(path));
  return {
    ...(hasConfig ? { extends: `./${tsconfigFile}` } : {}),
    compilerOptions: {
      ...(hasConfig ? {} : defaults),
      rootDir: sourceFolder,
      outDir: "dist",
      declarationDir: null,
      outFile: null,
      tsBuildInfoFile: null,
      declaration: true,
      emitDeclarationOnly: false,
      noEmit: false,
      noEmitOnError: true,
      composite: false,
      incremental: false,
      // So that a change of comments alone ends here (R10), unless the module wants its comments.
      ...(settings.steady.has("removeComments") ? {} : { removeComments: true }),
      ...(javascript ? { allowJs: true } : {}),
    },
    include: [sourceFolder],
    exclude: dataFolders.flatMap((name) => [`${sourceFolder}/${name}`, `${sourceFolder}/**/${name}`]),
  };
}

/** `src/a/b.mts` → `dist/a/b.mjs`. */
function outputOf(source: string): string {
  return `dist${source.slice(sourceFolder.length)}`.replace(/\.([mc]?)[tj]sx?$/, ".$1js");
}

/** What lies beside code and is not code (a page, a query, a declaration) belongs beside the compiled code too. */
async function copyAssets(folder: string): Promise<void> {
  for (const path of await listFiles(join(folder, sourceFolder))) {
    const isData = path.split("/").some((segment) => dataFolders.some((name) => name === segment));
    const source = `${sourceFolder}/${path}`;
    if (isData || (isTypeScriptSource(source) && !/\.d\.[mc]?ts$/.test(path))) continue;
    const target = join(folder, "dist", path);
    await mkdir(join(target, ".."), { recursive: true });
    try {
      await copyFile(join(folder, source), target, constants.COPYFILE_EXCL);
    } catch (error) {
      // The compiler wrote it: JSON that is imported, for one.
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

function firstLines(text: string, count: number): string {
  const lines = text.trim().split("\n");
  const more = lines.length > count ? `\n… and ${lines.length - count} lines more` : "";
  return lines.slice(0, count).join("\n") + more;
}
