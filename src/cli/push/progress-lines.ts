import { compareText } from "../../decide/short-names.ts";
import { plainLine } from "../text/plain.ts";
import type { PushedNode } from "../text/push-text.ts";
import { sayEffect } from "../text/say-effect.ts";

/** Up to so many nodes each has lines of its own; of more, how many are how far says enough. */
const singleLines = 50;
/** Of many, a line whenever a count has moved by such a part of them. */
const parts = 20;

/** What is new of a push since it was asked last, in lines. */
export function createProgressLines(): (nodes: readonly PushedNode[]) => string[] {
  const said = new Set<string>();
  const isNews = (what: string): boolean => said.size !== said.add(what).size;
  return (nodes) => {
    if (nodes.length <= singleLines)
      return nodes
        .map((node) => ({ words: wordsOf(node), node }))
        .filter(({ words, node }) => node.effect !== "failed" && isNews(`${node.node}: ${words}`))
        .map(({ words, node }) => `  ${node.node}: ${words} (${plainLine(node.why, whyLimit(node))})`);
    const counts = countByWords(nodes);
    const step = Math.ceil(nodes.length / parts);
    const stands = [...counts].map(([words, count]) => `${words} ${Math.floor(count / step)}`).join(", ");
    if (!isNews(stands)) return [];
    return [`  ${nodes.length} nodes: ${[...counts].map(([words, count]) => `${count} ${words}`).join("; ")}`];
  };
}

/** Why it was not told ends with the command that helps, which a person types as it stands. */
function whyLimit({ effect }: PushedNode): number {
  return effect === "not-sent" ? 1000 : 160;
}

/** A service that starts fails for a moment: while it is under way that is no news, at the end it is. */
function wordsOf(node: PushedNode): string {
  const outcome = node.outcome.replaceAll("-", " ");
  return node.effect === "not-sent" ? outcome : `${outcome}, ${sayEffect(node.effect)}`;
}

function countByWords(nodes: readonly PushedNode[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(wordsOf(node), (counts.get(wordsOf(node)) ?? 0) + 1);
  return new Map([...counts].toSorted(([a], [b]) => compareText(a, b)));
}
