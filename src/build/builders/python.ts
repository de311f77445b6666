import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { describeFinding, type Finding } from "../../source/finding.ts";
import { pyprojectFile, type Pyproject, readPyproject } from "../../source/imports/python-facts.ts";
import {
  describeLocked,
  type LockedDistribution,
  pythonLockFiles,
  readPythonLock,
} from "../../source/imports/python-lock.ts";
import { type PythonLayout, readPythonLayout } from "../../source/imports/python-source.ts";
import { listFiles } from "../list-files.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { type Builder, type BuildJob, type BuildOutcome, type Judged, outstanding, unfit } from "./builder.ts";
import { type Backend, chooseBackend } from "./python-backends.ts";
import { assembleWheel, type Carried, type Distribution, gatherCarried, writeRequirement } from "./python-carried.ts";
import { fetchWheels, installWheels, placeBackend } from "./python-fetch.ts";
import { describeRefusedScript, placeArtifact, settleLib } from "./python-lib.ts";
import { makeOwnWheel, type OwnWheel } from "./python-own-wheel.ts";
import { describeWheels, type EnvironmentPlan, planEnvironment } from "./python-plan.ts";
import { importAll, runPythonTests } from "./python-tests.ts";
import { readRecordPaths } from "./python-wheel.ts";
import { describePythonToolchain, findPythonToolchain, type PythonToolchain } from "./python-toolchain.ts";

/**
 * Makes a wheel by the module's own backend, installs it with exactly what the closure names, imports all of it, runs
 * the module's tests on it, and leaves what runs.
 */
export function createPythonBuilder(): Builder {
  return {
    language: "python",
    version: "3",
    describeToolchain: describePythonToolchain,
    keeps: (path) => !/^(dist|build|venv|\.venv)\/|(^|\/)__pycache__\/|\.py[co]$/.test(path),
    build,
  };
}

interface Project {
  readonly kind: "project";
  readonly project: Pyproject;
  readonly backend: Backend;
  readonly layout: PythonLayout;
  readonly locked: readonly LockedDistribution[];
}

async function build(job: BuildJob): Promise<BuildOutcome> {
  const found = findPythonToolchain();
  if (found.kind === "absent") return outstanding("toolchain", `${found.why}: ${found.next}`);
  const { toolchain } = found;
  const read = await readProject(join(job.root, "module"));
  if (read.kind !== "project") return read;

  job.onStep("fetch");
  const backend = await placeBackend(job, toolchain, read.backend);
  if (backend.kind !== "placed") return backend;
  const lines = read.locked.map(describeLocked);
  const fetched = lines.length === 0 ? null : await fetchWheels(job, toolchain, "locked packages", lines);
  if (fetched?.kind === "judged") return fetched;

  job.onStep("compile");
  const own = await makeOwnWheel(job, toolchain, { ...read.backend, folder: backend.folder }, read.layout);
  if (own.kind !== "made") return own;
  for (const [name, target] of own.scripts) {
    const refused = describeRefusedScript(name, target);
    if (refused !== null) return unfit("compile", `${pyprojectFile}: ${refused}`);
  }
  const plan = await planFor(job, toolchain, read, own, fetched?.wheels ?? null);
  if (plan.kind !== "planned") return plan;
  const installed = await install(job, toolchain, own, plan, fetched?.wheels ?? null);
  if ("kind" in installed) return installed;
  const paths = own.files.map(({ path }) => path).filter((path) => !path.includes(".dist-info/"));
  const built = plan.carried.filter(({ use }) => use === "build");
  const imported = await importAll(job, toolchain, paths, nameOwners(job, built));
  if (imported !== null) return imported;

  job.onStep("test");
  const runner = read.locked.some(({ name }) => name === "pytest") ? "pytest" : "unittest";
  const owners = nameOwners(job, plan.carried);
  const tested = await runPythonTests(job, toolchain, { layout: read.layout, runner, owners });
  if (tested.kind === "judged") return tested;
  const folder = await placeArtifact({
    root: job.root,
    lib: join(job.root, "lib"),
    python: toolchain.python.minor,
    distributions: installed,
    scripts: own.scripts,
  });
  return { kind: "built", folder, findings: tested.count === 0 ? [describeNoTests()] : [] };
}

