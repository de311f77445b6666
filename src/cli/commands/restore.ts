import { resolve } from "node:path";
import type { CommandDefinition } from "../command.ts";
import { answerForError } from "../answer-for-error.ts";
import { parseArgument } from "../arguments.ts";
import { RecordsRefusedError, UnavailableError } from "../../core/errors.ts";
import { restoreBackup, type RestoredBackup } from "../../store/backup/restore-backup.ts";
import { keepRoles } from "../../store/writers/keep-roles.ts";
import { keepDatabaseLogins, readLoginAddresses } from "../database-logins.ts";
import { fileNameSchema } from "../file-name.ts";
import { type MeshConnection, readDatabaseUrl } from "../mesh-connection.ts";
import { whoAsks } from "../who-asks.ts";
import { plainLine } from "../text/plain.ts";
import { withMesh } from "../with-mesh.ts";
import { withRecords } from "../with-records.ts";

const help = `
With the controller stopped. The file is checked as a whole before anything is touched, and read in as a whole or not at
all. A backup of an older mesh is brought to what this one needs; one of a newer mesh is refused. Where the database has
records of its own, --replace says that they may go: mesh backup them first.

Root documents that were published since the backup stay: hosts walk over every one of them.

The mesh is then *stopped*, because hosts may have more than the backup knows: start the controller, wait a minute until
the hosts were heard, and go on with mesh recover. The PostgreSQL of a one-machine mesh is started for this where it
does not run.

Example:
  mesh restore /var/backups/mesh-2026-01-31 --replace`;

export const restoreCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<file>", "a file that mesh backup wrote")
      .option("--replace", "the records that are in the database now may go")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const file = resolve(call.context.cwd, parseArgument(fileNameSchema, "file name", call.args[0]));
    return await withMesh(call, async (connection) => {
      const { db, mesh } = connection;
      const request = { file, mesh, by: whoAsks(), replace: call.options["replace"] === true };
      const backup = await noteRestored((note) =>
        withRecords(call, connection, async () => {
          const restored = await restoreBackup(db, request);
          note(restored.header.takenAt);
          const roles = await keepRoles(db);
          return { ...restored, asOwner: roles.enforced ? await keepLoginsInUse(connection) : null };
        }),
      );
      const { takenAt } = backup.header;
      const { roots } = backup;
      return {
        code: 0,
        document: {
          mesh,
          file,
          takenAt,
          rows: backup.rows,
          sha256: backup.sha256,
          stopped: true,
          meshes: backup.header.meshes,
          roots,
          asOwner: backup.asOwner,
        },
        text: [
          `mesh ${mesh} is what it was at ${takenAt}: ${backup.rows} rows of ${plainLine(file, 500)}`,
          ...sayOthers(backup.header.meshes.filter((name) => name !== mesh)),
          ...sayRoots(roots),
          ...(backup.asOwner === null
            ? []
            : [`  the controller will log in as the owner of the tables (see mesh database roles): ${backup.asOwner}`]),
          "  it is stopped: nothing is sent until its hosts were heard and somebody recovers it",
          "  next: start the controller (npm start, or mesh serve), and after a minute: mesh recover",
        ].join("\n"),
      };
    });
  },
};

/** What ends it once the records are in must not read as if nothing had happened: typed again it would be refused. */
export async function noteRestored<T>(act: (note: (takenAt: string) => void) => Promise<T>): Promise<T> {
  let takenAt: string | null = null;
  try {
    return await act((at) => (takenAt = at));
  } catch (error) {
    if (takenAt === null) throw error;
    const { message } = answerForError(error);
    const what = `the records are restored, as of ${String(takenAt)}, and the mesh is stopped; what was to follow, roles and logins, was not done: ${message}`;
    const next =
      "do not type this again: start the controller (npm start, or mesh serve), which makes the roles, and after a minute: mesh recover; logins on a server of your own: mesh database roles --apply";
    if (error instanceof UnavailableError) throw new UnavailableError(what, next, { cause: error });
    throw new RecordsRefusedError(what, next, { cause: error });
  }
}

/** On another server than before they are not there. Answers why they could not be made; null: they are, or none were used. */
async function keepLoginsInUse({ db, paths }: MeshConnection): Promise<string | null> {
  if ((await readLoginAddresses(paths)) === null) return null;
  return await keepDatabaseLogins(db, await readDatabaseUrl(paths.databaseUrl), paths);
}

/** A backup is of the whole database. */
function sayOthers(others: readonly string[]): string[] {
  if (others.length === 0) return [];
  return [
    `  so ${others.length === 1 ? "is" : "are"} mesh ${others.join(", ")}, which ${others.length === 1 ? "shares" : "share"} its database: stopped too, and recovered on ${others.length === 1 ? "its" : "their"} own`,
  ];
}

function sayRoots({ taken, differs }: RestoredBackup["roots"]): string[] {
  if (differs.length > 0)
    return [
      `  no root was taken over: root ${differs.join(", ")} of the records that went is another one than in the backup`,
    ];
  return taken.length === 0 ? [] : [`  root ${taken.join(", ")}, published since, is kept: hosts walk over every root`];
}
