import type { ConditionKind } from "./condition-codes.ts";
import { oneName } from "./condition-subject.ts";

/** Conditions about what was built: is it the same again, is it there, does what is left behind go? */
export const artifactConditionKinds: readonly ConditionKind[] = [
  {
    code: "not-reproducible",
    subject: "module",
    names: oneName,
    watches: "a module built twice from the same inputs gave two contents",
    opens: ["activities/check-next-build.ts", "activities/note-rebuilt.ts"],
    closes: ["activities/check-next-build.ts"],
    urgent: "no",
    remedy: "keep clocks, chance and order out of what it writes",
  },
  {
    code: "second-build-failing",
    subject: "module",
    names: oneName,
    watches: "a second build of what was fit did not come out fit again and again",
    opens: ["activities/check-next-build.ts"],
    closes: ["activities/check-next-build.ts"],
    urgent: "no",
    remedy: "look whether its tests depend on the moment",
  },
  {
    code: "second-build-watch-failing",
    subject: "second builds",
    watches: "the loop that builds a second time and compares cannot go on",
    opens: ["worker/watch-second-builds.ts"],
    closes: ["worker/watch-second-builds.ts"],
    urgent: "no",
    remedy: "see the controller's log",
  },
  {
    code: "artifact-lost",
    subject: "module, or the store",
    names: oneName,
    watches: "files of an artifact that is needed are gone or damaged",
    opens: ["activities/look-at-artifacts.ts"],
    closes: ["activities/look-at-artifacts.ts"],
    urgent: "when nothing is there",
    remedy:
      "what its source gives now is built again by itself; one that it gives no more: `mesh push NODE` sends the newest, or its source goes back; else a copy of the store",
  },
  {
    code: "artifact-watch-failing",
    subject: "artifacts",
    watches: "the loop that looks whether artifacts are there cannot go on, or the store does not answer",
    opens: ["worker/watch-artifacts.ts"],
    closes: ["worker/watch-artifacts.ts"],
    urgent: "no",
    remedy: "see that the store's disk is mounted and whole, and the controller's log",
  },
  {
    code: "records-not-pruned",
    subject: "records",
    watches: "the loop that removes records which are old and not needed cannot go on",
    opens: ["worker/watch-records.ts"],
    closes: ["worker/watch-records.ts"],
    urgent: "no",
    remedy: "see the controller's log, and `mesh records prune`",
  },
  {
    code: "leftovers-failing",
    subject: "leftovers",
    watches: "the loop that removes old logs, packages, clones and work folders of builds cannot go on",
    opens: ["worker/watch-leftovers.ts"],
    closes: ["worker/watch-leftovers.ts"],
    urgent: "no",
    remedy: "see the controller's log, and `mesh artifact gc`",
  },
];
