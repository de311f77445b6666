import { describe, expect, it } from "vitest";
import type { Digest } from "../../../src/core/names.ts";
import type { Account, Answer, AnswerNode, Grant, History, JournalLine, Push, Send, Told } from "../history/history.ts";
import { checkHistory } from "./check-history.ts";

const digest = (sign: string): Digest => `sha256:${sign.repeat(64)}`;

function grant(epoch: number, committedAt: number, holder = `holder-${epoch}`): Grant {
  return { epoch, holder, committedAt };
}

function send(epoch: number, number: number, committedAt: number, more: Partial<Send> = {}): Send {
  const base = { node: "node-a", digest: digest(String(number % 10)), incarnation: "i1", push: "p1", round: number };
  return { epoch, number, committedAt, freshMs: 1_000, ...base, ...more };
}

function record(one: Send): Told {
  return { ...one, outcome: "sent" };
}

function line(one: Send, atMs: number, more: Partial<JournalLine> = {}): JournalLine {
  const { node, epoch, number, incarnation } = one;
  return { node, what: "applied", epoch, number, digest: one.digest, incarnation, atMs, ...more };
}

function account(epoch: number, number: number, boot: number, sequence: number): Account {
  return { node: "node-a", incarnation: "i1", epoch, number, boot, sequence, outcome: "applied" };
}

const first = send(1, 1, 20);
const second = send(1, 2, 30);
const third = send(2, 3, 50);

const push: Push = { id: "p1", named: ["node-a"], outcome: "settled", sent: 1 };

const answer: Answer = {
  push: "p1",
  code: 0,
  outcome: "settled",
  nodes: [{ node: "node-a", outcome: "sent", effect: "applied" }],
  atMs: 100,
};

/** Two controllers, three sends, one host that went through all of them. */
const good: History = {
  grants: [grant(1, 10), grant(2, 40)],
  sends: [first, second, third],
  told: [first, second, third].map(record),
  pushes: [push],
  baselines: [{ push: "p1", node: "node-a", digest: digest("0") }],
  journal: [line(first, 21), line(second, 31, { what: "accepted" }), line(second, 32), line(third, 51)],
  accounts: [account(1, 1, 1, 1), account(1, 1, 1, 2), account(1, 2, 1, 1), account(2, 3, 2, 1)],
  answers: [answer],
  leases: [],
  machines: [
    { node: "node-a", module: "site", wanted: "edit\n", found: "edit\n" },
    { node: "node-a", module: "shop", wanted: null, found: null },
  ],
};

const baselineB = { push: "p1", node: "node-b", digest: digest("b") };
const toldB: Told = {
  push: "p1",
  round: 9,
  node: "node-b",
  outcome: "already-current",
  epoch: null,
  number: null,
  digest: digest("b"),
};

function answerOf(more: Partial<AnswerNode>): Answer {
  return { ...answer, nodes: [{ node: "node-a", outcome: "sent", effect: "applied", ...more }] };
}

function listBroken(history: Partial<History>): string[] {
  return [...new Set(checkHistory({ ...good, ...history }).map(({ invariant }) => invariant))];
}

