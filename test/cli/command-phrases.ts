import { Command, type Option } from "commander";
import { commandTable } from "../../src/cli/command-table.ts";
import { isNode, type SourceFile, type SyntaxNode, walk } from "../tidy/source-file.ts";

/** A text in which somebody may be told a command: `HOLE` stands for what a template puts in. */
export interface Told {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** A whole literal of `src`: one that is nothing but a command's name is a remedy. */
  readonly isSource?: true;
}

/** What is known of a command before it runs. */
export interface KnownCommand {
  readonly words: string;
  readonly required: number;
  /** Infinity: as many as there are. */
  readonly most: number;
  readonly options: ReadonlyMap<string, Option>;
}

const hole = "HOLE";
const common = ["--json", "--state", "--help", "-h"];

/** Every command of the table, set up as when it is typed. */
export async function readCommands(): Promise<readonly KnownCommand[]> {
  return await Promise.all(
    commandTable.map(async ({ words, load }) => {
      const command = new Command();
      (await load()).configure(command);
      command.option("--json").option("--state <dir>").option("-h, --help");
      const { registeredArguments: operands } = command;
      return {
        words,
        required: operands.filter((one) => one.required).length,
        most: operands.some((one) => one.variadic) ? Infinity : operands.length,
        options: new Map(
          command.options.flatMap((option) =>
            [option.long, option.short].flatMap((flag) => (flag ? [[flag, option]] : [])),
          ),
        ),
      };
    }),
  );
}

/** The texts of a source file: literals and templates, each whole. Comments tell nobody anything. */
export function listSourceTexts(file: SourceFile): Told[] {
  const texts: Told[] = [];
  walk(file.program, (node) => {
    const text = textOf(node);
    if (text !== null) texts.push({ path: file.path, line: file.lineOf(node.start), text, isSource: true });
  });
  return texts;
}

function textOf(node: SyntaxNode): string | null {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : null;
  if (node.type !== "TemplateLiteral" || !Array.isArray(node["quasis"])) return null;
  return node["quasis"].filter(isNode).map(cookedOf).join(hole);
}

function cookedOf({ value }: SyntaxNode): string {
  const isCooked = typeof value === "object" && value !== null && "cooked" in value;
  return isCooked ? String(value.cooked) : "";
}

