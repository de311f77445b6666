import { resolve } from "node:path";
import type { CommandDefinition } from "../command.ts";
import { parseArgument } from "../arguments.ts";
import { takeBackup } from "../../store/backup/take-backup.ts";
import { describeBytes } from "../text/artifact-text.ts";
import { fileNameSchema } from "../file-name.ts";
import { plainLine } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";
import { withRecords } from "../with-records.ts";

const help = `
All records at one moment, in one file that only you may read (0600); work goes on meanwhile. Sealed credentials are in it,
which only their hosts can open; no key is. Keys are files of the state folder, in secrets and keys: copy those apart, and
keep them apart. What was built is in artifacts: copy it, or have it built again. The PostgreSQL of a one-machine mesh is
started for this where it does not run.

Example:
  mesh backup /var/backups/mesh-2026-01-31`;

export const backupCommand: CommandDefinition = {
  configure: (command) => {
    command.argument("<file>", "a name that is not there yet").addHelpText("after", help);
  },
  run: async (call) => {
    const file = resolve(call.context.cwd, parseArgument(fileNameSchema, "file name", call.args[0]));
    return await withMesh(call, async (connection) => {
      const { db, mesh, paths, state } = connection;
      // Interrupted, it removes what it had written: it is a copy of the records, and nobody knows its name.
      const interrupt = call.context.listenForInterrupt();
      const taken = await withRecords(call, connection, () => takeBackup(db, file, interrupt));
      const notInIt = { keys: [paths.secrets, `${state}/keys`], artifacts: paths.artifacts };
      return {
        code: 0,
        document: { mesh, file, ...taken, notInIt },
        text: [
          `backup of mesh ${mesh} as of ${taken.takenAt}: ${plainLine(file, 500)}`,
          `  ${taken.rows} rows, ${describeBytes(taken.bytes)}, sha256 ${taken.sha256}`,
          `  not in it: the keys in ${notInIt.keys.join(" and ")}, and what was built, in ${notInIt.artifacts}`,
          `  next: copy ${paths.secrets} to another place than this file`,
        ].join("\n"),
      };
    });
  },
};
