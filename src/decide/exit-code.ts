import type { Finding, SituationWord } from "./situation.ts";

/** 0 settled · 1 pending · 2 failed, stuck, unfit, refused, did not settle · 3 cannot tell (R48). */
export type ExitCode = 0 | 1 | 2 | 3;

const codes: Readonly<Record<SituationWord, ExitCode>> = {
  current: 0,
  outstanding: 1,
  "out-of-date": 1,
  "never-told": 1,
  held: 1,
  // What it waits for may still come.
  "un-ready": 1,
  // Nothing that only takes time will change these.
  "not-worked-out": 2,
  failed: 2,
  stuck: 2,
  refused: 2,
  reverted: 2,
  // Whatever its last word was, it is old.
  silent: 3,
  "cannot-tell": 3,
};

/** What is certain and bad comes before what cannot be told, and both before what is only pending. */
export function exitCodeOf(situations: readonly Pick<Finding, "word" | "awaits">[]): ExitCode {
  // A newer tip is being compared: what nobody knows yet is not 0.
  const found = new Set(situations.map(({ word, awaits }) => (awaits === "comparison" ? 1 : codes[word])));
  return worstCode([...found]);
}

/** In the same order. */
export function worstCode(codesFound: readonly ExitCode[]): ExitCode {
  const order: readonly ExitCode[] = [2, 3, 1];
  return order.find((code) => codesFound.includes(code)) ?? 0;
}