/** What a document has between backticks, and behind the prompt of a pasted terminal. */
export function listDocumentTexts(path: string, document: string): Told[] {
  return document.split("\n").flatMap((line, index) => {
    const pasted = /^ {4}\$? ?(?:npx )?(mesh .*)$/.exec(line)?.[1];
    const spans = pasted === undefined ? [...line.matchAll(/`([^`]*)`/g)].map(([, span = ""]) => span) : [pasted];
    return spans.map((text) => ({ path, line: index + 1, text }));
  });
}

/** `path:line  what is wrong: the phrase`, for each command that would not do what is said of it. */
export function findWrongPhrases(told: readonly Told[], commands: readonly KnownCommand[]): string[] {
  return told.flatMap(({ path, line, text, isSource }) =>
    listPhrases(text).flatMap((words) => {
      const wrong = judge(words, commands, isSource === true ? text : null);
      return wrong === null ? [] : [`${path}:${line}  ${wrong}: mesh ${words.join(" ")}`];
    }),
  );
}

/** The words behind each `mesh`, as far as they are a command line: prose, a comment or a shell's own sign ends it. */
export function listPhrases(text: string): string[][] {
  const joined = text.replaceAll(/\\\n\s*/g, "");
  return [...joined.matchAll(/(?<![\w/.@-])mesh(?= [a-z-])((?: (?! )[^\s`|#;()→·]+)+)/g)].map(([, rest = ""]) => {
    const words: string[] = [];
    for (const typed of rest.trim().split(" ")) {
      // What a shell would take away, and what a sentence puts behind a word.
      const word = typed.replaceAll(/^["']|["']$|[,:.?!"']+$/g, "");
      if (!/^[\w${<[./~@=*…-]/.test(word)) break;
      words.push(word);
      if (/[,:;?!]$|[^.]\.$/.test(typed)) break;
    }
    return words;
  });
}

function judge(words: readonly string[], commands: readonly KnownCommand[], whole: string | null): string | null {
  const found = findCommand(words, commands);
  if (found === null) return words[0]?.startsWith("-") ? judgeBare(words) : judgeUnknown(words, commands);
  const rest = words.slice(found.words.split(" ").length);
  const { operands, given, unknown } = readLine(rest, found);
  if (unknown !== null) return `${found.words} has no option ${unknown}`;
  // Its name in a sentence is no line that somebody types. A remedy that is nothing but its name is one.
  const isNamed = operands === 0 && given.size === 0 && whole !== `mesh ${found.words}`;
  if (isNamed || given.has("--help")) return null;
  if (operands < found.required) return `${found.words} needs ${found.required} operands, not ${operands}`;
  const missing = [...found.options.values()].find((option) => option.mandatory && !given.has(option.long ?? ""));
  return missing === undefined ? null : `${found.words} needs ${missing.long}`;
}

function findCommand(words: readonly string[], commands: readonly KnownCommand[]): KnownCommand | null {
  for (let count = 3; count > 0; count -= 1) {
    const named = words.slice(0, count).join(" ");
    const found = commands.find((command) => command.words === named);
    if (found !== undefined) return found;
  }
  return null;
}

function judgeBare(words: readonly string[]): string | null {
  const flag = words[0] ?? "";
  return flag === "--version" || common.includes(flag) ? null : `mesh itself has no option ${flag}`;
}

/** A group's own help is one; other words behind `mesh` are a sentence about it, unless a group begins them. */
function judgeUnknown(words: readonly string[], commands: readonly KnownCommand[]): string | null {
  const [first = "", second = ""] = words;
  if (second === "…") return null;
  const isGroup = commands.some((command) => command.words.startsWith(`${first} `));
  if (!isGroup || second === "" || second.startsWith("-")) return null;
  const isSubgroup = commands.some((command) => command.words.startsWith(`${first} ${second} `));
  return isSubgroup || isProse(second) ? null : `there is no command ${first} ${second}`;
}

interface Line {
  readonly operands: number;
  readonly given: ReadonlySet<string>;
  readonly unknown: string | null;
}

function readLine(rest: readonly string[], command: KnownCommand): Line {
  const given = new Set<string>();
  let operands = 0;
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? "";
    if (word === "--") continue;
    if (/^--?[a-z]/.test(word)) {
      // A template may go on behind it: `--watch${where}`.
      const [flag = ""] = word.replace(new RegExp(`${hole}$`), "").split("=");
      const option = command.options.get(flag);
      if (option === undefined) return { operands, given, unknown: flag };
      given.add(flag);
      if ((option.required || option.optional) && !word.includes("=") && isOperand(rest[at + 1] ?? "")) at += 1;
      while (option.variadic && isOperand(rest[at + 1] ?? "")) at += 1;
    } else if (isOperand(word) || (operands < command.required && isExample(word))) operands += 1;
    else break;
    if (operands > command.most) break;
  }
  return { operands, given, unknown: null };
}

/** A placeholder, a hole, or a word that no sentence has: a name with a sign or a digit in it, a path, a pair. */
function isOperand(word: string): boolean {
  return word.includes(hole) || /^[A-Z][A-Z_-]+…?$/.test(word) || (/[\w~]/.test(word) && /[-/.=@0-9<[]/.test(word));
}

/** Names of the examples: they are words too. */
const examples = new Set([
  "meshboard",
  "core",
  "postgres",
  "shop",
  "web",
  "clock",
  "declaration",
  "provenance",
  "root",
]);

function isExample(word: string): boolean {
  return examples.has(word);
}

/** Words that a sentence goes on with behind the name of a group. */
function isProse(word: string): boolean {
  return /^(and|or|are|is|has|have|in|of|on|that|then|to|with|commands?)$/.test(word);
}
