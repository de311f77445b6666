import type { Order } from "../core/declaration.ts";
import type { Name } from "../core/names.ts";
import type { ResourceReport } from "../core/report.ts";
import { ageMs, describeAge, timeMs } from "./ages.ts";
import { cameAfter } from "./came-after.ts";
import { findStale } from "./find-stale.ts";
import { hasFailed } from "./has-failed.ts";
import { compareOrder, describeOrder } from "./order.ts";
import { listNames } from "./short-names.ts";
import type { Finding } from "./situation.ts";
import type { AccountFacts, SituationFacts } from "./situation-facts.ts";
import { isStuck } from "./track-failures.ts";

/** What the host's own words say: nothing here is inferred from what was sent to it. */
export function findingsOfHost(facts: SituationFacts): Finding[] {
  const { sent, incarnation, unreadable } = facts;
  const claimed = findClaim(facts);
  if (claimed !== null) return [...findSilence(facts, null), claimed];
  if (unreadable !== undefined)
    return [...findSilence(facts, null), { word: "cannot-tell", since: null, why: unreadable }];
  // A host that was never told anything owes no word.
  if (sent === null || incarnation === null || sent.incarnation !== incarnation) return [];
  const account = facts.account?.incarnation === incarnation ? facts.account : null;
  const silence = findSilence(facts, account);
  if (account === null) return [...silence, sayOutstanding(sent.order, sent.at, "no report of it yet")];
  const stale = silence.length > 0 ? null : findStale(account, facts.now, facts.limits.silentAfterMs);
  if (stale !== null) silence.push({ word: "cannot-tell", ...stale });
  const findings = [...silence, ...findRefusal(sent, account), ...findReversion(facts.node, sent, account)];
  // What the account says beside that is of before it went back.
  if (isRevertedFrom(sent.order, account)) return findings;
  const place = account.has === null ? -1 : compareOrder(account.has, sent.order);
  if (place > 0 && account.has !== null) {
    const why = `the host has ${describeOrder(account.has)}, these records end at ${describeOrder(sent.order)}`;
    return [...findings, { word: "cannot-tell", since: account.receivedAt, why }];
  }
  if (place < 0) {
    const { to: has } = account.reverted ?? { to: account.has };
    return [
      ...findings,
      sayOutstanding(sent.order, sent.at, `the host has ${has === null ? "nothing yet" : describeOrder(has)}`),
    ];
  }
  if (account.digest !== sent.digest) {
    const why = `the host has other content than was sent under ${describeOrder(sent.order)}`;
    return [...findings, { word: "cannot-tell", since: account.receivedAt, why }];
  }
  return [...findings, ...findOutcome(sent, account)];
}

/**
 * It has what these records never sent: its reports are no account, and its last account is of before (R35). Once it is
 * sent something above that, it is simply outstanding.
 */
function findClaim({ claim, sent, account, incarnation }: SituationFacts): Finding | null {
  if (claim === undefined || claim.incarnation !== incarnation) return null;
  const has = describeOrder(claim.order);
  if (claim.isLeftOut) {
    if (account !== null && timeMs(account.receivedAt) > timeMs(claim.heardAt)) return null;
    const why = `the host says that it has ${has}, which a recovery left out: it begins anew with another --dir (docs/operating.md, A host anew)`;
    return { word: "cannot-tell", since: claim.since, why };
  }
  if (sent !== null && compareOrder(sent.order, claim.order) > 0) return null;
  const what = claim.kind === "ahead" ? "which these records never sent" : "with other content than these records sent";
  return { word: "cannot-tell", since: claim.since, why: `the host has ${has}, ${what}` };
}

/** The outcome of exactly what it was last sent (case 40). *Applied* is the only one that says nothing here. */
function findOutcome(sent: NonNullable<SituationFacts["sent"]>, account: AccountFacts): Finding[] {
  const { outcome, resources, track, receivedAt } = account;
  const unReady = resources.filter((resource) => resource.state === "un-ready");
  const findings: Finding[] = [];
  if (isStuck(track) && isUnmended(account)) findings.push(sayStuck(track));
  if (hasFailed(account)) {
    const failed = resources.filter((resource) => resource.state === "failed");
    findings.push({ word: "failed", since: track.failingSince ?? receivedAt, why: sayResources(failed) });
  }
  if (outcome === "un-ready" || unReady.length > 0) {
    findings.push({ word: "un-ready", since: receivedAt, why: sayResources(unReady) });
  }
  // A report that claims *applied* over a resource that is not is not believed (case 33).
  const unfinished = outcome === "none" || outcome === "half" || resources.some(isUnfinished);
  if (findings.length === 0 && unfinished) {
    findings.push(sayOutstanding(sent.order, sent.at, sayResources(resources.filter(isUnfinished))));
  }
  return findings;
}

/** A count goes on over reports that end nothing: of what the last one read back as wanted, nobody is told to mend it. */
function isUnmended({ track, resources }: AccountFacts): boolean {
  const mended = new Set(resources.flatMap(({ id, state }) => (state === "applied" ? [id] : [])));
  return track.failing.length === 0 || track.failing.some((id) => !mended.has(id));
}

function isUnfinished({ state }: ResourceReport): boolean {
  return state === "waiting" || state === "failed";
}

/** What was heard before this host was enrolled was another's word. */
function lastWordOf({ lastContactAt, enrolledAt }: SituationFacts, account: AccountFacts | null): string | null {
  const last = lastContactAt ?? account?.receivedAt ?? null;
  return last !== null && enrolledAt != null && timeMs(last) < timeMs(enrolledAt) ? null : last;
}

