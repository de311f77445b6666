import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Finding } from "../../source/finding.ts";
import { findGo, type GoToolchain } from "../../source/imports/go-toolchain.ts";
import { isWhole } from "../kept-contents.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { describePlatform } from "../own-packages.ts";
import { type Builder, type BuildJob, type BuildOutcome, judgeEnvironment, outstanding, unfit } from "./builder.ts";
import { prepareGoArtifact } from "./go-artifact.ts";
import { type GoPackages, listGoPackages } from "./go-packages.ts";
import { type GoPlan, planGoBuild, writeGoMod } from "./go-plan.ts";
import { publishedFolder, writeProxy } from "./go-published.ts";
import { firstLines, goRoot, type GoRun, makeGoFolders, runGo } from "./go-sandbox.ts";
import { fillStandardCache, linkStandardCache, placeOf } from "./go-standard-cache.ts";
import { dropDamaged } from "./go-standard-damage.ts";
import { sayInTheWay } from "./in-the-way.ts";
import { findLackingInGo } from "./missing-exports.ts";
import { runGoTests } from "./go-tests.ts";
import { fetchGoThirdParties, judgeGoVersion, judgeOlderGo } from "./go-third-parties.ts";

const missing = {
  why: "there is no Go on this machine",
  next: "install it (https://go.dev/dl, or apt-get install golang) and put it on the PATH",
};

/**
 * Gives the module what it is built against as Go modules in a proxy of its own, compiles every package, links every
 * `package main`, runs the tests, and leaves what runs and what others import.
 */
export function createGoBuilder(find: () => GoToolchain | null = findGo): Builder {
  return {
    language: "go",
    version: "3",
    describeToolchain: () => {
      const toolchain = find();
      return toolchain === null
        ? { kind: "absent", ...missing }
        : { kind: "present", text: `go ${toolchain.version}, ${describePlatform()}` };
    },
    keeps: (path) => !path.startsWith("vendor/") && !path.startsWith(`${publishedFolder}/`),
    build: async (job) => {
      const toolchain = find();
      return toolchain === null ? outstanding("toolchain", `${missing.why}: ${missing.next}`) : build(job, toolchain);
    },
  };
}

async function build(job: BuildJob, toolchain: GoToolchain): Promise<BuildOutcome> {
  job.onStep("fetch");
  const plan = await planGoBuild(job, join(job.root, "module"));
  if (plan.kind !== "plan") return plan;
  const older = judgeOlderGo(plan.mod, toolchain);
  if (older !== null) return older;
  const fetched = await fetchGoThirdParties(job, toolchain, plan);
  if (fetched.kind !== "fetched") return fetched;
  await placeGoModules(job, plan);
  const unlinked = await linkStandardCache(job, toolchain);
  if (unlinked !== null) return unlinked;
  const run = { toolchain, thirdParties: fetched.folder, standard: placeOf(job, toolchain) };

  job.onStep("compile");
  const packages = await listGoPackages(job, run);
  if (packages.kind !== "packages") return packages;
  if (packages.own.length === 0) return unfit("compile", "there is no Go package: nothing to compile");
  const compiled =
    (await fillStandardCache(job, toolchain, packages.standard)) ?? (await compile(job, run, plan, packages));
  if (compiled !== null) return compiled;

  job.onStep("test");
  const tested = packages.hasTests ? await runGoTests(job, run, plan.owners) : null;
  if (tested !== null) return tested;

  const prepared = await prepareGoArtifact(job, plan, packages.own);
  if (prepared.kind === "hidden") return unfit("compile", sayInTheWay(prepared.path, prepared.by));
  return {
    kind: "built",
    folder: prepared.folder,
    findings: [...plan.findings, ...(packages.hasTests ? [] : [noTests])],
  };
}

const noTests: Finding = {
  severity: "warning",
  file: ".",
  line: 0,
  message: "there are no tests (*_test.go): fit says only that it compiles",
};

/** The mesh's modules in a proxy, and the go.mod and go.sum that pin them: people's own name no versions of them. */
async function placeGoModules(job: BuildJob, plan: GoPlan): Promise<void> {
  await makeGoFolders(job);
  const sums = await writeProxy(join(job.root, "go", "proxy"), plan.modules);
  await writeFile(join(job.root, "go", "mod", "go.mod"), writeGoMod(plan, plan.modules));
  await writeFile(join(job.root, "go", "mod", "go.sum"), `${[...plan.sums, ...sums].join("\n")}\n`);
  await normaliseModes(job.root);
}

async function compile(
  job: BuildJob,
  run: Omit<GoRun, "step" | "arguments">,
  plan: GoPlan,
  { own }: GoPackages,
): Promise<BuildOutcome | null> {
  const whole = own.every((one) => one.Error === undefined && (one.GoFiles ?? []).length > 0);
  const programs = own.filter((one) => one.Name === "main").map((one) => one.ImportPath);
  const others = own.filter((one) => one.Name !== "main").map((one) => one.ImportPath);
  // `./...` links every program and throws it away. It is for what Go could not load: there it says why.
  const words = whole ? ["build", ...others] : ["build", "-o", "/dev/null", "./..."];
  const all = whole && others.length === 0 ? null : await runGo(job, { ...run, step: "compile", arguments: words });
  const failed = all === null ? null : await judgeCompile(job, run, plan, all);
  if (failed !== null || programs.length === 0) return failed;
  // Without its id a program is a function of the code alone: the id has the comments in it.
  const linking = ["build", "-ldflags=-buildid=", "-o", `${goRoot}/bin/`, ...programs];
  const linked = await runGo(job, { ...run, step: "compile", arguments: linking, links: true });
  const unlinked = await judgeCompile(job, run, plan, linked);
  if (unlinked !== null) return unlinked;
  const made = await readdir(join(job.root, "go", "bin"));
  if (made.length === programs.length) return null;
  return unfit("compile", `two of these programs have the same name: ${programs.join(", ")}`);
}

async function judgeCompile(
  job: BuildJob,
  run: Omit<GoRun, "step" | "arguments">,
  plan: GoPlan,
  result: Awaited<ReturnType<typeof runGo>>,
): Promise<BuildOutcome | null> {
  job.log(result.log);
  const environment = judgeEnvironment("compiling", result);
  if (environment !== null) return environment;
  if (result.kind !== "exited" || result.code === 0) return null;
  // It was right before this step, so it is the disk that is wrong: the next try fetches again.
  if (run.thirdParties !== null && !(await isWhole(run.thirdParties)))
    return outstanding(
      "disk",
      `kept modules are not what they were, and are fetched again: ${firstLines(result.log, 4)}`,
    );
  if (await dropDamaged(run.standard))
    return outstanding(
      "disk",
      `Go's compiled standard library is not what it was, and is compiled again: ${firstLines(result.log, 4)}`,
    );
  const notes = plan.findings.map(({ file, line, message }) => `\n${file}:${line}: ${message}`).join("");
  const version = judgeGoVersion(result.log);
  if (version !== null) return version;
  const lacks = findLackingInGo(result.log, plan.owners);
  return { ...unfit("compile", `${firstLines(result.log, 20)}${notes}`), ...(lacks.length === 0 ? {} : { lacks }) };
}
