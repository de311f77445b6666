import { compareOrder, describeOrder } from "../../../src/decide/order.ts";
import type { Answer, History, Send } from "../history/history.ts";
import type { Check } from "./violation.ts";

/** I11: no command claims what did not happen. One that cannot tell claims nothing. */
export function checkAnswers(history: History): Check[] {
  return history.answers.flatMap((answer): Check[] => {
    if (answer.push === null)
      return answer.code === 0 ? [{ invariant: "I11", message: "a push answered 0 and names no push" }] : [];
    return [...checkOutcome(history, answer, answer.push), ...checkEffects(history, answer, answer.push)];
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

/** Each node that is said to have applied what it was sent: its own journal has that, or newer, before the answer. */
function checkEffects({ sends, journal }: History, answer: Answer, push: string): Check[] {
  return answer.nodes.flatMap(({ node, outcome, effect }): Check[] => {
    const send = newestOf(sends.filter((one) => one.push === push && one.node === node));
    if (outcome === "sent" && send === null)
      return [{ invariant: "I11", message: `push ${push} says that ${node} was sent something, and nothing was` }];
    if (effect !== "applied" || send === null) return [];
    const has = journal.some((line) => line.node === node && line.atMs <= answer.atMs && compareOrder(line, send) >= 0);
    if (has) return [];
    const message = `push ${push} says that ${node} applied ${describeOrder(send)}, and its own journal has it not`;
    return [{ invariant: "I11", message }];
  });
}

function newestOf(sends: readonly Send[]): Send | null {
  return sends.toSorted(compareOrder).at(-1) ?? null;
}