describe("a recorded history", () => {
  it("in which everything went as promised breaks no promise", () => {
    expect(checkHistory(good)).toEqual([]);
    expect(listBroken({ journal: [...good.journal, line(third, 60)] })).toEqual([]);
    const changedB = { ...baselineB, digest: digest("a") };
    expect(listBroken({ told: [...good.told, toldB], baselines: [...good.baselines, changedB] })).toEqual([]);
    const notB = { ...toldB, outcome: "not-worked-out", digest: null };
    expect(listBroken({ told: [...good.told, notB], baselines: [...good.baselines, baselineB] })).toEqual([]);
    const newer = { ...answerOf({ effect: "superseded" }), push: "p0" };
    const early = { ...first, push: "p0" };
    const superseded = {
      sends: [early, second, third],
      told: [early, second, third].map(record),
      pushes: [{ ...push, id: "p0" }, push],
      answers: [newer],
    };
    expect(listBroken(superseded)).toEqual([]);
    expect(listBroken({ answers: [answerOf({ outcome: "already-current", effect: "not-sent" })] })).toEqual([]);
    expect(listBroken({ answers: [{ push: null, code: 3, outcome: null, nodes: [], atMs: 1 }] })).toEqual([]);
  });

  const other = { node: "node-b", round: 9 };
  it.each<[string, string, Partial<History>]>([
    ["a host goes back", "I1", { journal: [...good.journal, line(second, 60)] }],
    [
      "a host applies other content under the same order",
      "I1",
      { journal: [line(first, 1), line(first, 2, { digest: digest("f") })] },
    ],
    ["an epoch is granted twice", "I2", { grants: [...good.grants, grant(2, 60, "another")] }],
    ["a lower epoch is granted later", "I2", { grants: [grant(2, 5), ...good.grants] }],
    ["one order is given to two nodes", "I3", { sends: [first, second, third, { ...third, ...other }] }],
    ["a host applies what is for another", "I4", { journal: [line(first, 21, { node: "node-b" })] }],
    ["a host applies what is for the host before it", "I4", { journal: [line(first, 21, { incarnation: "i2" })] }],
    [
      "a send is committed under an epoch that is over",
      "I5",
      { sends: [first, third, { ...second, committedAt: 60 }] },
    ],
    ["a send is committed under an epoch that nobody has", "I5", { grants: [grant(1, 10)] }],
    ["a send is committed before its epoch was granted", "I5", { grants: [grant(1, 25), grant(2, 40)] }],
    ["a host applies what nobody committed", "I6", { journal: [line(send(1, 7, 1), 21)] }],
    [
      "a host applies other content than what was committed",
      "I6",
      { journal: [line(first, 21, { digest: digest("e") })] },
    ],
    ["a send has no record", "I6", { told: [first, third].map(record) }],
    ["a record has no send", "I6", { told: [...good.told, record(send(1, 9, 1))] }],
    ["a record says another digest", "I6", { told: good.told.map((one) => ({ ...one, digest: digest("d") })) }],
    ["a lower number is committed later", "I7", { sends: [second, first, third] }],
    ["an account goes back", "I10", { accounts: [...good.accounts].toReversed() }],
    ["an answer says applied before the host did", "I11", { answers: [{ ...answer, atMs: 40 }] }],
    ["an answer says settled, and the records do not", "I11", { pushes: [{ ...push, outcome: "refused" }] }],
    ["an answer of 0 for what was refused", "I11", { answers: [{ ...answer, outcome: "refused" }] }],
    [
      "an answer says sent, and nothing was",
      "I11",
      { answers: [{ ...answer, nodes: [{ node: "node-z", outcome: "sent", effect: "outstanding" }] }] },
    ],
    ["a push answers 0 and names none", "I11", { answers: [{ ...answer, push: null }] }],
    ["an answer of 0 while a machine is outstanding (R48)", "I11", { answers: [answerOf({ effect: "outstanding" })] }],
    [
      "an answer of 0 for a machine that has something newer, not applied yet (R48)",
      "I11",
      { answers: [answerOf({ effect: "superseded", pending: true })] },
    ],
    [
      "an answer of 0 for a machine that was not worked out (R48)",
      "I11",
      { answers: [answerOf({ outcome: "not-worked-out", effect: "not-sent" })] },
    ],
    [
      "an answer says applied for what a host has only accepted",
      "I11",
      { journal: good.journal.map((one) => ({ ...one, what: "accepted" })) },
    ],
    [
      "an answer says superseded, and nothing newer is applied",
      "I11",
      { answers: [answerOf({ effect: "superseded" })] },
    ],
    ["a machine is sent the same again", "I14", { sends: [first, second, { ...third, digest: second.digest }] }],
    ["a push sends twice in one round", "I14", { sends: [first, second, { ...third, round: second.round }] }],
    ["a declaration is never fresh", "I15", { sends: [first, second, { ...third, freshMs: 0 }] }],
    ["a result counts more than was sent", "I9", { pushes: [{ ...push, sent: 2 }] }],
    [
      "a push tells a machine that it did not name",
      "I9",
      { told: [...good.told, { ...toldB, round: 0 }], baselines: [...good.baselines, baselineB] },
    ],
    [
      "a cascade tells a machine that it did not change (R19, case 17)",
      "I9",
      { told: [...good.told, toldB], baselines: [...good.baselines, baselineB] },
    ],
    [
      "a cascade tells a machine the same in two rounds",
      "I9",
      {
        told: [...good.told, { ...toldB, digest: digest("c") }, { ...toldB, round: 10, digest: digest("c") }],
        baselines: [...good.baselines, baselineB],
      },
    ],
    ["a cascade tells a machine that there was not when it began", "I9", { told: [...good.told, toldB] }],
    [
      "a machine has other content than was assigned",
      "L1",
      { machines: [{ node: "node-a", module: "site", wanted: "edit\n", found: "before\n" }] },
    ],
    [
      "a machine has not what was assigned",
      "L1",
      { machines: [{ node: "node-a", module: "shop", wanted: "first\n", found: null }] },
    ],
    [
      "a machine still has what was taken off it",
      "L1",
      { machines: [{ node: "node-a", module: "shop", wanted: null, found: "first\n" }] },
    ],
    ["a push never ends", "L5", { pushes: [{ ...push, outcome: null, sent: null }] }],
  ])("in which %s breaks %s", (_situation, invariant, history) => {
    expect(listBroken(history)).toContain(invariant);
  });
});
