import { type BuildJob, type BuildOutcome, buildRoot, judgeEnvironment, unfit } from "./builder.ts";
import { readFailedTestLine } from "./failed-test-line.ts";

/** The module's own tests, on the compiled code (R11). They may read everything of the module and change nothing of it. */
export async function runTests(job: BuildJob, files: readonly string[]): Promise<BuildOutcome | null> {
  if (files.length === 0) return null;
  const result = await job.sandbox.run({
    command: [process.execPath, "--test", "--test-reporter=tap", ...files.map(namesOnNode)],
    folder: `${buildRoot}/module`,
    mounts: [{ from: job.root, to: buildRoot, access: "read" }],
    network: "none",
    limits: job.limits,
    signal: job.signal,
    onProgress: () => job.onStep("test"),
  });
  job.log(result.log);
  const environment = judgeEnvironment("testing", result);
  if (environment !== null) return environment;
  if (result.kind !== "exited" || result.code === 0) return null;
  return unfit("test", describeFailures(result.stdout));
}

function namesOnNode(file: string): string {
  return `${buildRoot}/module/${nameTestFile(file, Number.parseInt(process.versions.node, 10))}`;
}

/**
 * What `node --test` is told to run one file. Node takes patterns since 21: `[id].test.js` is there a file `i.test.js`, and
 * what matches nothing is passed over in silence. No way of quoting works for all characters, and `?` is any one of them:
 * what it may match besides ends as a test file does, too, and each file runs once.
 */
export function nameTestFile(file: string, nodeMajor: number): string {
  return nodeMajor < 21 ? file : file.replaceAll(/[*?[\]{}()!+@|\\]/g, "?");
}

/** Names and reasons out of TAP; a group is named only where nothing inside it is. */
export function describeFailures(tap: string): string {
  const failures: string[] = [];
  const lines = tap.split("\n");
  for (const [at, line] of lines.entries()) {
    const name = readFailedTestLine(line)?.name ?? "";
    if (name === "") continue;
    const details = lines.slice(at + 1, at + 14).join("\n");
    if (details.includes("failureType: 'subtestsFailed'")) continue;
    const reason = /\n\s*error: (?:'([^\n]*)'|\|-\n\s*([^\n]*))/.exec(details);
    const plain = name.replaceAll(/\\([#\\])/g, "$1").replaceAll(`${buildRoot}/module/`, "");
    failures.push(`${plain}: ${reason?.[1] ?? reason?.[2] ?? "failed"}`);
  }
  if (failures.length === 0) return "the tests ended with a failure, and none of them is named";
  const more = failures.length > 10 ? `\n… and ${failures.length - 10} more` : "";
  return `${failures.length} ${failures.length === 1 ? "test fails" : "tests fail"}:\n${failures.slice(0, 10).join("\n")}${more}`;
}
