import type { FollowedBranch } from "../../../src/decide/judge-source.ts";
import type { AccountFacts, SituationFacts } from "../../../src/decide/situation-facts.ts";
import { trackFailures, type FailureTrack } from "../../../src/decide/track-failures.ts";
import type { Report } from "../../../src/core/report.ts";
import { buildReport, minutesLater } from "./build-report.ts";
import { buildOf, digestNamed } from "./build-world.ts";

const content = { node: "node-a", builds: { app: buildOf("app", 1) }, resources: [] };
const order = { epoch: 1, number: 7 };

/** What node-a should be: what 1.7 held, unless another digest is named. */
export function composedAs(
  label = "content of 7",
  builds: Record<string, string> = content.builds,
): SituationFacts["composition"] {
  const digest = digestNamed(label);
  const composed = { content: { ...content, builds }, digest, offers: [], mints: [], withdrawals: [], notes: [] };
  return { kind: "composed", node: "node-a", ...composed };
}

/** The account after these reports, one a minute from `reference` on. */
export function accountOf(...reports: readonly Report[]): AccountFacts {
  let track: FailureTrack | null = null;
  for (const [minute, report] of reports.entries()) track = trackFailures(track, report, minutesLater(minute));
  const last = reports.at(-1);
  if (track === null || last === undefined) throw new Error("an account is made of reports");
  const { incarnation, has, digest, outcome, resources, refusals } = last;
  return {
    incarnation,
    has,
    digest,
    outcome,
    resources,
    refusals,
    receivedAt: minutesLater(reports.length - 1),
    track,
  };
}

export const otherCommit = "b".repeat(40);

/** A branch that was seen a minute before the moment that facts are of, and compared as it was seen. */
export function branchOf(parts: Partial<FollowedBranch> = {}): FollowedBranch {
  const commit = "a".repeat(40);
  return {
    repository: "shop",
    branch: "main",
    commit,
    commitSeenAt: minutesLater(-60),
    lookedAt: minutesLater(9),
    comparedCommit: commit,
    failingSince: null,
    ...parts,
  };
}

/** node-a, sent 1.7 a minute before `reference`, which it reported applied; looked at ten minutes later. */
export function buildFacts(parts: Partial<SituationFacts> = {}): SituationFacts {
  return {
    node: "node-a",
    incarnation: "host-node-a",
    composition: composedAs(),
    sent: {
      order,
      digest: digestNamed("content of 7"),
      builds: content.builds,
      incarnation: "host-node-a",
      offers: [],
      at: minutesLater(-1),
    },
    account: accountOf(buildReport()),
    lastContactAt: minutesLater(9),
    lastTold: null,
    changedSince: null,
    readAt: minutesLater(10),
    sources: [branchOf()],
    now: minutesLater(10),
    limits: { silentAfterMs: 120_000, recordsStaleAfterMs: 60_000, sourcesStaleAfterMs: 600_000 },
    ...parts,
  };
}
