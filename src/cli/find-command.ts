import { type CommandEntry, commandTable } from "./command-table.ts";

/**
 * The command that these words ask for, options between them ignored; null when they name none. Behind `--` nothing is an
 * option any more.
 */
export function findCommand(argv: readonly string[]): CommandEntry | null {
  const words: string[] = [];
  let areOptions = true;
  for (let index = 0; index < argv.length && words.length < 3; index += 1) {
    const word = argv[index] ?? "";
    if (!areOptions) words.push(word);
    else if (word === "--") areOptions = false;
    else if (word === "--state") index += 1;
    else if (!word.startsWith("-") && !(words.length === 0 && word === "help")) words.push(word);
  }
  for (let count = words.length; count > 0; count -= 1) {
    const found = commandTable.find((entry) => entry.words === words.slice(0, count).join(" "));
    if (found !== undefined) return found;
  }
  return null;
}
