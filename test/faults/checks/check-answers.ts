import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import type { Answer, AnswerNode, History, Send } from "../history/history.ts";
import type { Check } from "./violation.ts";

/** I11: no command claims what did not happen. One that cannot tell claims nothing. */
export function checkAnswers(history: History): Check[] {
  return history.answers.flatMap((answer): Check[] => {
    if (answer.push === null)
      return answer.code === 0 ? [{ invariant: "I11", message: "a push answered 0 and names no push" }] : [];
    return [
      ...checkOutcome(history, answer, answer.push),
      ...checkSettled(answer, answer.push),
      ...checkEffects(history, answer, answer.push),
    ];
  });
}

function checkOutcome({ pushes }: History, { code, outcome }: Answer, id: string): Check[] {
  const push = pushes.find((one) => one.id === id);
  const isEnd = outcome !== null && outcome !== "under-way";
  if ((code === 0 || isEnd) && push?.outcome !== outcome) {
    const message = `push ${id} was said to have ended as ${outcome} (${code}), and the records say ${push?.outcome ?? "nothing"}`;
    return [{ invariant: "I11", message }];
  }
  if (code === 0 && outcome !== "settled")
    return [{ invariant: "I11", message: `push ${id} answered 0, and its outcome is ${outcome}` }];
  return [];
}

/** R48: 0 only where each machine is as it was told, or as it was told since. */
function checkSettled({ code, nodes }: Answer, id: string): Check[] {
  if (code !== 0) return [];
  return nodes
    .filter((node) => !isSettled(node))
    .map(({ node, outcome, effect, pending }) => {
      const how = `${outcome}, ${effect}${pending === true ? " by what is not applied yet" : ""}`;
      return { invariant: "I11", message: `push ${id} answered 0, and says of ${node}: ${how}` };
    });
}

function isSettled({ outcome, effect, pending }: AnswerNode): boolean {
  if (effect === "not-sent") return outcome === "already-current";
  return effect === "applied" || (effect === "superseded" && pending !== true);
}

/**
 * Each node that is said to have applied what it was sent, or something newer: its own journal has gone by that before the
 * answer.
 */
function checkEffects({ sends, journal }: History, answer: Answer, push: string): Check[] {
  return answer.nodes.flatMap(({ node, outcome, effect, pending }): Check[] => {
    const send = newestOf(sends.filter((one) => one.push === push && one.node === node));
    if (outcome === "sent" && send === null)
      return [{ invariant: "I11", message: `push ${push} says that ${node} was sent something, and nothing was` }];
    const isNewer = effect === "superseded" && pending !== true;
    if (send === null || !(effect === "applied" || isNewer)) return [];
    const has = journal.some(
      (line) =>
        line.node === node &&
        line.what === "applied" &&
        line.atMs <= answer.atMs &&
        compareOrder(line, send) >= (isNewer ? 1 : 0),
    );
    if (has) return [];
    const what = `${isNewer ? "something newer than " : ""}${describeOrder(send)}`;
    const message = `push ${push} says that ${node} applied ${what}, and its own journal has it not`;
    return [{ invariant: "I11", message }];
  });
}

function newestOf(sends: readonly Send[]): Send | null {
  return sends.toSorted(compareOrder).at(-1) ?? null;
}
