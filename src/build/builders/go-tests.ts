import type { Name } from "../../core/names.ts";
import { type BuildJob, type BuildOutcome, judgeEnvironment, unfit } from "./builder.ts";
import { firstLines, type GoRun, runGo } from "./go-sandbox.ts";
import { findLackingInGo } from "./missing-exports.ts";

/**
 * The module's own tests (R11). They may read everything of the module and change nothing of it. `owners`: as those of the
 * plan.
 */
export async function runGoTests(
  job: BuildJob,
  run: Omit<GoRun, "step" | "arguments">,
  owners: ReadonlyMap<string, Name>,
): Promise<BuildOutcome | null> {
  // Go's own time limit would end as a failed test; ours ends as what it is.
  const words = ["test", "-vet=off", "-count=1", "-timeout=0", "./..."];
  const result = await runGo(job, { ...run, step: "test", arguments: words });
  job.log(result.log);
  const environment = judgeEnvironment("testing", result);
  if (environment !== null) return environment;
  if (result.kind !== "exited" || result.code === 0) return null;
  if (!/\[(build|setup) failed\]$/m.test(result.stdout)) return unfit("test", describeGoFailures(result.stdout));
  const lacks = failsToBuildOnly(result.stdout) ? findLackingInGo(result.log, owners) : [];
  return { ...unfit("compile", firstLines(result.log, 20)), ...(lacks.length === 0 ? {} : { lacks }) };
}

/** What tests print is shown of those that fail: where none does, every word is Go's own. */
function failsToBuildOnly(output: string): boolean {
  return output
    .split("\n")
    .every((line) => /^(|FAIL|FAIL\t\S+ \[(build|setup) failed\]|(ok {2}|\? {3})\t.*)$/.test(line));
}

/** Names and first words of the tests that fail; a group is named only where nothing inside it is. */
export function describeGoFailures(output: string): string {
  const failures: string[] = [];
  const lines = output.split("\n");
  const groups = new Set<string>();
  for (const line of lines) {
    const name = /^\s*--- FAIL: (\S+)/.exec(line)?.[1] ?? "";
    for (let at = name.lastIndexOf("/"); at > 0; at = name.lastIndexOf("/", at - 1)) groups.add(name.slice(0, at));
  }
  for (const [at, line] of lines.entries()) {
    const name = /^\s*--- FAIL: (\S+)/.exec(line)?.[1];
    if (name === undefined || groups.has(name)) continue;
    const reason = /^\s+\S+\.go:\d+: .*$/.test(lines[at + 1] ?? "") ? `: ${lines[at + 1]?.trim()}` : "";
    failures.push(`${name}${reason}`);
  }
  const broken = lines.filter((line) => /^(panic: |fatal error: |signal: )/.test(line)).slice(0, 3);
  const packages = lines.flatMap((line) => /^FAIL\t(\S+)/.exec(line)?.[1] ?? []);
  if (failures.length === 0)
    return [`the tests of ${packages.join(", ") || "the module"} ended with a failure`, ...broken].join("\n");
  const more = failures.length > 10 ? `\n… and ${failures.length - 10} more` : "";
  const count = `${failures.length} ${failures.length === 1 ? "test fails" : "tests fail"}`;
  return `${count}:\n${[...failures.slice(0, 10), ...broken].join("\n")}${more}`;
}
