import { resolve } from "node:path";
import type { CommandDefinition } from "../command.ts";
import { askHostProgram } from "../host-program.ts";
import { pathOption } from "../keys/root-files.ts";

const help = `
For a host whose mark was pushed too far, by a jump or a stolen declaration key: it refuses what the mesh sends as older.
Without --document it says the mark that the host has, and the words for mesh keys recovery; nothing is changed. With it
the mark is put back, once. What the host had accepted under the old mark is set aside; services that run go on.

Needs no mesh and no network: the host's folder, by the user that the host runs as, while the host does not run.

Exit code: 0 said, or put back; 2 refused, with the reason, and nothing changed; 3 cannot tell.

Examples:
  mesh host recover --dir /var/lib/mesh-host
  mesh host recover --dir /var/lib/mesh-host --document recovery-node-a.dsse`;

export const hostRecoverCommand: CommandDefinition = {
  configure: (command) => {
    command
      .requiredOption("--dir <folder>", "the host's own folder, as given to host enrol")
      .option("--document <file>", "what mesh keys recovery has written, signed by enough root keys")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const { context, options } = call;
    const dir = resolve(context.cwd, String(options["dir"]));
    const document = pathOption(call, "document");
    const words = [
      "recover",
      "--dir",
      dir,
      ...(document === null ? [] : ["--document", document]),
      ...(options.json ? ["--json"] : []),
    ];
    const what = document === null ? "does not say its mark" : "did not put its mark back";
    return await askHostProgram(words, {
      signal: context.listenForInterrupt(),
      what: `the host in ${dir} ${what}`,
      note: (text) => context.stderr.write(text),
    });
  },
};
