import { resolve } from "node:path";
import type { CommandDefinition } from "../command.ts";
import { askHostProgram } from "../host-program.ts";

const help = `
The token comes from mesh node add or mesh host token and works once. Give it in a file: an argument can be read by
everybody on this machine while the command runs.

Example:
  mesh host enrol --dir /var/lib/mesh-host --token-file token.txt`;

export const hostEnrolCommand: CommandDefinition = {
  configure: (command) => {
    command
      .requiredOption("--dir <folder>", "the host's own folder; its keys are made there")
      .requiredOption("--token-file <file>", "a file that holds the one-time token (- for standard input)")
      .addHelpText("after", help);
  },
  run: async ({ context, options, schema }) => {
    const dir = resolve(context.cwd, String(options["dir"]));
    const given = String(options["tokenFile"]);
    const tokenFile = given === "-" ? given : resolve(context.cwd, given);
    const code = await askHostProgram(["enrol", "--dir", dir, "--token-file", tokenFile], {
      signal: context.listenForInterrupt(),
      says: options.json ? "stderr" : "stdout",
      what: `the host in ${dir} did not enrol`,
      note: (text) => context.stderr.write(text),
    });
    if (options.json) context.stdout.write(`${JSON.stringify({ schema, dir, enrolled: true })}\n`);
    return code;
  },
};
