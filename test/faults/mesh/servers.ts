import { execFile } from "node:child_process";
import { cp, readdir, rename, rm, statfs } from "node:fs/promises";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findTemporal } from "../../../src/embedded/find-temporal.ts";
import { isAlive } from "../../../src/embedded/process-identity.ts";
import { startPostgres, type RunningPostgres } from "../../../src/embedded/postgres.ts";
import { readRunAs } from "../../../src/embedded/run-as.ts";
import { listPaths } from "../../../src/embedded/state-folder.ts";
import { startTemporal, type RunningTemporal } from "../../../src/embedded/temporal.ts";
import { waitFor } from "../../beds/support/wait-for.ts";

const run = promisify(execFile);

/** The records' server and Temporal's, under the hands of a run of faults. */
export interface Servers {
  /** To the records, past every road. */
  url(): string;
  postgresPort(): number;
  startPostgres(): Promise<void>;
  /** `quit`: an immediate shutdown, like a power cut. `kill`: kill -9 of the postmaster. `stop`: in order. */
  endPostgres(how: "quit" | "kill" | "stop"): Promise<void>;
  /** Fills the disk under the records until nothing fits; null: they have no disk of their own in this run. */
  fillDisk: (() => Promise<void>) | null;
  freeDisk(): Promise<void>;
  startTemporal(): Promise<void>;
  /** kill -9, until it has ended. */
  killTemporal(): Promise<void>;
  /** Everything that Temporal ever knew. It must not be running. */
  loseTemporal(): Promise<void>;
  temporalAddress: string;
  stop(): Promise<void>;
}

const diskBytes = 512 * 1024 * 1024;

export async function openServers(
  state: string,
  ports: { readonly postgres: number; readonly temporal: number },
  say: (line: string) => void,
): Promise<Servers> {
  const paths = listPaths(state);
  const log: string[] = [];
  const progress = (line: string): void => void log.push(line);
  const binary = await findTemporal({ env: process.env, folder: join(paths.temporal, "bin"), progress });
  const hasDisk = await giveOwnDisk(state, say);
  let postgres: RunningPostgres | null = null;
  let temporal: RunningTemporal | null = null;
  const open = (): RunningPostgres => {
    if (postgres === null) throw new Error("PostgreSQL was never started");
    return postgres;
  };
  const ballast = (): string => join(open().dataFolder ?? "", "ballast");
  const servers: Servers = {
    url: () => open().url,
    postgresPort: () => ports.postgres,
    async startPostgres() {
      postgres = await startPostgres({
        parent: state,
        passwordFile: join(paths.secrets, "postgres-password"),
        port: ports.postgres,
        logFile: join(paths.log, "postgres.log"),
        settings: { track_commit_timestamp: "on", max_connections: "80", shared_buffers: "32MB", min_wal_size: "32MB" },
        progress,
      });
    },
    async endPostgres(how) {
      if (how === "stop") return open().stop();
      const { identity } = open();
      if (identity === null) throw new Error("PostgreSQL has no process");
      process.kill(identity.pid, how === "quit" ? "SIGQUIT" : "SIGKILL");
      // One that is about to end looks like one that runs: the next start would take it for that.
      await waitFor("PostgreSQL has ended", async () => (isAlive(identity) ? null : true), 30_000);
    },
    fillDisk: hasDisk ? () => fill(ballast()) : null,
    freeDisk: () => rm(ballast(), { force: true }),
    async startTemporal() {
      temporal = await startTemporal({
        binary,
        folder: paths.temporal,
        runFolder: paths.run,
        logFolder: paths.log,
        port: ports.temporal,
        uiPort: 0,
        ui: false,
        progress,
      });
    },
    async killTemporal() {
      const identity = temporal?.identity ?? null;
      if (identity === null) throw new Error("Temporal has no process");
      process.kill(identity.pid, "SIGKILL");
      // As of PostgreSQL: the next start would adopt what is about to end.
      await waitFor("Temporal has ended", async () => (isAlive(identity) ? null : true), 30_000);
    },
    async loseTemporal() {
      for (const name of await readdir(paths.temporal))
        if (name.includes(".db")) await rm(join(paths.temporal, name), { force: true });
    },
    temporalAddress: `127.0.0.1:${ports.temporal}`,
    async stop() {
      await temporal?.stop();
      await postgres?.stop();
    },
  };
  await servers.startPostgres();
  await servers.startTemporal();
  return servers;
}

/** A small file system in memory under the data folder, so that it can be full while nothing else is. */
async function giveOwnDisk(state: string, say: (line: string) => void): Promise<boolean> {
  const name = (await readdir(state)).find((entry) => /^postgres-\d+$/.test(entry));
  const user = readRunAs();
  if (name === undefined) throw new Error(`there is no PostgreSQL in ${state}`);
  if (user === null || process.env["MESH_FAULTS_INSIDE"] !== "1") {
    say("the records have no disk of their own here: that needs root on Linux");
    return false;
  }
  const folder = join(state, name);
  const kept = join(state, `${name}.before`);
  await rename(folder, kept);
  await mkdir(folder);
  const options = `size=${diskBytes},mode=700,uid=${user.uid},gid=${user.gid}`;
  await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
  await cp(kept, folder, { recursive: true, preserveTimestamps: true });
  await run("chown", ["-R", `${user.uid}:${user.gid}`, folder]);
  await rm(kept, { recursive: true });
  return true;
}

async function fill(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(join(path, ".."));
  await new Promise<void>((resolve, reject) => {
    const file = createWriteStream(path);
    const chunk = Buffer.alloc(1024 * 1024);
    let left = bavail * bsize + 4 * chunk.length;
    file.on("error", (error: NodeJS.ErrnoException) => (error.code === "ENOSPC" ? resolve() : reject(error)));
    file.on("finish", () => reject(new Error("the disk did not become full")));
    const write = (): void => {
      while (left > 0) {
        left -= chunk.length;
        if (!file.write(chunk)) return void file.once("drain", write);
      }
      file.end();
    };
    write();
  });
}
