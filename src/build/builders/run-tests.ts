import { type BuildJob, type BuildOutcome, buildRoot, judgeEnvironment, unfit } from "./builder.ts";
import { readFailedTestLine } from "./failed-test-line.ts";

/** The module's own tests, on the compiled code (R11). They may read everything of the module and change nothing of it. */
export async function runTests(job: BuildJob, files: readonly string[]): Promise<BuildOutcome | null> {
  if (files.length === 0) return null;
  const result = await job.sandbox.run({
    command: [process.execPath, "--test", "--test-reporter=tap", ...files.map((file) => `${buildRoot}/module/${file}`)],
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
