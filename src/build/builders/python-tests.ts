import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Name } from "../../core/names.ts";
import { isPythonSource, isPythonTest, placeOf, type PythonLayout } from "../../source/imports/python-source.ts";
import { listFiles } from "../list-files.ts";
import { normaliseModes } from "../normalise-modes.ts";
import { type BuildJob, type Judged, judgeEnvironment, unfit } from "./builder.ts";
import { findLackingInPython } from "./missing-exports.ts";
import { readRoot, runPython } from "./python-run.ts";
import { importScript, pytestScript, unittestScript } from "./python-scripts.ts";
import type { PythonToolchain } from "./python-toolchain.ts";

/** Imports every module that is published, with nothing but the artifact's own `lib/`. Null: all can be imported. */
export async function importAll(
  job: BuildJob,
  toolchain: PythonToolchain,
  paths: readonly string[],
  owners: ReadonlyMap<string, Name>,
): Promise<Judged | null> {
  const names = paths
    .filter((path) => path.endsWith(".py") && !path.endsWith("__main__.py"))
    .map((path) => path.replace(/(\/__init__)?\.py$/, "").replaceAll("/", "."))
    .filter((name) => /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(name));
  await writeFile(join(job.root, "imports.json"), JSON.stringify(names.toSorted()));
  await normaliseModes(job.root);
  const result = await runPython(job, toolchain, {
    step: "compile",
    script: importScript,
    words: ["/build/lib", "/build/imports.json"],
    folder: "/tmp",
    mounts: [readRoot(job)],
  });
  const environment = judgeEnvironment("importing what is published", result);
  if (environment !== null) return environment;
  if (result.kind !== "exited") return null;
  const said = readSaid(result, /^imports-done /m);
  const failures = said.split("\n").flatMap((line) => /^import-failed (.*)$/.exec(line)?.[1] ?? []);
  if (failures.length > 0) {
    const lacks = findLackingInPython(failures, owners);
    const refused = unfit("compile", `cannot be imported:\n${failures.slice(0, 20).join("\n")}`);
    return { ...refused, ...(lacks.length === 0 ? {} : { lacks }) };
  }
  if (!/^imports-done 0$/m.test(said))
    return unfit("compile", `importing what is published ended before it was done: ${result.log.trim().slice(-500)}`);
  return null;
}

/** Our programs say at last how it went; of what prints more than is kept of stdout, the end is in the log. */
function readSaid({ stdout, log }: { readonly stdout: string; readonly log: string }, last: RegExp): string {
  return last.test(stdout) ? stdout : `${stdout}\n${log}`;
}

export interface RunPythonTests {
  readonly layout: PythonLayout;
  /** Is pytest locked? Else `unittest`. */
  readonly runner: "pytest" | "unittest";
  /** Which dependency is imported by which name. */
  readonly owners: ReadonlyMap<string, Name>;
}

/** `count`: tests that are there, also those that are skipped. 0: there is no file of tests. */
export type Tested = { readonly kind: "tested"; readonly count: number } | Judged;

/**
 * The module's own tests against what is published (R11). They may read everything of the module and change nothing
 * of it. Those that lie inside of a package are put into it while they run.
 */
export async function runPythonTests(
  job: BuildJob,
  toolchain: PythonToolchain,
  { layout, runner, owners }: RunPythonTests,
): Promise<Tested> {
  const folder = join(job.root, "module");
  const files = await listFiles(folder);
  const has = new Set(files);
  const inside: string[] = [];
  const cases: { readonly file: string; readonly top: string | null; readonly name: string }[] = [];
  for (const path of files.filter(isPythonTest)) {
    const place = placeOf(path, layout, (one) => has.has(one));
    const file = layout.root === "src" ? path.replace(/^src\//, "") : path;
    if (place.kind === "package") inside.push(path);
    if (!isPythonSource(path) || !/(^|\/)(test_[^/]*|[^/]*_test)\.py$/.test(path)) continue;
    if (place.kind === "package") cases.push({ file, top: null, name: nameOf(file) });
    if (place.kind === "test") {
      const name = nameOf(place.top === "" ? path : path.slice(place.top.length + 1));
      cases.push({ file: path, top: place.top, name });
    }
  }
  if (cases.length === 0) return { kind: "tested", count: 0 };
  const placed = inside.map((path) => join(job.root, "lib", layout.root === "src" ? path.replace(/^src\//, "") : path));
  for (const [at, target] of placed.entries()) {
    await mkdir(dirname(target), { recursive: true });
    await cp(join(folder, inside[at] ?? ""), target);
  }
  await writeFile(join(job.root, "tests.json"), JSON.stringify(cases));
  await normaliseModes(job.root);
  const result = await runPython(job, toolchain, {
    step: "test",
    script: runner === "pytest" ? pytestScript : unittestScript,
    words: ["/build/lib", "/build/testlib", "/build/module", "/build/tests.json"],
    folder: "/build/module",
    mounts: [readRoot(job)],
  });
  for (const target of placed) await rm(target);
  const environment = judgeEnvironment("testing", result);
  if (environment !== null) return environment;
  if (result.kind !== "exited") throw new Error("what did not exit was judged");
  const tested = judgeTests(readSaid(result, /^tests-done /m), result.log, owners);
  return tested.kind === "tested" && tested.count === 0
    ? describeNotRun(
        cases.map(({ file }) => file),
        runner,
      )
    : tested;
}

/** Files of tests of which nothing ran say nothing, and fit would say that they passed (R11). */
function describeNotRun(files: readonly string[], runner: RunPythonTests["runner"]): Judged {
  const shown = files.slice(0, 5).join(", ") + (files.length > 5 ? ` and ${files.length - 5} more` : "");
  const next =
    runner === "unittest"
      ? "lock pytest, or make them methods test_* of a class that is a unittest.TestCase"
      : "call them test_*, or name the file so that it is none of tests";
  return unfit(
    "test",
    `${shown}: ${files.length === 1 ? "this file holds" : "these files hold"} no test that ${runner} runs: ${next}`,
  );
}

function nameOf(path: string): string {
  return path.replace(/\.py$/, "").replaceAll("/", ".");
}

function judgeTests(said: string, log: string, owners: ReadonlyMap<string, Name>): Tested {
  const failures = [...new Set(said.split("\n").flatMap((line) => /^test-failed (.*)$/.exec(line)?.[1] ?? []))];
  const count = /^tests-done (\d+)$/m.exec(said)?.[1];
  if (failures.length === 0 && count !== undefined) return { kind: "tested", count: Number(count) };
  const more = failures.length > 10 ? `\n… and ${failures.length - 10} more` : "";
  const message =
    failures.length === 0
      ? `the tests ended before they were done: ${log.trim().slice(-500)}`
      : `${failures.length} ${failures.length === 1 ? "test fails" : "tests fail"}:\n${failures.slice(0, 10).join("\n")}${more}`;
  // A file of tests that cannot be imported is what code that does not compile is: it may wait for a dependency's next version.
  const lacks = failures.every((line) => /^\S+\.py: /.test(line)) ? findLackingInPython(failures, owners) : [];
  return lacks.length === 0 ? unfit("test", message) : { ...unfit("compile", message), lacks };
}
