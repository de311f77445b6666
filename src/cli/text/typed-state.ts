import { commandTable } from "../command-table.ts";
import { quoteWord } from "./quote-word.ts";

/** What stands behind `--state`, by the words alone; null: it was not typed. Behind `--` nothing is an option. */
export function readTypedState(argv: readonly string[]): string | null {
  const end = argv.indexOf("--");
  const words = argv.slice(0, end === -1 ? argv.length : end);
  // The last one counts, as it does where options are read.
  const at = words.findLastIndex((word) => word === "--state" || word.startsWith("--state="));
  if (at === -1) return null;
  const word = words[at] ?? "";
  return (word === "--state" ? argv[at + 1] : word.slice("--state=".length)) ?? null;
}

/** A step that somebody is told, up to the end of its line; a command's own help is about no mesh. */
const step = /\b(?:next|then): .*$/gm;
const command = /(?<![\w/.@-])mesh ([a-z]+)(?!.* --help)/g;
const firstWords = new Set(commandTable.map(({ words }) => words.split(" ")[0]));

/** Is a step among these lines that finds its mesh by itself: a command of mesh which says nothing of `--state`? */
export function leavesStateOut(text: string): boolean {
  return (text.match(step) ?? []).some(
    (line) => !line.includes("--state") && [...line.matchAll(command)].some(([, word]) => firstWords.has(word ?? "")),
  );
}

/** Told beside steps: without it they would be about another mesh, or none. */
export function sayTypedState(state: string): string {
  return `with --state ${quoteWord(state)}, as typed`;
}
