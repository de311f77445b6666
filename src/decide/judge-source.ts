import type { Name, ObjectId } from "../core/names.ts";
import { ageMs, describeAge } from "./ages.ts";
import type { Standing } from "./delivery-line.ts";
import { compareText, shortId } from "./short-names.ts";
import type { Listening, SituationLimits } from "./situation-facts.ts";

/** What the records have of a branch that modules follow. All times are ISO in UTC. */
export interface FollowedBranch {
  readonly repository: Name;
  readonly branch: string;
  /** The last tip that was seen; null: none ever was. */
  readonly commit: ObjectId | null;
  /** When that tip was seen first. */
  readonly commitSeenAt: string | null;
  /** When it was last seen. */
  readonly lookedAt: string | null;
  readonly comparedCommit: ObjectId | null;
  /** Since when it does not answer; null: it does. */
  readonly failingSince: string | null;
}

/**
 * Whether what was compared with a source can be told as it is now. `comparing`: a newer tip was seen a moment ago.
 * `cannot-tell`: nobody looks, the last look is old, or its newest tip waits to be compared.
 */
export interface SourceKnowledge {
  readonly kind: "known" | "comparing" | "cannot-tell";
  /** The last look, or what is not over since; null: not known. */
  readonly since: string | null;
  /** A sentence. */
  readonly why: string;
}

export interface JudgeSource {
  readonly now: string;
  /** Left out: a controller acts. */
  readonly listening?: Listening | undefined;
  readonly limits: Pick<SituationLimits, "sourcesStaleAfterMs">;
}

/** An ordinary comparison ends within 5 seconds. One of thousands of modules may not, and until then nobody can tell. */
const comparingMs = 15_000;

/** The one rule for `status`, `why`, `module show` and nodes (R26, R48). Null: nothing is on record of the branch. */
export function judgeSource(source: FollowedBranch | null, { now, listening, limits }: JudgeSource): SourceKnowledge {
  const { commit, commitSeenAt, lookedAt, comparedCommit, failingSince } = source ?? unseen;
  const name = source === null ? "its source" : `${source.repository} (${source.branch})`;
  const age = (then: string): string => describeAge(ageMs(now, then));
  const last = lookedAt === null ? "was never looked at" : `was last looked at ${age(lookedAt)} ago`;
  if (listening?.by === "nobody") {
    const nobody = listening.since === null ? "no controller acts" : `no controller acts since ${listening.since}`;
    return {
      kind: "cannot-tell",
      since: listening.since ?? lookedAt,
      why: `${nobody}, so nobody looks: ${name} ${last}`,
    };
  }
  const who = failingSince === null ? name : `${name} does not answer since ${age(failingSince)}, and`;
  if (lookedAt === null || commit === null) return { kind: "cannot-tell", since: failingSince, why: `${who} ${last}` };
  if (ageMs(now, lookedAt) > limits.sourcesStaleAfterMs)
    return { kind: "cannot-tell", since: lookedAt, why: `${who} ${last}: it may have moved` };
  if (commit === comparedCommit)
    return { kind: "known", since: lookedAt, why: `${who} was at ${shortId(commit)} ${age(lookedAt)} ago` };
  const seenAt = commitSeenAt ?? lookedAt;
  const seen = `${who} was seen at ${shortId(commit)} ${age(seenAt)} ago`;
  return ageMs(now, seenAt) <= comparingMs && failingSince === null
    ? { kind: "comparing", since: seenAt, why: `${seen}, and is being compared` }
    : { kind: "cannot-tell", since: seenAt, why: `${seen}, and that is not compared yet` };
}

const unseen: Omit<FollowedBranch, "repository" | "branch"> = {
  commit: null,
  commitSeenAt: null,
  lookedAt: null,
  comparedCommit: null,
  failingSince: null,
};

/** One of several: what cannot be told comes before what is being compared, and of two the one that is so for longer. */
export function worstKnowledge(all: readonly SourceKnowledge[]): SourceKnowledge | null {
  const rank = ["cannot-tell", "comparing", "known"] as const;
  const [worst] = all.toSorted(
    (a, b) => rank.indexOf(a.kind) - rank.indexOf(b.kind) || compareText(a.since ?? "", b.since ?? ""),
  );
  return worst ?? null;
}

/**
 * How a module stands by what is known of its source now. Only *current* rests on the source being as it was compared:
 * whatever else holds, holds whether or not it moved.
 */
export function standByKnowledge({ standing, standingWhy }: Stands, { kind, why }: SourceKnowledge): Stands {
  const isUntold = standing === "current" && kind === "cannot-tell";
  return isUntold ? { standing: "cannot-tell", standingWhy: why } : { standing, standingWhy };
}

/** Of whoever explains a module: 0 but where nobody can tell how it stands, or can tell in a moment. */
export function knowledgeCode(standing: Standing, { kind }: SourceKnowledge): 0 | 1 | 3 {
  if (standing === "cannot-tell") return 3;
  return standing === "current" && kind === "comparing" ? 1 : 0;
}

/** How a module stands, and why. */
export interface Stands {
  readonly standing: Standing;
  readonly standingWhy: string;
}
