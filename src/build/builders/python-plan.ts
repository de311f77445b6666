import { z } from "zod";
import {
  listRequirements,
  type Pyproject,
  readRequirement,
  type Requirement,
} from "../../source/imports/python-facts.ts";
import { parseJson } from "../../source/imports/package-facts.ts";
import { describeLocked, type LockedDistribution } from "../../source/imports/python-lock.ts";
import { normaliseDistribution } from "../../source/imports/python-source.ts";
import { type BuildJob, type Judged, judgeEnvironment, unfit } from "./builder.ts";
import { runPython } from "./python-run.ts";
import { describeWheelsScript } from "./python-scripts.ts";
import type { PythonToolchain } from "./python-toolchain.ts";
import type { Carried } from "./python-carried.ts";

const describedSchema = z.object({ name: z.string(), version: z.string(), requires: z.array(z.string()) });

export interface DescribedWheel {
  /** Normalised. */
  readonly name: string;
  readonly version: string;
  readonly requires: readonly Requirement[];
}

/** What fetched wheels say of themselves, by our own program in the sandbox: they are strangers' files. */
export async function describeWheels(
  job: BuildJob,
  toolchain: PythonToolchain,
  wheels: string,
): Promise<readonly DescribedWheel[] | Judged> {
  const result = await runPython(job, toolchain, {
    step: "compile",
    script: describeWheelsScript,
    words: ["/wheels"],
    folder: "/tmp",
    mounts: [{ from: wheels, to: "/wheels", access: "read" }],
  });
  const environment = judgeEnvironment("reading wheels", result);
  if (environment !== null) return environment;
  if (result.kind !== "exited" || result.code !== 0)
    return unfit("compile", `a locked wheel cannot be read: ${result.log.trim().slice(-500)}`);
  return readDescriptions(result.stdout);
}

/** No line: all that is locked is for other platforms. A wheel may say anything of itself, or nothing. */
export function readDescriptions(text: string): readonly DescribedWheel[] | Judged {
  const wheels: DescribedWheel[] = [];
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const described = parseJson(line, "METADATA", describedSchema);
    if (described.kind === "refused")
      return unfit("compile", `a locked wheel does not say what it is: ${line.slice(0, 200)}`);
    const { name, version, requires } = described.value;
    wheels.push({
      name: normaliseDistribution(name),
      version,
      requires: requires.flatMap((one) => readRequirement(one) ?? []),
    });
  }
  return wheels;
}

export interface EnvironmentPlan {
  readonly kind: "planned";
  /** Lines of requirements for the artifact's `lib/`, and for what only tests need. */
  readonly runtime: readonly string[];
  readonly tests: readonly string[];
  readonly carried: readonly Carried[];
}

/** What of the lock runs, what only tests need, and what the artifacts of others have brought already. */
export function planEnvironment(options: {
  readonly project: Pyproject;
  readonly locked: readonly LockedDistribution[];
  readonly described: readonly DescribedWheel[];
  readonly carried: readonly Carried[];
}): EnvironmentPlan | Judged {
  const { project, locked, described, carried } = options;
  const here = new Map(described.map((one) => [one.name, one]));
  const brought = new Map(carried.map((one) => [one.name, one]));
  const needed = listNeeded(listRequirements(project).runtime, here);
  const runtime: string[] = [];
  const tests: string[] = [];
  const replaced = new Set<string>();
  const unnamed = new Map(here);
  for (const one of locked) {
    const there = here.get(one.name);
    // Another platform's, by its marker.
    if (there === undefined || plainVersion(there.version) !== plainVersion(one.version)) continue;
    unnamed.delete(one.name);
    const other = brought.get(one.name);
    // Never a stranger's in place of a module's.
    if (other !== undefined && other.from !== "third-party") continue;
    if (other !== undefined && other.version !== one.version)
      return unfit(
        "compile",
        `this module locks ${one.name} ${one.version}, and ${other.by} carries ${other.version}: lock one version in both`,
      );
    if (other !== undefined) replaced.add(one.name);
    const isRuntime = needed.has(one.name) || other?.use === "build";
    (isRuntime ? runtime : tests).push(describeLocked({ ...one, marker: "" }));
  }
  for (const { name, version } of unnamed.values())
    return unfit("compile", `the wheel of ${name} says that it is ${version}, and the lock names another version`);
  return { kind: "planned", runtime, tests, carried: carried.filter((one) => !replaced.has(one.name)) };
}

/** `1.0` and `1.0.0` are one version. */
function plainVersion(version: string): string {
  return version
    .toLowerCase()
    .replace(/^v/, "")
    .replace(/(\.0)+$/, "");
}

/** From what the module lists to what that needs. A marker only ever leaves out: what it names and is here stays. */
function listNeeded(roots: readonly Requirement[], here: ReadonlyMap<string, DescribedWheel>): ReadonlySet<string> {
  const needed = new Set<string>();
  const done = new Set<string>();
  const waiting = [...roots];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const key = `${one.distribution} ${one.extras.toSorted().join(",")}`;
    const wheel = here.get(one.distribution);
    if (wheel === undefined || done.has(key)) continue;
    done.add(key);
    needed.add(one.distribution);
    const { extras } = one;
    waiting.push(
      ...wheel.requires.filter(({ marker }) => {
        const wanted = [...marker.matchAll(/extra\s*==\s*['"]([^'"]+)['"]/g)].map(([, extra]) => extra ?? "");
        return wanted.length === 0 || wanted.some((extra) => extras.includes(normaliseDistribution(extra)));
      }),
    );
  }
  return needed;
}
