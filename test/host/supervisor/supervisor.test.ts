import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { digestValue } from "../../../src/decide/digest.ts";
import type { Log } from "../../../src/host/log.ts";
import { findServiceUser } from "../../../src/host/service-user.ts";
import { isAlive, readIdentity } from "../../../src/host/supervisor/process-identity.ts";
import type { DamagedFile } from "../../../src/host/state/set-aside.ts";
import type { ServiceRun, ServiceSpec } from "../../../src/host/supervisor/service-run.ts";
import { createSupervisor, type Supervisor } from "../../../src/host/supervisor/supervisor.ts";
import { eventually, makeFolder } from "../../support/host-bed.ts";

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
let folder: string;
let supervisor: Supervisor;
let changes: string[];
let damaged: DamagedFile[];

beforeEach(async () => {
  folder = await makeFolder();
  changes = [];
  damaged = [];
  supervisor = await open();
});

afterEach(async () => {
  await supervisor.stopAll();
  supervisor.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(nowMs: () => number = Date.now): Promise<Supervisor> {
  return createSupervisor({
    folder: path.join(folder, "services"),
    user: await findServiceUser(),
    log,
    nowMs,
    redact: (text) => text.replaceAll("hunter2", "[REDACTED]"),
    onChange: (id) => changes.push(id),
    onDamaged: (file) => damaged.push(file),
    graceMs: 500,
  });
}

function spec(script: string, given: Partial<ServiceSpec> = {}): ServiceSpec {
  const command = [process.execPath, "-e", script] as const;
  return {
    id: "service/web/main",
    module: "web",
    artifact: digestValue("artifact"),
    command,
    env: { MESH_MODULE: "web" },
    folder: "/",
    logFile: path.join(folder, "log", "web.log"),
    digest: digestValue([...command, given.env ?? {}]),
    ...given,
  };
}

async function runOf(wanted: ServiceSpec): Promise<ServiceRun> {
  const run = await supervisor.readRun(wanted);
  if (run === null) throw new Error("no run");
  return run;
}

async function keptPid(): Promise<number> {
  return JSON.parse(await readFile(path.join(folder, "services/service.web.main.json"), "utf8")).identity.pid;
}

const loop = "setInterval(() => {}, 1000)";

describe("the supervisor", { timeout: 30_000 }, () => {
  it("starts a service once and leaves it alone while it is as wanted", async () => {
    await supervisor.ensure(spec(loop));
    const pid = await keptPid();
    await supervisor.ensure(spec(loop));
    expect(await keptPid()).toBe(pid);
    expect(await runOf(spec(loop))).toMatchObject({ alive: true, endings: 0, lastEnding: null });
  });

  it("says how long the one that ended had run, and that the next one is another start", async () => {
    let now = Date.now();
    supervisor.close();
    supervisor = await open(() => now);
    await supervisor.ensure(spec(loop));
    const first = await runOf(spec(loop));
    expect(first).toMatchObject({ alive: true, lastRanMs: null });
    now += 42_000;
    process.kill(await keptPid(), "SIGKILL");
    await eventually(async () => {
      const run = await runOf(spec(loop));
      return run.alive && run.start !== first.start;
    }, "started again");
    expect(await runOf(spec(loop))).toMatchObject({ endings: 1, lastRanMs: 42_000 });
    const other = spec(loop, { env: { LEVEL: "2" } });
    await supervisor.ensure(other);
    expect(await runOf(other)).toMatchObject({ endings: 0, lastRanMs: null });
  });

  it("ends what a damaged file led to, keeps the file, and runs it once (R44)", async () => {
    await supervisor.ensure(spec(loop));
    await supervisor.ensure(spec(loop, { id: "service/api/main", module: "api" }));
    const [lost, file] = [await readIdentity(await keptPid()), path.join(folder, "services/service.web.main.json")];
    const other = JSON.parse(await readFile(path.join(folder, "services/service.api.main.json"), "utf8")).identity;
    supervisor.close();
    await writeFile(file, "\0\0\0\0");
    supervisor = await open();
    expect(damaged).toEqual([{ file, why: "it is not JSON", aside: `${file}.damaged-1` }]);
    expect(await readFile(`${file}.damaged-1`, "utf8")).toBe("\0\0\0\0");
    expect([lost !== null && (await isAlive(lost)), await isAlive(other)]).toEqual([false, true]);
    expect(await supervisor.readRun(spec(loop))).toBeNull();
    await supervisor.ensure(spec(loop));
    expect(await runOf(spec(loop))).toMatchObject({ alive: true, endings: 0 });
    supervisor.close();
    await writeFile(file, "{");
    supervisor = await open();
    expect(damaged.map(({ aside }) => aside)).toEqual([`${file}.damaged-1`, `${file}.damaged-2`]);
  });

  it("restarts it when its command or environment is another", async () => {
    await supervisor.ensure(spec(loop));
    const identity = await readIdentity(await keptPid());
    const other = spec(loop, { env: { MESH_MODULE: "web", LEVEL: "2" } });
    await supervisor.ensure(other);
    expect(identity === null || (await isAlive(identity))).toBe(false);
    expect((await runOf(other)).spec).toBe(other.digest);
  });

  it("starts it again after it ended, later each time, and says how it ended", async () => {
    const failing = spec(`console.log("password hunter2"); process.exit(3)`);
    await supervisor.ensure(failing);
    await eventually(async () => (await runOf(failing)).endings >= 3, "three endings");
    const how = "exit code 3: password [REDACTED] (log/web.log)";
    expect((await runOf(failing)).lastEnding).toBe(how);
    expect(supervisor.takeEnding(failing.id)).toMatch(/^exit code 3: .*, at 20.*Z, the last of [3-9] endings$/);
    expect(supervisor.takeEnding(failing.id)).toBeNull();
    expect(changes).toContain(failing.id);
  });

  it("starts nothing sooner because it was asked for just when it had ended", async () => {
    const failing = spec("process.exit(3)");
    await supervisor.ensure(failing);
    await eventually(async () => (await runOf(failing)).endings >= 2, "two endings");
    // A pass that had read it as dead before the ending was counted.
    await supervisor.ensure(failing);
    expect((await runOf(failing)).endings).toBeGreaterThanOrEqual(2);
  });

  it("watches it anew when the clock was set back, and not until that time comes again", async () => {
    let aheadMs = 3_600_000;
    supervisor.close();
    supervisor = await open(() => Date.now() + aheadMs);
    await supervisor.ensure(spec(loop));
    aheadMs = 0;
    const before = Date.now();
    const { startedMs, firstStartedMs } = await runOf(spec(loop));
    expect(startedMs).toBeLessThanOrEqual(Date.now());
    expect(startedMs).toBeGreaterThanOrEqual(before);
    expect(firstStartedMs).toBe(startedMs);
    expect((await runOf(spec(loop))).startedMs).toBe(startedMs);
  });

  it("does not take the reason of an earlier start for this one's", async () => {
    await supervisor.ensure(spec(`console.error("Error: old"); ${loop}`));
    await eventually(async () => (await readFile(path.join(folder, "log/web.log"), "utf8")) !== "", "said");
    const silent = spec("process.exit(4)");
    await supervisor.ensure(silent);
    await eventually(async () => (await runOf(silent)).endings >= 1, "an ending");
    expect((await runOf(silent)).lastEnding).toBe("exit code 4: no line says why (log/web.log)");
  });

  it("says that a command cannot be started, and goes on trying", async () => {
    const missing = spec("", { command: ["/nowhere/at-all"], digest: digestValue("missing") });
    await supervisor.ensure(missing);
    // Not while it is being tried again.
    await eventually(async () => (await runOf(missing)).startsAgain, "it is to be started again");
    expect((await runOf(missing)).alive).toBe(false);
    expect((await runOf(missing)).lastEnding).toMatch(/^cannot be started: .*ENOENT/);
  });

  it("ends the whole group, also who does not listen to SIGTERM", async () => {
    const stubborn = spec(`
      process.on("SIGTERM", () => {});
      const child = require("node:child_process").spawn(process.execPath, ["-e", 'process.on("SIGTERM", () => {}); console.log(process.pid); setInterval(() => {}, 1000)'], { stdio: "inherit" });
      ${loop}`);
    await supervisor.ensure(stubborn);
    const logged = await eventually(
      async () => /^\d+$/m.exec(await readFile(stubborn.logFile, "utf8"))?.[0],
      "the child runs",
    );
    const child = await readIdentity(Number(logged));
    const parent = await readIdentity(await keptPid());
    await supervisor.stop(stubborn.id);
    for (const identity of [child, parent]) expect(identity !== null && (await isAlive(identity))).toBe(false);
    expect(await readdir(path.join(folder, "services"))).toEqual([]);
  });

  it("adopts what runs after a restart of the host, and notices its end (R50)", async () => {
    await supervisor.ensure(spec(loop));
    const pid = await keptPid();
    supervisor.close();
    supervisor = await open();
    expect(await runOf(spec(loop))).toMatchObject({ alive: true });
    await supervisor.ensure(spec(loop));
    expect(await keptPid()).toBe(pid);
    process.kill(pid, "SIGKILL");
    await eventually(() => changes.includes("service/web/main"), "noticed");
    await eventually(async () => (await runOf(spec(loop))).alive, "started again");
    // In its turn: after the start was written down.
    await supervisor.ensure(spec(loop));
    expect(await keptPid()).not.toBe(pid);
  });

  it("finds a process whose start a kill has kept from being written down", async () => {
    await supervisor.ensure(spec(loop));
    const pid = await keptPid();
    supervisor.close();
    const file = path.join(folder, "services/service.web.main.json");
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), identity: null }));
    supervisor = await open();
    expect(await runOf(spec(loop))).toMatchObject({ alive: true });
    await supervisor.stop("service/web/main");
    expect(await readIdentity(pid)).toBeNull();
  });

  it("never touches a stranger that got the pid", async () => {
    await supervisor.ensure(spec(loop));
    process.kill(await keptPid(), "SIGKILL");
    supervisor.close();
    const stranger = spawn(process.execPath, ["-e", loop], { detached: true, stdio: "ignore" });
    const file = path.join(folder, "services/service.web.main.json");
    const kept = JSON.parse(await readFile(file, "utf8"));
    // Both may have been started in the same tick.
    const started = String(Number(kept.identity.started) - 1);
    const stale = { ...kept, nonce: "gone", identity: { ...kept.identity, pid: stranger.pid, started } };
    await writeFile(file, JSON.stringify(stale));
    supervisor = await open();
    try {
      expect(await runOf(spec(loop))).toMatchObject({ alive: false });
      await supervisor.stop("service/web/main");
      expect(await readIdentity(stranger.pid ?? 0)).not.toBeNull();
    } finally {
      stranger.kill("SIGKILL");
    }
  });

  it("ends what its service left in its group without the nonce, as it knows whose it is", async () => {
    const leaving = spec("", { command: ["/bin/sh", "-c", "env -i sleep 600 & echo $!; sleep 600"] });
    await supervisor.ensure(leaving);
    const said = await eventually(
      async () => /^\d+$/m.exec(await readFile(leaving.logFile, "utf8"))?.[0],
      "it is there",
    );
    process.kill(await keptPid(), "SIGKILL");
    await eventually(async () => (await readIdentity(Number(said))) === null, "it went with its leader");
  });

  it("leaves a stranger's group alone when the file is of before a reboot (R44)", async () => {
    await supervisor.ensure(spec(loop));
    const file = path.join(folder, "services/service.web.main.json");
    process.kill(await keptPid(), "SIGKILL");
    supervisor.close();
    const stranger = spawn("/bin/sh", ["-c", "sleep 600 >/dev/null & echo $!"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const exited = once(stranger, "exit");
    const member = Number(String((await once(stranger.stdout, "data"))[0]));
    await exited;
    const kept = JSON.parse(await readFile(file, "utf8"));
    const identity = { pid: stranger.pid, started: "4711", bootId: "another" };
    await writeFile(file, JSON.stringify({ ...kept, nonce: "gone", identity }));
    supervisor = await open();
    try {
      // The watch finds the end of what it had adopted, and the pass starts it anew.
      await eventually(() => changes.includes("service/web/main"), "noticed");
      await supervisor.ensure(spec(loop));
      expect(await runOf(spec(loop))).toMatchObject({ alive: true });
      expect(await readIdentity(member)).not.toBeNull();
    } finally {
      process.kill(member, "SIGKILL");
    }
  });

  it("gives a service nothing of the host's environment, and no secret in its state", async () => {
    process.env["HOST_ONLY"] = "hunter2";
    const printing = spec(`console.log(Object.keys(process.env).sort().join(" ")); ${loop}`);
    await supervisor.ensure(printing);
    delete process.env["HOST_ONLY"];
    const said = await eventually(async () => (await readFile(printing.logFile, "utf8")).trim() || null, "printed");
    expect(said).toBe("HOME LANG MESH_MODULE MESH_RUN MESH_RUN_FOLDER PATH");
    expect(await readFile(path.join(folder, "services/service.web.main.json"), "utf8")).not.toContain("setInterval");
  });
});
