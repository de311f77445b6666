import { beforeAll, describe, expect, it } from "vitest";
import { epochStartMs, type GateCommit } from "../store/backend.ts";
import { type KeptDeclaration, newestDeclaration, put, type Records } from "../store/state.ts";
import { createCommitChecks } from "./check-commits.ts";
import { commitsPlayed, type Played, playPushes } from "./play-pushes.ts";
import { ViolationError } from "./violation.ts";

let played: Played;
beforeAll(async () => {
  played = await playPushes();
});

type Which = keyof typeof commitsPlayed;
type Plant = (commit: GateCommit, before: GateCommit) => Partial<GateCommit>;

/** The promise that is named where this commit is made wrong, or null. */
function findBroken(which: Which, plant: Plant): string | null {
  const checks = createCommitChecks(played.open);
  let at = -1;
  let before: GateCommit | null = null;
  try {
    for (const one of played.shown) {
      if (one.what === "look") checks.look(one.change);
      else {
        at += 1;
        const { commit } = one;
        checks.see(at === commitsPlayed[which] ? { ...commit, ...plant(commit, before ?? commit) } : commit);
        before = commit;
      }
    }
    for (const push of ["push-1", "push-2", "push-3"]) checks.settled(push);
    return null;
  } catch (error) {
    if (error instanceof ViolationError) return error.invariant;
    throw error;
  }
}

/** The newest declaration to a node, otherwise. */
function otherwise(
  records: Records,
  node: string,
  change: (kept: KeptDeclaration) => KeptDeclaration,
): Pick<Records, "declarations"> {
  const newest = newestDeclaration(records, node);
  if (newest === null) throw new Error(`nothing was sent to ${node}`);
  const list = (records.declarations.get(node) ?? []).map((one) => (one === newest ? change(one) : one));
  return { declarations: put(records.declarations, node, list) };
}

function sentOtherwise(records: Records, node: string, sent: Partial<KeptDeclaration["sent"]>): Records {
  return { ...records, ...otherwise(records, node, (kept) => ({ ...kept, sent: { ...kept.sent, ...sent } })) };
}

/** As if it had been sent something else before. */
function sentBefore(
  { before, after }: GateCommit,
  node: string,
  sent: Partial<KeptDeclaration["sent"]>,
): Partial<GateCommit> {
  const changed = sentOtherwise(before, node, sent);
  const added = (after.declarations.get(node) ?? []).slice(before.declarations.get(node)?.length ?? 0);
  const list = [...(changed.declarations.get(node) ?? []), ...added];
  return { before: changed, after: { ...after, declarations: put(after.declarations, node, list) } };
}

function withPush(records: Records, id: string, change: object): Records {
  const push = records.pushes.get(id);
  if (push === undefined) throw new Error(`no ${id}`);
  return { ...records, pushes: put(records.pushes, id, { ...push, ...change }) };
}

/** As if a push had withdrawn every credential. */
function withdrawn(records: Records): Records["provisions"] {
  return records.provisions.map((one) => ({ ...one, provision: { ...one.provision, state: "owed" } }));
}

const digest = `sha256:${"f".repeat(64)}`;
const stop = { since: "2026-01-01T00:00:00.000Z", reason: "hosts-ahead" } as const;

