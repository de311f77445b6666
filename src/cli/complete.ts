import type { Command } from "commander";
import type { CliContext } from "./context.ts";
import type { ExitCode } from "../decide/exit-code.ts";
import { loadCompletionNames } from "./completion-names.ts";

type Complete = (value: string, description: string) => void;

/** Arguments whose values are names in the mesh. */
const namedArguments: Readonly<Record<string, "nodes" | "modules" | "repositories" | "both">> = {
  node: "nodes",
  nodes: "nodes",
  module: "modules",
  modules: "modules",
  repository: "repositories",
  artifact: "modules",
  subject: "both",
};

/**
 * Answers a shell that asks what could come next: `mesh complete -- WORDS…`, called by the script that
 * `mesh completion` printed. Commands, options, and the names of the mesh where it can be asked quickly.
 */
export async function complete(program: Command, argv: readonly string[], context: CliContext): Promise<ExitCode> {
  const { default: tab } = await import("@bomb.sh/tab/commander");
  const words = argv[0] === "--" ? argv.slice(1) : [...argv];
  const completion = tab(program);
  const names = await loadCompletionNames(context);
  for (const command of completion.commands.values()) {
    for (const argument of command.arguments.values()) {
      const source = namedArguments[argument.name];
      if (source === undefined) continue;
      const found = source === "both" ? [...names.modules, ...names.nodes] : names[source];
      argument.handler = (say: Complete) => {
        for (const name of found) say(name, "");
      };
    }
  }
  withOutput(context, () => completion.parse([...words]));
  return 0;
}

/** The script for one shell. It calls `mesh complete -- …` back. */
export async function completionScript(shell: string, context: CliContext): Promise<string> {
  const { default: tab } = await import("@bomb.sh/tab");
  const script = { text: "" };
  const stdout = { ...context.stdout, write: (text: string) => void (script.text += text) };
  withOutput({ ...context, stdout }, () => tab.setup("mesh", "mesh", shell));
  return shell === "bash" ? assignOnce(script.text) : script.text;
}

/** A script that is sourced twice must not complain: what is there already has the same value. */
function assignOnce(script: string): string {
  return script.replace(/^readonly (\w+)=(\d+)$/gm, ': "${$1=$2}"');
}

/** The library prints with console.log; commands here write to their context only. */
function withOutput(context: CliContext, use: () => void): void {
  const log = console.log;
  console.log = (line: unknown) => context.stdout.write(`${String(line)}\n`);
  try {
    use();
  } finally {
    console.log = log;
  }
}