/** Name that code imports → the dependency that it is of, by what its distribution says that it installs. */
function nameOwners(job: BuildJob, carried: readonly Carried[]): ReadonlyMap<string, Name> {
  const direct = new Set(job.dependencies.map(({ module }) => module));
  const owners = new Map<string, Name>();
  for (const { module, record } of carried) {
    if (module === null || !direct.has(module)) continue;
    for (const path of readRecordPaths(record)) owners.set(path.replace(/(\/.*|\.py)$/s, ""), module);
  }
  return owners;
}

async function readProject(folder: string): Promise<Project | Judged> {
  const facts = new Map<string, string>();
  for (const file of [pyprojectFile, ...pythonLockFiles]) {
    const text = await whenThere(readFile(join(folder, file), "utf8"));
    if (text !== null) facts.set(file, text);
  }
  const reading = readPyproject(facts.get(pyprojectFile));
  if (reading.kind === "none") return unfit("compile", `there is no ${pyprojectFile}`);
  if (reading.kind === "refused") return unfit("compile", describeFinding(reading.finding));
  const project = reading.value;
  if (project.project?.dynamic?.includes("dependencies") === true)
    return unfit("compile", `${pyprojectFile} computes its dependencies: list them, so that they can be known`);
  const chosen = chooseBackend(project);
  if (chosen.kind === "refused") return unfit("compile", `${pyprojectFile} ${chosen.why}`);
  const lock = readPythonLock(facts);
  if (lock.kind === "refused") return unfit("compile", describeFinding(lock.finding));
  const layout = readPythonLayout(await listFiles(folder), project.project?.name ?? null);
  if (layout.names.length === 0)
    return unfit("compile", "there is no package below src/ or in the module's folder: nothing to build");
  const locked = lock.kind === "locked" ? lock.distributions : [];
  return { kind: "project", project, backend: chosen.backend, layout, locked };
}

async function planFor(
  job: BuildJob,
  toolchain: PythonToolchain,
  { project, locked }: Project,
  own: OwnWheel,
  wheels: string | null,
): Promise<EnvironmentPlan | Judged> {
  const carried = await gatherCarried(job, toolchain.python.minor, own.name);
  if ("kind" in carried) return carried;
  const described = wheels === null ? [] : await describeWheels(job, toolchain, wheels);
  if ("kind" in described) return described;
  return planEnvironment({ project, locked, described, carried });
}

/** `lib/` for what runs, `testlib/` for what only tests need. Answers what `lib/` is made of. */
async function install(
  job: BuildJob,
  toolchain: PythonToolchain,
  own: OwnWheel,
  plan: EnvironmentPlan,
  fetched: string | null,
): Promise<readonly Distribution[] | Judged> {
  const made = join(job.root, "wheels");
  await mkdir(made);
  const runtime = [...plan.runtime, await writeRequirement(made, own, own.files)];
  const tests = [...plan.tests];
  for (const one of plan.carried) (one.use === "build" ? runtime : tests).push(await assembleWheel(one, made));
  await normaliseModes(made);
  const sources = fetched === null ? [made] : [made, fetched];
  const [lib, testlib] = [join(job.root, "lib"), join(job.root, "testlib")];
  const failed =
    (await installWheels(job, toolchain, { lines: runtime, sources, site: lib })) ??
    (await installWheels(job, toolchain, { lines: tests, sources, site: testlib }));
  if (failed !== null) return failed;
  const settled = await settleLib(lib);
  if ("kind" in settled) return settled;
  const carried = new Map(plan.carried.map((one) => [one.name, one]));
  return settled.map(({ name, version, info }): Distribution => {
    if (name === own.name) return { name, version, info, from: "own", module: job.module };
    const one = carried.get(name);
    return { name, version, info, from: one?.from ?? "third-party", module: one?.module ?? null };
  });
}

function describeNoTests(): Finding {
  return {
    severity: "warning",
    file: "tests",
    line: 0,
    message: "there are no tests (tests/test_*.py): fit says only that everything can be imported",
  };
}
