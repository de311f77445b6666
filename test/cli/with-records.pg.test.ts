import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { CommandCall } from "../../src/cli/command.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { keepPorts } from "../../src/cli/up/up-plan.ts";
import { withRecords } from "../../src/cli/with-records.ts";
import { openStateFolder } from "../../src/embedded/state-folder.ts";
import { readPostmaster } from "../../src/embedded/postmaster.ts";
import { openDatabase } from "../../src/store/database.ts";

const quiet = (): void => {};

function callWith(interrupt: AbortSignal): CommandCall {
  const output = { isTerminal: false, write: quiet };
  return {
    context: {
      stdout: output,
      stderr: output,
      env: {},
      cwd: "/",
      now: () => new Date(),
      listenForInterrupt: () => interrupt,
      watchReader: () => quiet,
      endWithin: quiet,
      findTightDisks: () => Promise.resolve([]),
      openMesh: () => Promise.reject(new Error("this test opens no mesh")),
    },
    args: [],
    options: {},
    typed: new Map(),
    as: "owner",
    schema: "mesh.backup.v1",
  };
}

/** A state folder as `mesh up` left it, its server not running; `address`: of its records, by the port that it kept. */
async function makeState(address: (port: number) => string) {
  const state = mkdtempSync(join(tmpdir(), "mesh-with-records-"));
  onTestFinished(() => rmSync(state, { recursive: true }));
  chmodSync(state, 0o755);
  const folder = await openStateFolder({ path: state, progress: quiet });
  const { postgres } = await keepPorts(folder);
  await folder.release();
  const paths = meshPaths(state);
  writeFileSync(paths.databaseUrl, address(postgres), { mode: 0o600 });
  const db = openDatabase({
    url: address(postgres),
    maxConnections: 1,
    applicationName: "mesh-test",
    statementTimeoutMs: 60_000,
    connectTimeoutMs: 2_000,
  });
  return { state, paths, db };
}

const dataFolders = (state: string): string[] => readdirSync(state).filter((name) => /^postgres-\d+$/.test(name));

it("Ctrl-C ends the server that was started for a backup, and leaves no lock", { timeout: 180_000 }, async () => {
  const connection = await makeState((port) => `postgresql://mesh@127.0.0.1:${port}/mesh`);
  const end = new AbortController();
  const unended = new Promise<never>(() => {});
  const acting = withRecords(callWith(end.signal), connection, async () => {
    expect(await readPostmaster(join(connection.state, dataFolders(connection.state)[0] ?? ""))).not.toBeNull();
    end.abort();
    return await Promise.race([unended, connection.db.query("select pg_sleep(50)")]);
  });
  await expect(acting).rejects.toThrow(/interrupted/);
  const [data = ""] = dataFolders(connection.state);
  expect(existsSync(join(connection.state, data, "postmaster.pid"))).toBe(false);
  expect(existsSync(join(connection.paths.run, "lock.json"))).toBe(false);
});

it("a server of somebody else's that does not answer is not replaced by one of ours", async () => {
  const connection = await makeState(() => "postgresql://mesh@127.0.0.1:1/mesh");
  await expect(
    withRecords(callWith(new AbortController().signal), connection, () => connection.db.query("select 1")),
  ).rejects.toThrow(/PostgreSQL/);
  expect(dataFolders(connection.state)).toEqual([]);
});
