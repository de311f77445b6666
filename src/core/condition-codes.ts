import { artifactConditionKinds } from "./artifact-conditions.ts";
import { oneName, twoNames } from "./condition-subject.ts";
import { diskConditionKinds } from "./disk-conditions.ts";
import { hostConditionKinds } from "./host-conditions.ts";
import { keyConditionKinds } from "./key-conditions.ts";

/** One kind of condition: who watches what, who opens and who closes it (R33). Files are below `src`. */
export interface ConditionKind {
  readonly code: string;
  /** What its subject names. */
  readonly subject: string;
  /** Its groups are the nodes and modules that a subject names; left out: none, it is about the mesh or a machine of it. */
  readonly names?: RegExp;
  /** What is so for as long as it is open. */
  readonly watches: string;
  /** Where it is opened, its code written in one of them. */
  readonly opens: readonly string[];
  /** Where it is closed by what it watches; `a person`: only `mesh conditions clear` does that. */
  readonly closes: readonly string[] | "a person";
  /** When somebody should look now: `mesh status` and `mesh conditions` end with 2. */
  readonly urgent:
    | "yes"
    | "no"
    | "when it is near"
    | "when there is none"
    | "when nothing is there"
    | "for declarations";
  /** In short; the condition itself says it of its subject. */
  readonly remedy: string;
}

