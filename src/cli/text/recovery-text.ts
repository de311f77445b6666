import type { Name } from "../../core/names.ts";
import { describeOrder } from "../../decide/order.ts";
import type { FoundHost, HostStanding, RecoveryPlan } from "../../decide/plan-recovery.ts";
import type { Stop } from "../../store/stop.ts";
import { describeAge } from "./ages.ts";
import { shortDigest } from "./artifact-text.ts";
import { alignColumns } from "./columns.ts";
import { plainLine } from "./plain.ts";

export interface RecoveryDocument {
  readonly mesh: Name;
  /** Why, before this was done; null: it is not stopped. */
  readonly stopped: Stop | null;
  readonly without: readonly Name[];
  /** The stop is lifted. */
  readonly done: boolean;
  readonly plan: RecoveryPlan;
}

const words: Readonly<Record<HostStanding, string>> = {
  known: "known: these records sent it",
  ahead: "ahead: these records never sent it",
  fork: "other content than these records sent under that number",
  "too-far": "further ahead than records can have lost: is this host to be believed?",
  "not-heard": "cannot tell: not heard since the stop",
};

/** What was found on each host, and what a person can do about it. */
export function recoveryText(document: RecoveryDocument, now: Date): string {
  const { mesh, stopped, plan } = document;
  const rows = plan.hosts.map((host) => [
    host.node,
    host.has === null ? "-" : describeOrder(host.has),
    host.digest === null ? "-" : shortDigest(host.digest),
    host.sent === null ? "-" : describeOrder(host.sent),
    host.heardAt === null ? "never" : describeAge(host.heardAt, now),
    standingWords(host),
  ]);
  return [
    stopped === null
      ? `mesh ${mesh} is not stopped`
      : `mesh ${mesh} ${document.done ? "was" : "is"} stopped since ${stopped.since}: ${plainLine(stopped.why)}`,
    ...(rows.length === 0
      ? ["", "no host is enrolled"]
      : ["", alignColumns([["NODE", "HAS", "CONTENT", "SENT", "HEARD", ""], ...rows])]),
    "",
    ...endLines(document),
  ].join("\n");
}

function standingWords({ standing, has, isLeftOut }: FoundHost): string {
  const said = standing === "known" && has === null ? "it has accepted nothing yet" : words[standing];
  return isLeftOut ? `${said}; left out` : said;
}

function endLines({ plan, done, without }: RecoveryDocument): string[] {
  switch (plan.kind) {
    case "not-stopped":
      return ["there is nothing to recover", "  next: mesh status"];
    case "blocked": {
      const names = [...plan.missing, ...plan.tooFar];
      return [
        ...(plan.missing.length === 0
          ? []
          : [`not heard: ${plan.missing.join(", ")}. A host that runs reports within a minute: wait, or bring it up`]),
        ...(plan.tooFar.length === 0
          ? []
          : [
              `not gone above: ${plan.tooFar.join(", ")}. Look at that machine; left out, it takes nothing until it begins anew with another --dir (docs/operating.md, A host anew)`,
            ]),
        "nothing was changed",
        `  next: mesh recover, later; or without their word: mesh recover --without ${[...without, ...names].join(" ")}`,
      ];
    }
    case "ready": {
      const above = `above epoch ${plan.epoch} and number ${plan.number}`;
      const withWords = without.length === 0 ? "" : ` --without ${without.join(" ")}`;
      return done
        ? [
            `recovered: what is issued from now on is ${above}; nothing was sent`,
            "  next: look at what the records lost (mesh status, mesh plan NODE), then mesh push --behind",
          ]
        : [
            `ready: what is issued after it would be ${above}; nothing was changed`,
            `  next: mesh recover${withWords} --yes`,
          ];
    }
  }
}
