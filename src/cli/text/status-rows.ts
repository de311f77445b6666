import { compareText } from "../../decide/short-names.ts";
import type { StatusModule, StatusNode } from "../status/build-status.ts";
import { sayWord } from "../../decide/say-word.ts";

/** Of each kind so many rows are read by a person; `mesh status --all` and a document have every one. */
export const rowsShown = 200;

export interface Shown<T> {
  readonly rows: readonly T[];
  /** Above the rows, or below them; empty: all of them are there. */
  readonly counts: string;
  readonly left: string;
}

/** Of many nodes: how many stand how, and the rows of those that are not *current*. */
export function boundNodes(nodes: readonly StatusNode[], limit: number): Shown<StatusNode> {
  return bound(nodes, {
    noun: "nodes",
    limit,
    sayStand: ({ word }) => sayWord(word),
    isSettled: ({ word, all }) =>
      word === "current" && all.every((one) => one.word === "current" && one.awaits === undefined),
  });
}

/** Of many modules: how many stand how, and the lines of those that are not current, or not applied wherever they are to run. */
export function boundModules(modules: readonly StatusModule[], limit: number): Shown<StatusModule> {
  return bound(modules, {
    noun: "modules",
    limit,
    sayStand: ({ standing }) => standing.replaceAll("-", " "),
    isSettled: (one) =>
      one.standing === "current" &&
      one.sourceKnown === "known" &&
      one.findings === null &&
      one.heldCommit === null &&
      one.notReproducible === null &&
      one.runsOn.every(({ word, applied }) => word === "current" && applied),
  });
}

/** The rows of a section: of many the first. */
export function boundRows<T>(rows: readonly T[], limit: number): readonly (T | readonly string[])[] {
  return rows.length <= limit ? rows : [...rows.slice(0, limit), [sayLeft(rows.length - limit)]];
}

interface Kind<T> {
  readonly noun: string;
  readonly limit: number;
  readonly sayStand: (one: T) => string;
  readonly isSettled: (one: T) => boolean;
}

function bound<T>(all: readonly T[], { noun, limit, sayStand, isSettled }: Kind<T>): Shown<T> {
  if (all.length <= limit) return { rows: all, counts: "", left: "" };
  const counts = new Map<string, number>();
  for (const one of all) counts.set(sayStand(one), (counts.get(sayStand(one)) ?? 0) + 1);
  const words = [...counts].toSorted(([a, x], [b, y]) => y - x || compareText(a, b));
  const open = all.filter((one) => !isSettled(one));
  return {
    rows: open.slice(0, limit),
    counts: `${all.length} ${noun}: ${words.map(([word, count]) => `${count} ${word}`).join(", ")} (--all shows each)`,
    left: open.length > limit ? sayLeft(open.length - limit) : "",
  };
}

function sayLeft(count: number): string {
  return `and ${count} more (--all shows each)`;
}
