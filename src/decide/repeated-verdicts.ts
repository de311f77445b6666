import type { OutstandingClass } from "../core/artifact.ts";
import type { Condition } from "../core/condition.ts";
import type { Name, ObjectId } from "../core/names.ts";
import { ageMs, timeMs } from "./ages.ts";
import { shortId } from "./short-names.ts";

/** So often in the same class, and a build that cannot be judged is a condition. */
export const outstandingAfter = 3;
/** Unfit at so many different inputs in a row, or for so long, and the source itself is a condition. */
export const unfitAfter = 3;
export const unfitForMs = 24 * 3_600_000;

/** One (module, inputs) as recorded. */
export interface JudgedBuild {
  readonly state: "building" | "fit" | "unfit" | "outstanding";
  readonly class: OutstandingClass | null;
  /** Failures of this class on end, at these inputs. */
  readonly classCount: number;
  readonly classSince: string | null;
  readonly commit: ObjectId;
  readonly message: string;
  readonly endedAt: string | null;
}

export type RepeatedVerdict = Pick<Condition, "code" | "subject" | "message" | "remedy" | "urgent" | "since" | "count">;

export const repeatedCodes: readonly string[] = ["build-outstanding", "build-unfit"];

/** The condition of a module whose newest builds ended the same way again and again (R33); null: there is none. */
export function judgeRepeats(module: Name, newestFirst: readonly JudgedBuild[], now: string): RepeatedVerdict | null {
  const builds = newestFirst.filter((build) => build.state !== "building");
  switch (builds[0]?.state) {
    case "outstanding":
      return judgeOutstanding(module, builds);
    case "unfit":
      return judgeUnfit(module, builds, now);
    case undefined:
    case "building":
    case "fit":
      return null;
  }
}

/** Of the same builds it is judged otherwise at this moment, in ms since 1970, and not before; null: at none. */
export function whenDayIsOver(newestFirst: readonly JudgedBuild[]): number | null {
  const builds = newestFirst.filter((build) => build.state !== "building");
  const unfit = takeWhile(builds, (build) => build.state === "unfit");
  const since = unfit.at(-1)?.endedAt ?? null;
  return since === null || unfit.length >= unfitAfter ? null : timeMs(since) + unfitForMs;
}

/** Of one class, also over several commits: a registry that is off does not care which. */
function judgeOutstanding(module: Name, builds: readonly JudgedBuild[]): RepeatedVerdict | null {
  const kind = builds[0]?.class ?? null;
  if (kind === null) return null;
  const same = takeWhile(builds, (build) => build.state === "outstanding" && build.class === kind);
  const count = same.reduce((sum, build) => sum + build.classCount, 0);
  const since = same.at(-1)?.classSince ?? null;
  if (count < outstandingAfter || since === null) return null;
  return {
    code: "build-outstanding",
    subject: module,
    message: `${module} could not be judged ${count} times in a row, each time for the same reason (${kind}): ${builds[0]?.message ?? ""}`,
    remedy: `${remedies[kind]}; it is tried again by itself, at least every 15 minutes`,
    urgent: false,
    since,
    count,
  };
}

function judgeUnfit(module: Name, builds: readonly JudgedBuild[], now: string): RepeatedVerdict | null {
  const unfit = takeWhile(builds, (build) => build.state === "unfit");
  const since = unfit.at(-1)?.endedAt ?? null;
  if (since === null) return null;
  if (unfit.length < unfitAfter && ageMs(now, since) < unfitForMs) return null;
  const [newest] = unfit;
  // How long it lasts is said by its beginning: words that age would be written again at each plan.
  const how = unfit.length < unfitAfter ? "for a day or more" : `at ${unfit.length} sources in a row`;
  return {
    code: "build-unfit",
    subject: module,
    message: `${module} is unfit ${how}, now at ${shortId(newest?.commit ?? "")}: ${newest?.message ?? ""}`,
    remedy: `see mesh why ${module}; a commit mends it, and until then nodes keep the build they have`,
    urgent: false,
    since,
    count: unfit.length,
  };
}

const remedies: Readonly<Record<OutstandingClass, string>> = {
  disk: "make room where builds and artifacts are kept, or raise the limit on what one build may write",
  memory: "the build needs more memory than one build may have: give the machine more, or make the build smaller",
  limit: "the build or a test of it does not end within its limit: mend the module, or raise the limit",
  registry:
    "see that the package registry answers from the controller's machine, and that the lock file names what it has",
  source: "see that the repository answers: mesh repo list",
  sandbox: "see that bubblewrap works on the controller's machine: apt-get install bubblewrap",
  "lost-worker": "see why the controller's process ends while it builds: its log, and the machine's memory",
  "artifact-store":
    "see that the artifact store's disk is whole and mounted; what is lost is built again by itself (mesh conditions), or by mesh build MODULE --again",
  toolchain: "install the language's toolchain on the controller's machine, where its PATH finds it",
  dependency:
    "the module needs a version of another module that is not there: commit that one, or go back to what there is",
};

function takeWhile<T>(items: readonly T[], holds: (item: T) => boolean): readonly T[] {
  const end = items.findIndex((item) => !holds(item));
  return end === -1 ? items : items.slice(0, end);
}