describe("three pushes as the checks see them", () => {
  it("break no promise where nothing is wrong", () => {
    expect(findBroken("rebuilt", () => ({}))).toBeNull();
    expect(played.shown.filter(({ what }) => what === "commit")).toHaveLength(4);
  });

  it.each<[string, string, Which, Plant]>([
    [
      "one order is given to two nodes (R27)",
      "I3",
      "consumer",
      ({ after, before }) => {
        const first = newestDeclaration(before, "node-a")?.sent.order;
        return { after: first === undefined ? after : sentOtherwise(after, "node-b", { order: first }) };
      },
    ],
    ["an epoch that is over commits (R36)", "I5", "rebuilt", ({ after }) => ({ after: { ...after, epoch: 2 } })],
    [
      "the mailbox has what no push records (R28)",
      "I6",
      "consumer",
      ({ after, before }) => ({ after: { ...after, told: before.told } }),
    ],
    [
      "the mailbox has another content than the record (R28)",
      "I6",
      "consumer",
      ({ after }) => ({
        after: { ...after, ...otherwise(after, "node-b", (kept) => ({ ...kept, mail: { ...kept.mail, digest } })) },
      }),
    ],
    ["the moments of two commits overlap (R27)", "I7", "consumer", (_commit, last) => ({ takenAt: last.committedAt })],
    ["a lower number is read later (R27)", "I7", "consumer", () => ({ numbers: [1] })],
    [
      "what is sent is not what the records said (R29)",
      "I7",
      "consumer",
      ({ after }) => ({
        after: {
          ...after,
          ...otherwise(after, "node-b", ({ sent, mail, granted }) => ({
            sent: { ...sent, digest },
            mail: { ...mail, digest },
            granted,
          })),
        },
      }),
    ],
    [
      "content is older than what was sent before (R30)",
      "I8",
      "consumer",
      (_commit, last) => ({ wish: last.wish - 1 }),
    ],
    [
      "a credential that was withdrawn is composed (R20)",
      "I8c",
      "provider",
      ({ after }) => ({ after: { ...after, provisions: withdrawn(after) } }),
    ],
    [
      "a push that has ended tells somebody (R18)",
      "I9",
      "consumer",
      ({ before }) => ({ before: withPush(before, "push-2", { endedAt: stop.since }) }),
    ],
    [
      "a round tells a node twice (R18)",
      "I9",
      "consumer",
      ({ before, after }) => ({ before: { ...before, told: after.told } }),
    ],
    [
      "a push tells whom it neither named nor changed (R19)",
      "I9",
      "rebuilt",
      ({ after, view }) => ({
        after: withPush(after, "push-3", { named: [] }),
        view: withPush(view, "push-3", { named: [] }),
      }),
    ],
    [
      "a cascade carries a build that was not sent there before (R21)",
      "I9b",
      "provider",
      ({ after }) => ({ after: sentOtherwise(after, "node-a", { builds: { broker: digest } }) }),
    ],
    [
      "a policy moves what is not under it (R14)",
      "I9b",
      "rebuilt",
      ({ view }) => ({ view: withPush(view, "push-3", { kind: "auto" }) }),
    ],
    [
      "a machine is sent what it was sent last (R19)",
      "I14",
      "rebuilt",
      (commit) => {
        const sent = newestDeclaration(commit.after, "node-a")?.sent;
        return sent === undefined ? {} : sentBefore(commit, "node-a", { digest: sent.digest });
      },
    ],
    [
      "a declaration says it was issued when its number was not held (R34)",
      "I15",
      "rebuilt",
      ({ nowMs }) => ({ takenMs: nowMs }),
    ],
    [
      "something is committed while the mesh is stopped (R35)",
      "I16",
      "rebuilt",
      ({ before }) => ({ before: { ...before, stop } }),
    ],
    [
      "most of what a machine runs is taken from it, and nobody confirmed that (R26)",
      "I19",
      "rebuilt",
      (commit) => {
        const builds = { broker: digest, clock: digest, page: digest, both: digest, rows: digest };
        return sentBefore(commit, "node-a", { builds });
      },
    ],
    [
      "who is served is taken off its provider, and nobody did that (R3, case 22)",
      "I20",
      "rebuilt",
      ({ view }) => ({ view: { ...view, provisions: withdrawn(view) } }),
    ],
  ])("%s: %s is named", (_what, invariant, which, plant) => {
    expect(findBroken(which, plant)).toBe(invariant);
  });

  it("says that a declaration is stale too early or too late: I15 is named (R34)", () => {
    const { open } = played;
    const checks = createCommitChecks((envelope) => ({
      ...open(envelope),
      staleAfter: new Date(epochStartMs).toISOString(),
    }));
    const [first] = played.shown.flatMap((one) => (one.what === "commit" ? [one.commit] : []));
    if (first === undefined) throw new Error("nothing was committed");
    expect(() => checks.see(first)).toThrow("I15");
  });
});

describe("a push that settled", () => {
  it("and looked at nobody since it told somebody: I9 is named (R18)", () => {
    const checks = createCommitChecks(played.open);
    for (const one of played.shown) if (one.what === "commit") checks.see(one.commit);
    expect(() => checks.settled("push-2")).toThrow("I9");
  });

  it("and left somebody at what it should no longer be: I9 is named (R18)", () => {
    const checks = createCommitChecks(played.open);
    for (const one of played.shown) {
      if (one.what === "commit") checks.see(one.commit);
      else checks.look({ ...one.change, told: one.change.told.filter(({ round }) => round === 0) });
    }
    expect(() => checks.settled("push-2")).toThrow("I9");
  });
});
