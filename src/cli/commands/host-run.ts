import { resolve } from "node:path";
import type { CommandDefinition } from "../command.ts";
import { parseArgument, parseSeconds } from "../arguments.ts";
import { fileNameSchema } from "../file-name.ts";
import { runHostProgram } from "../host-program.ts";

export const hostRunCommand: CommandDefinition = {
  configure: (command) => {
    command
      .requiredOption("--dir <folder>", "the host's own folder, as given to host enrol")
      .option("--interval <seconds>", "apply again and look for drift this often")
      .option(
        "--admin-password-file <file...>",
        "a file outside that folder that a module here may name as its server's administrator's password",
      )
      .option("--stop-services-on-exit", "end the services too when the host ends")
      .addHelpText(
        "after",
        "\nRuns in the foreground; a supervisor (systemd) starts it again.\n\nExample:\n  mesh host run --dir /var/lib/mesh-host",
      );
  },
  run: async ({ context, options }) => {
    const interval = options["interval"];
    const words = ["run", "--dir", resolve(context.cwd, String(options["dir"]))];
    if (interval !== undefined) {
      words.push("--interval", String(parseSeconds("--interval", interval, { min: 1, max: 86_400 }) / 1000));
    }
    const files: readonly unknown[] = Array.isArray(options["adminPasswordFile"]) ? options["adminPasswordFile"] : [];
    for (const file of files)
      words.push(
        "--admin-password-file",
        resolve(context.cwd, parseArgument(fileNameSchema, "--admin-password-file", file)),
      );
    if (options["stopServicesOnExit"] === true) words.push("--stop-services-on-exit");
    return await runHostProgram(words, { signal: context.listenForInterrupt() });
  },
};