/** Every condition there is. A test compares this with the source, and with docs/conditions.md. */
export const conditionKinds: readonly ConditionKind[] = [
  {
    code: "mesh-stopped",
    subject: "the mesh",
    watches: "nothing is numbered or sent: hosts are ahead of the records, or the records were restored",
    opens: ["store/stop.ts"],
    closes: ["store/stop.ts"],
    urgent: "yes",
    remedy: "`mesh recover` shows what each host has, and with --yes goes on above it",
  },
  {
    code: "lease-records-lost",
    subject: "the mesh",
    watches: "the lease, its grants or the mesh's epoch had been emptied or set back when an epoch was granted",
    opens: ["store/lease.ts"],
    closes: "a person",
    urgent: "yes",
    remedy:
      "find out who emptied the table or restored a backup; after `mesh restore` it is expected, and `mesh recover --yes` clears it",
  },
  {
    code: "source-unreachable",
    subject: "repository#branch",
    watches:
      "a source does not answer, or has no such branch; one that does not answer is asked less and less often, at least every 5 minutes",
    opens: ["activities/look-at-sources.ts"],
    closes: ["activities/look-at-sources.ts"],
    urgent: "no",
    remedy:
      "check its branch and its address: where it moved, `mesh repo add NAME URL --moved`; `mesh build` looks at once",
  },
  {
    code: "source-not-fetched",
    subject: "repository#branch",
    watches: "a source answers, and the newest commit of its branch does not come here",
    opens: ["activities/look-at-sources.ts"],
    closes: ["activities/compare-all.ts", "activities/look-at-sources.ts"],
    urgent: "no",
    remedy: "look at the size of the repository, the controller's disk and its network",
  },
  {
    code: "source-watch-failing",
    subject: "sources",
    watches: "the loop that asks sources for their tips cannot go on",
    opens: ["worker/watch-sources.ts"],
    closes: ["worker/watch-sources.ts"],
    urgent: "no",
    remedy: "see the controller's log",
  },
  {
    code: "temporal-silent",
    subject: "its address",
    watches:
      "Temporal does not answer the controller, so that nothing is compared, built or pushed; sources are still looked at",
    opens: ["worker/watch-temporal.ts"],
    closes: ["worker/watch-temporal.ts"],
    urgent: "no",
    remedy: "see whether it runs and can be reached; `npm start` brings up the mesh's own; it goes on by itself",
  },
  {
    code: "loop-stuck",
    subject: "its workflow",
    watches:
      "the task of the mesh's loop fails again and again in Temporal, so that nothing is compared, built, or sent by policy",
    opens: ["worker/watch-temporal.ts"],
    closes: ["worker/watch-temporal.ts"],
    urgent: "yes",
    remedy:
      "see why in the Temporal UI; terminated there, the loop is begun anew and reads from the records what is to be done",
  },
  {
    code: "clone-damaged",
    subject: "repository",
    watches: "a clone was damaged and thrown away, and no comparison has read the new one whole yet",
    opens: ["activities/note-damaged-clone.ts"],
    closes: ["activities/compare-all.ts", "activities/note-damaged-clone.ts"],
    urgent: "no",
    remedy: "nothing when it comes alone; else look at the disk",
  },
  {
    code: "asks-not-heard",
    subject: "the folder of the socket",
    watches: "commands cannot ask this controller, and work out answers themselves, which takes longer",
    opens: ["worker/watch-asks.ts"],
    closes: ["worker/watch-asks.ts"],
    urgent: "no",
    remedy: "see whose the folder is, and whether its disk can be written; it tries again by itself",
  },
  {
    code: "step-failed",
    subject: "the step: look, build MODULE@INPUTS, push ID",
    names: /^build ([^/@ ]+)@/,
    watches: "a step of the mesh's loop failed and is still to be taken",
    opens: ["activities/control.ts"],
    closes: ["activities/plan-steps.ts"],
    urgent: "no",
    remedy: "see its workflow in the Temporal UI",
  },
  {
    code: "build-outstanding",
    subject: "module",
    names: oneName,
    watches: "a module could not be judged three times in a row for the same reason",
    opens: ["activities/note-repeated-verdicts.ts", "decide/repeated-verdicts.ts"],
    closes: ["activities/note-repeated-verdicts.ts", "decide/repeated-verdicts.ts"],
    urgent: "no",
    remedy: "the class says what the machine lacks",
  },
  {
    code: "build-unfit",
    subject: "module",
    names: oneName,
    watches: "a module is unfit at three sources in a row, or for a day",
    opens: ["activities/note-repeated-verdicts.ts", "decide/repeated-verdicts.ts"],
    closes: ["activities/note-repeated-verdicts.ts", "decide/repeated-verdicts.ts"],
    urgent: "no",
    remedy: "`mesh why MODULE`, `mesh log MODULE`",
  },
  {
    code: "build-waits",
    subject: "module",
    names: oneName,
    watches: "a module waits for an hour or longer for another one's verdict",
    opens: ["worker/watch-waits.ts"],
    closes: ["worker/watch-waits.ts"],
    urgent: "no",
    remedy: "`mesh why MODULE`",
  },
  {
    code: "wave-stands",
    subject: "waves",
    watches: "the newest wave has not ended, and none of its builds began, went on or ended for an hour",
    opens: ["worker/watch-waits.ts"],
    closes: ["worker/watch-waits.ts"],
    urgent: "no",
    remedy: "see the mesh's loop in the Temporal UI; `mesh build` looks again",
  },
  ...artifactConditionKinds,
  ...diskConditionKinds,
  {
    code: "listener-lost",
    subject: "declarations",
    watches:
      "the gateway does not hear of new declarations: hosts get them at their next question, up to a minute late",
    opens: ["worker/hear-declarations.ts"],
    closes: ["worker/hear-declarations.ts"],
    urgent: "no",
    remedy: "see whether PostgreSQL takes connections; it tries again by itself",
  },
  {
    code: "consumer-waits",
    subject: "node/module requirement",
    names: twoNames,
    watches:
      "what was minted for a consumer is not read back as made by its provider's host after 5 minutes, or that host has not found it any more for as long",
    opens: ["worker/watch-waits.ts"],
    closes: ["worker/watch-waits.ts"],
    urgent: "no",
    remedy: "`mesh why NODE` of the provider's node",
  },
  {
    code: "wait-watch-failing",
    subject: "waits",
    watches: "the loop that looks who waits cannot go on",
    opens: ["worker/watch-waits.ts"],
    closes: ["worker/watch-waits.ts"],
    urgent: "no",
    remedy: "see the controller's log",
  },
  ...hostConditionKinds,
  {
    code: "push-did-not-settle",
    subject: "pushes",
    watches:
      "a push was still changing declarations after its last round. A push that settles ends it where it told a node that was left moving, or found it as it should be; a push of others does not",
    opens: ["activities/note-unsettled.ts"],
    closes: ["activities/note-unsettled.ts"],
    urgent: "no",
    remedy: "`mesh why NODE` of one that still moves: something in it depends on itself",
  },
  {
    code: "push-resume-failing",
    subject: "pushes",
    watches: "the loop that begins pushes again which Temporal lost cannot go on",
    opens: ["worker/resume-pushes.ts"],
    closes: ["worker/resume-pushes.ts"],
    urgent: "no",
    remedy: "see the controller's log",
  },
  {
    code: "records-refuse",
    subject: "activity, or the gateway's route",
    watches:
      "PostgreSQL refuses what an activity or a call does: its role lacks a right, a table is not of this version, or it lets nobody in; it is tried every minute",
    opens: ["worker/say-refusals.ts", "worker/watch-refused-calls.ts"],
    closes: ["worker/say-refusals.ts", "worker/watch-refused-calls.ts"],
    urgent: "yes",
    remedy:
      "`mesh database roles --apply` as the owner of the tables, or `mesh up` again; where the owner may not, `mesh database roles --sql`",
  },
  {
    code: "builds-without-sandbox",
    subject: "builds",
    watches: "modules are built without a sandbox, because the settings allow it and there is none",
    opens: ["worker/note-unsafe-builds.ts"],
    closes: ["worker/note-unsafe-builds.ts"],
    urgent: "no",
    remedy: "install bubblewrap, or take the repositories out of unsafeWithoutSandbox",
  },
  {
    code: "builds-without-limits",
    subject: "builds",
    watches:
      "builds run in a sandbox, and no control group may be made for them: what they take of memory or processor time is bounded less",
    opens: ["worker/note-unsafe-builds.ts"],
    closes: ["worker/note-unsafe-builds.ts"],
    urgent: "no",
    remedy:
      "run the controller as root, or where its service manager delegates control groups (systemd: `Delegate=yes`), and start it again",
  },
  {
    code: "database-roles-missing",
    subject: "records",
    watches: "every process reaches the records with all rights of its database user",
    opens: ["worker/note-roles.ts"],
    closes: ["worker/note-roles.ts"],
    urgent: "no",
    remedy: "`mesh database roles --sql` for an administrator, then --apply, and start the controller again",
  },
  {
    code: "controller-as-owner",
    subject: "records",
    watches: "the controller logs in as the owner of the tables, so that who takes over its process has all rights",
    opens: ["worker/note-roles.ts"],
    closes: ["worker/note-roles.ts"],
    urgent: "no",
    remedy: "`mesh database roles --apply` makes logins of its own, then start the controller again",
  },
  ...keyConditionKinds,
];

/** Undefined for a code of another version's. */
export function findConditionKind(code: string): ConditionKind | undefined {
  return conditionKinds.find((kind) => kind.code === code);
}
