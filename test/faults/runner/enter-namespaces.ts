import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { findTemporal } from "../../../src/embedded/find-temporal.ts";

const mark = "MESH_FAULTS_INSIDE";

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
  const child = spawn("unshare", [...words, "sh", "-c", script, "sh", ...again], {
    stdio: "inherit",
    env: { ...process.env, [mark]: "1" },
  });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => child.kill("SIGKILL"));
  return await new Promise((resolve) => {
    child.once("exit", (code) => resolve(code ?? 1));
  });
}
