import type { Name } from "../core/names.ts";
import { ageMs, describeAge } from "./ages.ts";
import { saidAt } from "./find-stale.ts";
import { findingsOfHost, listNotices } from "./findings-of-host.ts";
import { findingsOfRecords } from "./findings-of-records.ts";
import { judgeSource, type SourceKnowledge, worstKnowledge } from "./judge-source.ts";
import type { SituationFacts } from "./situation-facts.ts";

/** The words of R31, and no others. */
export type SituationWord =
  | "current"
  | "outstanding"
  | "out-of-date"
  | "never-told"
  | "not-worked-out"
  | "failed"
  | "stuck"
  | "un-ready"
  | "held"
  | "refused"
  | "reverted"
  | "silent"
  | "cannot-tell";

/** One thing that holds about a node. */
export interface Finding {
  readonly word: SituationWord;
  /** ISO; null: not known. */
  readonly since: string | null;
  /** A sentence. */
  readonly why: string;
  /** What must come before a push can tell it anything; or, of what is current, before anybody can tell that it still is. */
  readonly awaits?: "enrolment" | "comparison";
  /** Modules that nothing is wrong with, and of which nothing new reaches the node meanwhile. */
  readonly heldUp?: readonly Name[];
}

/** The word that comes first, and everything that holds. */
export interface Situation extends Finding {
  readonly node: Name;
  /** When what it says was known: it rots by age when read. */
  readonly knownAt: string;
  /** All findings, the primary one first. */
  readonly all: readonly Finding[];
  /** Sentences worth saying that are no situation of the node: what its host refused besides. */
  readonly notices: readonly string[];
}

/** Which word is said when several hold: the first. */
const precedence: readonly SituationWord[] = [
  // Nothing below is knowledge any more.
  "cannot-tell",
  // What its last report said may be over: the last word is old (cases 30, 32).
  "silent",
  // It does not even take what it is told: nothing else can mend it.
  "refused",
  // A failure that repeats needs a person; a single one may pass.
  "stuck",
  "reverted",
  "failed",
  // Applied, and waits for something beside it.
  "un-ready",
  // The records do not say what it should be: a push cannot help.
  "not-worked-out",
  // Automation left it where it is: a push by name moves it.
  "held",
  "never-told",
  // On its way.
  "outstanding",
  // It has what it was told, and would now be told something else.
  "out-of-date",
  "current",
];

/**
 * A node's situation. Every row that matches is listed, the first by precedence is the word. *Current* is said only
 * where nothing else holds, and never on old knowledge.
 */
export function situationOf(facts: SituationFacts): Situation {
  const findings = [...findingsOfHost(facts), ...findingsOfRecords(facts)];
  const sources = worstKnowledge((facts.sources ?? []).map((source) => judgeSource(source, facts)));
  const blind = findBlindness(facts, findings.length > 0 ? null : sources);
  const found = [...findings, ...blind].toSorted((a, b) => precedence.indexOf(a.word) - precedence.indexOf(b.word));
  const all: readonly [Finding, ...Finding[]] = isSome(found) ? found : [sayCurrent(facts, sources)];
  const [primary] = all;
  return { ...primary, node: facts.node, knownAt: knownAt(facts), all, notices: listNotices(facts) };
}

/** What `push --behind` acts on, and what `status` calls behind: one function for both (R31). */
export function isBehind({ all }: Pick<Situation, "all">): boolean {
  const words = new Set(all.map((finding) => finding.word));
  const isTellable = !words.has("not-worked-out") && all.every(({ awaits }) => awaits === undefined);
  return words.has("out-of-date") || words.has("held") || (words.has("never-told") && isTellable);
}

/** Why a node is behind: not what else holds about it, though that may be its word (a push tells it for this reason). */
export function whyBehind({ all }: Pick<Situation, "all">): string | null {
  for (const word of ["out-of-date", "never-told", "held"] as const) {
    const finding = all.find((one) => one.word === word);
    if (finding !== undefined) return finding.why;
  }
  return null;
}

/** Knowledge that is too old to say anything by, or to say *current* by. `sources` null: it rests on none. */
function findBlindness({ now, readAt, limits }: SituationFacts, sources: SourceKnowledge | null): Finding[] {
  const readAge = ageMs(now, readAt);
  if (readAge > limits.recordsStaleAfterMs) {
    return [{ word: "cannot-tell", since: readAt, why: `the records were last read ${describeAge(readAge)} ago` }];
  }
  // Something that holds is true whether or not a source moved meanwhile.
  return sources?.kind === "cannot-tell" ? [{ word: "cannot-tell", since: sources.since, why: sources.why }] : [];
}

/** Since it was read back as applied without an end of that since; what is known from before that was kept: since it was told. */
function sayCurrent({ sent, account }: SituationFacts, sources: SourceKnowledge | null): Finding {
  const why = "what it should be is what it was told, and the host read all of it back";
  const since = account?.track.appliedSince ?? sent?.at ?? null;
  if (sources?.kind !== "comparing") return { word: "current", since, why };
  return { word: "current", since, why: `${why}; ${sources.why}`, awaits: "comparison" };
}

/** A row is as old as the oldest thing it rests on: the host's word, or our reading of the records. */
function knownAt({ account, claim, incarnation, sent, lastContactAt, readAt }: SituationFacts): string {
  if (sent === null) return readAt;
  const own = account?.incarnation === incarnation ? account : null;
  // That its host asked something since tells nothing of how it stands there.
  const word = claim?.heardAt ?? (own === null ? (lastContactAt ?? sent.at) : saidAt(own));
  return ageMs(readAt, word) > 0 ? word : readAt;
}

function isSome(findings: readonly Finding[]): findings is readonly [Finding, ...Finding[]] {
  return findings.length > 0;
}
