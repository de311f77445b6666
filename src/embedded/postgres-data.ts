import { randomBytes } from "node:crypto";
import { appendFile, chown, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../core/errors.ts";
import type { PostgresBinaries } from "./postgres-binaries.ts";
import { makeFolderFor, type RunAs } from "./run-as.ts";
import { runCommand } from "./run-command.ts";
import { readPrivateFileIfThere, writePrivateFile } from "../disk/private-file.ts";
import { writeDurably } from "../disk/write-durably.ts";

export const postgresUser = "mesh";
export const postgresDatabase = "mesh";

/** Of the data folder, before its major version, where nobody chose another. */
export const postgresFolder = "postgres";

/** The major version in the name of a data folder beside `parent`/`name`; null when there is none. */
export async function readKeptMajor(parent: string, name: string): Promise<number | null> {
  const majors = (await readdir(parent))
    .map((entry) => (entry.startsWith(`${name}-`) ? entry.slice(name.length + 1) : ""))
    .filter((rest) => /^\d+$/.test(rest))
    .map(Number);
  return majors.length === 0 ? null : Math.max(...majors);
}

/** The superuser's password, made at the first call. It is only ever in this file and in the URL. */
export async function keepPassword(file: string): Promise<string> {
  const kept = (await readPrivateFileIfThere(file))?.trim();
  if (kept === "") throw new InputError(`the password file ${file} is empty`, "Put the password back, or begin anew.");
  if (kept !== undefined) return kept;
  const password = randomBytes(24).toString("base64url");
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writePrivateFile(file, `${password}\n`);
  return password;
}

/** A new data folder with the database `mesh` in it. Killed half-way, the next call begins again. */
export async function initialiseData(
  binaries: PostgresBinaries,
  dataFolder: string,
  password: string,
  runAs: RunAs | null,
): Promise<void> {
  const half = `${dataFolder}.half`;
  await rm(half, { recursive: true, force: true });
  await makeFolderFor(runAs, half);
  const passwordFile = `${half}.password`;
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (runAs !== null) await chown(passwordFile, runAs.uid, runAs.gid);
  const run = { timeoutMs: 120_000, cwd: half, env: cleanEnvironment(), runAs };
  try {
    const choices = ["--auth=scram-sha-256", `--username=${postgresUser}`, "--encoding=UTF8", "--no-locale"];
    await runCommand(join(binaries.bin, "initdb"), ["-D", half, `--pwfile=${passwordFile}`, ...choices], run);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await appendFile(join(half, "postgresql.conf"), `\ninclude_if_exists = '${settingsFile}'\n`);
  await runCommand(join(binaries.bin, "postgres"), ["--single", "-D", half, "postgres"], {
    ...run,
    input: `CREATE DATABASE ${postgresDatabase};\n`,
  });
  await rename(half, dataFolder);
}

const settingsFile = "mesh.conf";

/** Written at each start, since the port may differ. Sockets are off: their path may be too long, loopback does. */
export async function writeSettings(
  dataFolder: string,
  port: number,
  settings: Readonly<Record<string, string>>,
  runAs: RunAs | null,
): Promise<void> {
  const all = { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(port), ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  const file = join(dataFolder, settingsFile);
  await writeDurably(file, lines.join(""), { mode: 0o600 });
  if (runAs !== null) await chown(file, runAs.uid, runAs.gid);
}

/** PostgreSQL reads many variables of the user's; none of them is meant for this server. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}
