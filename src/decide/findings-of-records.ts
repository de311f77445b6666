import type { Name } from "../core/names.ts";
import type { Problem } from "./composition.ts";
import { isRevertedFrom } from "./findings-of-host.ts";
import { compareOrder, describeOrder } from "./order.ts";
import { compareText, listNames } from "./short-names.ts";
import type { Finding } from "./situation.ts";
import type { SituationFacts } from "./situation-facts.ts";

/** What the records say the node should be, beside what it was told. */
export function findingsOfRecords(facts: SituationFacts): Finding[] {
  const { composition, sent, incarnation, lastTold, changedSince } = facts;
  const isTold = sent !== null && sent.incarnation === incarnation;
  const findings: Finding[] = [];
  // What it should be is not in question, nor is anything that failed: nobody is there yet to be told.
  const awaited = composition.kind === "not-worked-out" ? composition.problems.find(isNotEnrolled) : undefined;
  if (awaited !== undefined) return [{ word: "never-told", since: null, why: awaited.why, awaits: "enrolment" }];
  if (composition.kind === "not-worked-out") {
    const heldUp = modulesHeldUp(facts);
    const why = [
      ...composition.problems.map((problem) => problem.why),
      ...(heldUp.length === 0 ? [] : [`until then nothing new of ${listNames(heldUp)} reaches it either`]),
    ].join("; ");
    findings.push({ word: "not-worked-out", since: changedSince, why, ...(heldUp.length === 0 ? {} : { heldUp }) });
  }
  if (composition.kind === "held") {
    findings.push({ word: "held", since: changedSince, why: composition.holds.map((hold) => hold.why).join("; ") });
  }
  if (!isTold) {
    const why =
      sent === null ? "it was never told anything" : "its host was enrolled again and was not told anything yet";
    return [...findings, { word: "never-told", since: null, why: `${why}: \`push ${facts.node}\` sends it` }];
  }
  if (composition.kind !== "composed") return findings;
  if (isOvertaken(facts, sent)) {
    const why = `what its host has is not what these records sent: \`push ${facts.node}\` sends it that`;
    return [...findings, { word: "out-of-date", since: facts.claim?.since ?? null, why }];
  }
  const { account } = facts;
  if (account?.incarnation === incarnation && isRevertedFrom(sent.order, account)) {
    const why = `its host went back from what it was sent: \`push ${facts.node}\` sends it that again`;
    return [...findings, { word: "out-of-date", since: account.reverted?.since ?? null, why }];
  }
  if (composition.digest === sent.digest) return findings;
  // What a push made of it holds until it is sent, and only while there is something to send.
  if (lastTold !== null && lastTold.at > sent.at) {
    findings.push({ word: "held", since: lastTold.at, why: lastTold.why });
  }
  return [...findings, { word: "out-of-date", since: changedSince, why: explainDifference(facts, sent) }];
}

/** Modules without a problem of their own that this node would be sent something new of, were it worked out. Sorted. */
function modulesHeldUp({ composition, sent }: Pick<SituationFacts, "composition" | "sent">): Name[] {
  if (composition.kind !== "not-worked-out" || composition.builds === undefined) return [];
  const blamed = new Set(composition.problems.map((problem) => problem.module));
  const last = sent?.builds ?? {};
  return Object.entries(composition.builds)
    .filter(([module, build]) => !blamed.has(module) && !(Object.hasOwn(last, module) && last[module] === build))
    .map(([module]) => module)
    .toSorted(compareText);
}

function isNotEnrolled({ code }: Problem): boolean {
  return code === "not-enrolled";
}

/** As `standingSend` does, by which a push decides. */
function isOvertaken({ claim, incarnation }: SituationFacts, sent: NonNullable<SituationFacts["sent"]>): boolean {
  if (claim === undefined || claim.isLeftOut || claim.incarnation !== incarnation) return false;
  return compareOrder(claim.order, sent.order) >= 0;
}

function explainDifference({ composition }: SituationFacts, sent: NonNullable<SituationFacts["sent"]>): string {
  if (composition.kind !== "composed") return "";
  const was = sent.builds;
  const now = composition.content.builds;
  if (was === null) return `it was last sent ${describeOrder(sent.order)}, without a record of its builds`;
  const changes = [...new Set([...Object.keys(was), ...Object.keys(now)])].toSorted().flatMap((module) => {
    if (!Object.hasOwn(was, module)) return [`${module} is new`];
    if (!Object.hasOwn(now, module)) return [`${module} is gone`];
    return was[module] === now[module] ? [] : [`${module} has a newer build`];
  });
  // Same builds, other content: configuration, an endpoint, a grant list.
  const what = changes.length === 0 ? "its settings, its providers or its grants changed" : changes.join(", ");
  return `since it was sent ${describeOrder(sent.order)}: ${what}`;
}
