import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTemporal } from "../../../src/embedded/find-temporal.ts";

const mark = "MESH_FAULTS_INSIDE";

const outside = "MESH_FAULTS_OUTSIDE";

/** For what is kept after the run: all that lies in its own `TMPDIR` goes with it. */
export function keptFolder(): string {
  return process.env[outside] ?? tmpdir();
}

/** Whether this run has a network, mounts and processes of its own: as root on Linux, else not. */
export function isInside(): boolean {
  return process.env[mark] === "1";
}

/**
 * Runs this program again in namespaces of its own: what it mounts, connects and starts ends with it, whatever ends it.
 * Answers its exit code, or null where that is not possible here.
 */
export async function runInside(): Promise<number | null> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const words = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"];
  if (spawnSync("unshare", [...words, "nsenter", "--version"], { stdio: "ignore" }).status !== 0) return null;
  // Inside there is no way to the outside any more: what may have to be downloaded is here before.
  await findTemporal({ env: process.env, folder: tmpdir(), progress: () => undefined });
  // A shell as the first process: it takes in what is orphaned, which Node would not.
  const script = '"$@"; exit $?';
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  // Removed from here: what is mounted in it, and a run that was killed, keep the run itself from doing it.
  const folder = await mkdtemp(join(tmpdir(), "mesh-faults-run-"));
  // As /tmp: servers run as nobody under root.
  await chmod(folder, 0o1777);
  const child = spawn("unshare", [...words, "sh", "-c", script, "sh", ...again], {
    stdio: "inherit",
    env: { ...process.env, [mark]: "1", [outside]: tmpdir(), TMPDIR: folder },
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill("SIGKILL"));
  const code = await new Promise<number>((resolve) => {
    child.once("exit", (ended) => resolve(ended ?? 1));
  });
  if (process.env["MESH_KEEP_BEDS"] === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
  return code;
}
