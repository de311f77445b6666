import type { ConditionKind } from "./condition-codes.ts";

/** Conditions about room: on the controller's machine, and on those of hosts. */
export const diskConditionKinds: readonly ConditionKind[] = [
  {
    code: "disk-full",
    subject: "folder",
    watches:
      "the disk of a folder of the controller's machine (state, PostgreSQL's data where it is there, artifacts, clones, builds, caches, logs) has less than 1 GiB left, or than a twentieth of a small one; or less than a hundredth of its file names",
    opens: ["worker/watch-disks.ts"],
    closes: ["worker/watch-disks.ts"],
    urgent: "when there is none",
    remedy: "make room on that disk: `mesh artifact gc` and `mesh records prune` show what nobody needs",
  },
  {
    code: "host-disk-full",
    subject: "node and folder",
    names: /^([^/ ]+) /,
    watches: "the same of a host's machine (its state, what it applies, its logs), as its latest report says",
    opens: ["worker/watch-disks.ts"],
    closes: ["worker/watch-disks.ts"],
    urgent: "when there is none",
    remedy: "make room on that machine; its host goes on by itself",
  },
  {
    code: "disk-watch-failing",
    subject: "disks",
    watches: "the loop that looks how much room there is cannot go on",
    opens: ["worker/watch-disks.ts"],
    closes: ["worker/watch-disks.ts"],
    urgent: "no",
    remedy: "see the controller's log, and whether PostgreSQL can write",
  },
];
