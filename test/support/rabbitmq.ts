import { spawn, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, chmod, chown, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { makeTestFolder, removeLeftoverFolders } from "./test-folder.ts";

/** A broker of one's own: own ports, own data, the management plugin on, run as nobody where the test is root. */
export interface TestRabbitmq {
  readonly folder: string;
  readonly port: number;
  /** URL of the management API. */
  readonly admin: string;
  readonly adminUser: string;
  readonly adminPassword: string;
  /** Holds the administrator's password. */
  readonly adminPasswordFile: string;
  /** Ends the broker and its epmd, and removes the folder. */
  stop(): Promise<void>;
}

const prefix = "mesh-test-rabbitmq-";
/** Debian's wrapper allows only root or its own user: this is what is behind it. */
const program = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const readyWithinMs = 90_000;
const endedWithinMs = 20_000;

export async function hasRabbitmq(): Promise<boolean> {
  try {
    await access(program);
    return true;
  } catch {
    return false;
  }
}

export async function startRabbitmq(): Promise<TestRabbitmq> {
  await removeLeftoverFolders(prefix);
  const folder = await makeTestFolder(prefix);
  const data = path.join(folder, "data");
  await mkdir(data);
  const [port, distPort, epmdPort, adminPort] = await chooseFreePorts();
  const adminPassword = randomBytes(18).toString("base64url");
  const adminUser = "mesh-admin";
  await writeFile(
    path.join(data, "rabbitmq.conf"),
    [
      `management.tcp.ip = 127.0.0.1`,
      `management.tcp.port = ${adminPort}`,
      `default_user = ${adminUser}`,
      `default_pass = ${adminPassword}`,
      `log.console = false`,
    ].join("\n"),
  );
  await writeFile(path.join(data, "enabled_plugins"), "[rabbitmq_management].\n");
  const adminPasswordFile = path.join(folder, "admin-password");
  await writeFile(adminPasswordFile, adminPassword, { mode: 0o600 });
  const isRoot = process.getuid?.() === 0;
  const nobody = isRoot ? { uid: 65534, gid: 65534 } : {};
  if (isRoot) {
    for (const name of ["rabbitmq.conf", "enabled_plugins", ""]) await chown(path.join(data, name), 65534, 65534);
  }
  await chmod(data, 0o750);
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: data,
    RABBITMQ_NODENAME: `mesh-${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    ERL_EPMD_PORT: String(epmdPort),
    RABBITMQ_MNESIA_BASE: path.join(data, "mnesia"),
    RABBITMQ_LOG_BASE: path.join(data, "log"),
    RABBITMQ_CONFIG_FILE: path.join(data, "rabbitmq"),
    RABBITMQ_ENABLED_PLUGINS_FILE: path.join(data, "enabled_plugins"),
    RABBITMQ_PID_FILE: path.join(data, "pid"),
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
  };
  const child = spawn(program, [], { cwd: data, env, ...nobody, detached: true, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const admin = `http://127.0.0.1:${adminPort}`;
  const stop = async (): Promise<void> => {
    signalGroup(child.pid, "SIGTERM");
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, endedWithinMs).unref())]);
    signalGroup(child.pid, "SIGKILL");
    endEpmd(env, nobody);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(
      admin,
      `${adminUser}:${adminPassword}`,
      () => child.exitCode !== null || child.signalCode !== null,
    );
  } catch (cause) {
    await stop();
    throw new Error(`RabbitMQ does not start: ${said}`, { cause });
  }
  return { folder, port, admin, adminUser, adminPassword, adminPasswordFile, stop };
}

/** It stays behind when its node ends, and answers only on its own port. */
function endEpmd(env: Record<string, string>, user: object): void {
  try {
    execFileSync("epmd", ["-kill"], { env, ...user, stdio: "ignore" });
  } catch {
    // Ended already.
  }
}

function signalGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // Ended already.
  }
}

async function waitUntilReady(admin: string, auth: string, hasEnded: () => boolean): Promise<void> {
  const endMs = performance.now() + readyWithinMs;
  const headers = { authorization: `Basic ${Buffer.from(auth).toString("base64")}` };
  for (;;) {
    try {
      if ((await fetch(`${admin}/api/overview`, { headers })).ok) return;
    } catch (error) {
      if (hasEnded() || performance.now() > endMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Held open together, so that they are different ones. */
async function chooseFreePorts(): Promise<[number, number, number, number]> {
  const servers = [createServer(), createServer(), createServer(), createServer()] as const;
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
    const address = server.address();
    if (typeof address === "object" && address !== null) ports.push(address.port);
  }
  for (const server of servers) await new Promise((resolve) => server.close(resolve));
  const [a, b, c, d] = ports;
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error("no free ports");
  return [a, b, c, d];
}
