import type { SituationWord } from "./situation.ts";

/** How a node stands, as a person reads it everywhere: *un-ready* is one word, *out of date* are three. */
export function sayWord(word: SituationWord): string {
  return word === "un-ready" ? word : word.replaceAll("-", " ");
}
