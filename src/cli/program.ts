import { Command } from "commander";
import type { CommandDefinition, CommandResult, CommonOptions } from "./command.ts";
import { type CommandEntry, commandTable } from "./command-table.ts";
import type { CliContext } from "./context.ts";
import { groupSummary } from "./group-summaries.ts";
import { rightsOf } from "./only-looks.ts";
import type { ExitCode } from "../decide/exit-code.ts";

export interface ProgramInput {
  readonly context: CliContext;
  readonly version: string;
  /** Commands to set up wholly; of the others only the name and the summary are there. */
  readonly full: readonly CommandEntry[];
  /** Gets what the command that ran has found out. */
  readonly finish: (schema: string, options: CommonOptions, result: CommandResult | ExitCode) => void;
}

const epilogue = `
Begin with:
  npm start                 bring up a mesh with examples on this machine
  mesh status               see how it stands
  mesh push NODE            bring a node to what the records say

Exit codes: 0 settled, 1 pending, 2 failed, refused or used wrongly, 3 cannot tell (no answer).
The mesh is found by --state DIR, else MESH_STATE, else the nearest .mesh folder upward from here.
Every command takes --json: one versioned document on standard output; status --watch prints one a line, build --follow
one for each part of a log before its own, serve and host run, which run until they are stopped, print none.`;

/** The whole command line as commander sees it. Nothing here ends the process: `run` maps what happens to a code. */
export async function createProgram(input: ProgramInput): Promise<Command> {
  const program = new Command("mesh");
  const { context } = input;
  program
    .description("Delivers changes to a mesh of machines: source, build, verdict, declaration, effect.")
    .version(input.version, "-V, --version", "print the version")
    .option("--state <dir>", "the mesh's state folder")
    .option("--json", "print one versioned JSON document")
    .helpOption("-h, --help", "say how it is used")
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: () => {}, // `run` says what is wrong, once, in the same form as every other error
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", epilogue);
  const groups = new Map<string, Command>();
  for (const entry of commandTable) {
    const words = entry.words.split(" ");
    const name = words.pop() ?? "";
    const command = groupOf(program, groups, words)
      .command(name)
      .description(sentence(entry.summary))
      .summary(entry.summary);
    if (input.full.includes(entry)) attach(command, entry, await entry.load(), input);
  }
  return program;
}

/** The command that these words lead to, made where it is not there yet: `keys root` is below `keys`. */
function groupOf(program: Command, groups: Map<string, Command>, words: readonly string[]): Command {
  const name = words.join(" ");
  const known = words.length === 0 ? program : groups.get(name);
  if (known !== undefined) return known;
  const group = groupOf(program, groups, words.slice(0, -1))
    .command(words.at(-1) ?? "")
    .description(sentence(groupSummary(name)))
    .summary(groupSummary(name));
  groups.set(name, group);
  return group;
}

function attach(command: Command, entry: CommandEntry, definition: CommandDefinition, input: ProgramInput): void {
  definition.configure(command);
  command
    .option("--state <dir>", "the mesh's state folder (else MESH_STATE, else .mesh upward from here)")
    .option("--json", "print one versioned JSON document");
  const schema = schemaOf(entry);
  command.action(async () => {
    const options = command.optsWithGlobals<CommonOptions & Record<string, unknown>>();
    const args = command.processedArgs;
    const result = await definition.run({
      context: input.context,
      args,
      options,
      typed: typedOptions(command),
      as: rightsOf(entry, { args, options }),
      schema,
    });
    input.finish(schema, options, result);
  });
}

function typedOptions(command: Command): ReadonlyMap<string, string> {
  const typed = command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli");
  return new Map(typed.map((option) => [option.attributeName(), option.long ?? option.flags]));
}

export function schemaOf(entry: CommandEntry): string {
  return `mesh.${entry.words.replaceAll(" ", "-")}.v1`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
