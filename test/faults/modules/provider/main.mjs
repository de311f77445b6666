// Makes the cluster once, beside its place, and becomes its server.
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const { BIN = "", PORT = "", DATA = "" } = process.env;
const cluster = join(DATA, "cluster");
const env = { PATH: process.env.PATH, LC_ALL: "C" };
if (!existsSync(cluster)) {
  const half = join(DATA, "half");
  rmSync(half, { recursive: true, force: true });
  const password = join(DATA, "admin-password");
  writeFileSync(password, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
  const choices = ["--username=admin", `--pwfile=${password}`, "--auth=scram-sha-256", "--no-locale", "--no-sync"];
  execFileSync(join(BIN, "initdb"), ["-D", half, ...choices], { env, stdio: "inherit" });
  renameSync(half, cluster);
}
const settings = ["-c", `port=${PORT}`, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
const quick = ["-c", "fsync=off", "-c", "shared_buffers=16MB", "-c", "max_connections=20"];
const server = spawn(join(BIN, "postgres"), ["-D", cluster, ...settings, ...quick], { env, stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => server.kill("SIGINT"));
server.once("exit", (code) => process.exit(code ?? 1));
