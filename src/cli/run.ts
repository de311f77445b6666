import { CommanderError } from "commander";
import { InputError } from "../core/errors.ts";
import { type CommandEntry, commandTable } from "./command-table.ts";
import { findCommand } from "./find-command.ts";
import type { CliContext } from "./context.ts";
import type { ExitCode } from "../decide/exit-code.ts";
import { answerForError, type ErrorAnswer, errorOf, nextLimit } from "./answer-for-error.ts";
import { interrupted, isInterrupt } from "./interrupted.ts";
import { createProgram, schemaOf } from "./program.ts";
import { plainLine } from "./text/plain.ts";
import { leavesStateOut, readTypedState, sayTypedState } from "./text/typed-state.ts";

/**
 * Runs one command line to its end and answers with the exit code. Never throws: every error becomes a line on
 * standard error, and under `--json` a document `{schema, error}` on standard output too.
 */
export async function run(typed: readonly string[], context: CliContext, version = "0.0.0"): Promise<ExitCode> {
  const argv = expandHelp(typed);
  const entry = findCommand(argv);
  const completes = argv[0] === "complete" || entry?.words === "completion";
  let code: ExitCode | null = null;
  try {
    const program = await createProgram({
      context,
      version,
      full: completes ? commandTable : entry === null ? [] : [entry],
      finish: (schema, options, result) => {
        code = typeof result === "number" ? result : result.code;
        if (typeof result === "number") return;
        if (options.json && result.written !== undefined) context.stdout.write(`${result.written}\n`);
        else if (options.json) writeDocument(context, { schema, ...result.document });
        else if (result.text !== "") context.stdout.write(`${withState(result.text, argv)}\n`);
      },
    });
    if (argv[0] === "complete") {
      const { complete } = await import("./complete.ts");
      return await complete(program, argv.slice(1), context);
    }
    await program.parseAsync([...argv], { from: "user" });
    // Nothing ran: that is no success, whatever commander made of the words.
    if (code === null) throw new InputError("say which command", "mesh --help");
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return usageCode(error, argv, entry, context);
    // Listening itself changes nothing here: where nobody did, nothing was interrupted.
    const ended = isInterrupt(error, context.listenForInterrupt()) ? interrupted() : error;
    return fail(answerForError(ended), argv, entry, context, error);
  }
}

/** `help WORDS` is `WORDS --help`; where there is no such command, it is that command line, which is refused with a hint. */
function expandHelp(argv: readonly string[]): readonly string[] {
  if (argv[0] !== "help") return argv;
  const words = argv.slice(1).filter((word) => !word.startsWith("-"));
  const named = words.join(" ");
  const isThere = commandTable.some((entry) => entry.words === named || entry.words.startsWith(`${named} `));
  return words.length === 0 ? ["--help"] : isThere ? [...words, "--help"] : words;
}

/** commander ends with 1 on a usage error, which would read as *pending* here. */
function usageCode(
  error: CommanderError,
  argv: readonly string[],
  entry: CommandEntry | null,
  context: CliContext,
): ExitCode {
  if (error.exitCode === 0) return 0;
  const unknown = error.code === "commander.unknownCommand" ? findGroup(argv) : "";
  const help = entry === null ? `mesh ${unknown}--help` : `mesh ${entry.words} --help`;
  const group = argv.find((word) => !word.startsWith("-"));
  const message =
    error.code === "commander.help"
      ? group === undefined || entry !== null
        ? "say which command"
        : `say what to do with ${plainLine(group, 40)}: it has commands of its own`
      : plainLine(inGroup(error.message.replace(/^error: /, ""), unknown, entry), 300);
  const next = error.code === "commander.help" && group !== undefined ? `mesh ${plainLine(group, 40)} --help` : help;
  return fail(answerForError(new InputError(message, `see how it is used: ${next}`)), argv, entry, context, error);
}

/** The words before the one that nobody knows, with a blank behind them: `records ` of `records prun`. */
function findGroup(argv: readonly string[]): string {
  let group = "";
  for (const word of argv.filter((one) => !one.startsWith("-"))) {
    if (!commandTable.some(({ words }) => words.startsWith(`${group}${word} `))) break;
    group += `${word} `;
  }
  return group;
}

/** commander names the last word alone, which is no command by itself; an option is one of the command that was typed. */
function inGroup(message: string, group: string, entry: CommandEntry | null): string {
  const of = (word: string): string => (word.startsWith("-") && entry !== null ? `${entry.words} ` : group);
  return message
    .replace(/unknown command '/, (words) => words + group)
    .replace(/\(Did you mean (\S+)\?\)/, (_all, word: string) => `(did you mean: mesh ${of(word)}${word}?)`);
}

function fail(
  answer: ErrorAnswer,
  argv: readonly string[],
  entry: CommandEntry | null,
  context: CliContext,
  cause: unknown,
): ExitCode {
  const message = plainLine(answer.message, 2000);
  const fallback = answer.kind === "input" && entry !== null ? `see how it is used: mesh ${entry.words} --help` : "";
  const next = nextWithState(answer.next === "" ? fallback : answer.next, argv);
  context.stderr.write(`mesh: ${message}\n`);
  if (next !== "") context.stderr.write(`  next: ${plainLine(next, nextLimit)}\n`);
  if (context.env["MESH_DEBUG"] && cause instanceof Error) context.stderr.write(`${cause.stack ?? ""}\n`);
  if (wantsJson(argv)) {
    const schema = entry === null ? "mesh.error.v1" : schemaOf(entry);
    writeDocument(context, { schema, error: errorOf({ ...answer, next }) });
  }
  return answer.code;
}

/** Every command finds its mesh by itself; where it was told which, the steps behind it are of that one (R48). */
function withState(text: string, argv: readonly string[]): string {
  const state = readTypedState(argv);
  return state !== null && leavesStateOut(text) ? `${text}\n  ${sayTypedState(state)}` : text;
}

function nextWithState(next: string, argv: readonly string[]): string {
  const state = readTypedState(argv);
  return state !== null && leavesStateOut(`next: ${next}`) ? `${next} (${sayTypedState(state)})` : next;
}

/** By the words alone: where they are wrong, nobody has read options out of them. Behind `--` nothing is one. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}

function writeDocument(context: CliContext, document: Readonly<Record<string, unknown>>): void {
  context.stdout.write(`${JSON.stringify(document)}\n`);
}