/**
 * Nobody is silent to a controller that does not run: then its host cannot be told to be, unless it was so before. One that
 * never said a word is so since it was enrolled: counted from what it was last sent, each push would begin its time anew.
 */
function findSilence(facts: SituationFacts, account: AccountFacts | null): Finding[] {
  const { now, limits, sent, enrolledAt, listening } = facts;
  const last = lastWordOf(facts, account);
  const from = last ?? enrolledAt ?? sent?.at ?? now;
  if (timeMs(from) - timeMs(now) > limits.silentAfterMs) {
    const why = `its host was heard last at ${from}, which is still to come: the records' clock was set back since`;
    return [{ word: "cannot-tell", since: null, why }];
  }
  const age = ageMs(now, from);
  if (age <= limits.silentAfterMs) return [];
  const word = last === null ? "its host never said a word" : `no word of its host for ${describeAge(age)}`;
  if (listening?.by !== "nobody") return [{ word: "silent", since: last ?? enrolledAt ?? sent?.at ?? null, why: word }];
  const { since } = listening;
  const nobody = since === null ? "no controller runs" : `no controller has run since ${since}`;
  if (since !== null && ageMs(since, from) > limits.silentAfterMs)
    return [{ word: "silent", since: last ?? enrolledAt ?? sent?.at ?? null, why: `${word}, and ${nobody}` }];
  return [{ word: "cannot-tell", since: since ?? last, why: `${nobody}, so nobody hears its host: ${word}` }];
}

/** A refusal counts while it is about what the node was last sent; older ones are history. */
function findRefusal(sent: NonNullable<SituationFacts["sent"]>, account: AccountFacts): Finding[] {
  if (account.has !== null && compareOrder(account.has, sent.order) === 0) return [];
  const refusal = account.refusals.findLast(
    ({ check, offered, at }) =>
      // A root is no declaration: the one that the host has goes on.
      check !== "root" &&
      // One that could not even be read is taken for the last send when it came after it.
      (offered === null ? cameAfter(at, sent.at, account) : compareOrder(offered, sent.order) === 0),
  );
  if (refusal === undefined) return [];
  return [{ word: "refused", since: refusal.at, why: `the host refused it (${refusal.check}): ${refusal.message}` }];
}

/** Refusals that are not about the last send: somebody offers this host what is not ours, or not new (case 45). */
export function listNotices({ sent, account, keepsOrder = true }: SituationFacts): string[] {
  const unordered = "its host does not keep order: an older declaration that is sent to it again is applied (R37)";
  return [...(keepsOrder ? [] : [unordered]), ...listUnread(account), ...listRefused(sent, account)];
}

/** Its account may be older than its host's last word: what it said in between did not read here. */
function listUnread(account: AccountFacts | null): string[] {
  const { unread } = account ?? {};
  if (unread === undefined) return [];
  const what = unread.count === 1 ? "one of its reports" : `${unread.count} of its reports`;
  return [`${what} could not be read by its controller since its host started, the last because: ${unread.why}`];
}

function listRefused(sent: SituationFacts["sent"], account: AccountFacts | null): string[] {
  if (account === null) return [];
  const counted = sent === null ? [] : findRefusal(sent, account);
  const others = account.refusals.filter((refusal) => !counted.some((finding) => finding.since === refusal.at));
  return others.map(({ check, message, count, at, offered }) => {
    const unread = check === "root" ? "a root" : "something it could not read";
    const what = offered === null ? unread : `declaration ${describeOrder(offered)}`;
    return `refused ${what} (${check}): ${message}; ${count === 1 ? "once" : `${count} times`}, last at ${at}`;
  });
}

/** What ends it: a report of something that it did not have then. */
function findReversion(node: Name, sent: NonNullable<SituationFacts["sent"]>, account: AccountFacts): Finding[] {
  const { reverted } = account;
  if (reverted === undefined || reverted === null) return [];
  const to = reverted.to === null ? "before its first declaration" : describeOrder(reverted.to);
  const end = isRevertedFrom(sent.order, account)
    ? `\`push ${node}\` sends it what it should be, and its report of that ends this`
    : `its report of ${describeOrder(sent.order)} ends this`;
  return [{ word: "reverted", since: reverted.since, why: `back to ${to}: ${reverted.why}; ${end}` }];
}

/** Its host had that, or more, before it went back: what it makes of it now, nobody keeps. As `standingSend` has it. */
export function isRevertedFrom(order: Order, { reverted, has }: Pick<AccountFacts, "reverted" | "has">): boolean {
  return reverted !== undefined && reverted !== null && has !== null && compareOrder(has, order) >= 0;
}

function sayStuck(track: AccountFacts["track"]): Finding {
  const same = `${listNames(track.failing, 3)} failed ${track.failingCount} times in a row`;
  const any = `no success in ${track.noSuccessCount} reports, last failing: ${listNames(track.failing, 3)}`;
  const isSame = track.failingCount >= 3;
  return { word: "stuck", since: isSame ? track.failingSince : track.noSuccessSince, why: isSame ? same : any };
}

function sayOutstanding(order: Parameters<typeof describeOrder>[0], since: string, more: string): Finding {
  return {
    word: "outstanding",
    since,
    why: `told ${describeOrder(order)}, not applied yet${more === "" ? "" : `: ${more}`}`,
  };
}

function sayResources(resources: readonly ResourceReport[]): string {
  return listNames(
    resources.map(({ id, message }) => `${id}: ${message}`),
    2,
  );
}
