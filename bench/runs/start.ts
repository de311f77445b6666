import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProcess } from "../../test/beds/support/start-process.ts";
import type { BenchContext } from "../main.ts";
import { waitUntil } from "../mesh/wait-until.ts";
import { toRow, type Row } from "../report/row.ts";

const program = fileURLToPath(new URL("../../bin/start.js", import.meta.url));
const starts = 5;

/** `npm start` with its examples, in a state folder of its own: the first, and those after an orderly end. */
export async function benchStart(context: BenchContext): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "mesh-bench-start-"));
  await chmod(folder, 0o755);
  try {
    context.say("start: the first one");
    const first = await startOnce(folder);
    const again: number[] = [];
    for (let run = 0; run < starts; run += 1) {
      context.say(`start: again, ${run + 1} of ${starts}`);
      again.push(await startOnce(folder));
    }
    const shared = { bench: "start", unit: "s" } as const;
    return [
      toRow({
        ...shared,
        what: "npm start again, until ready",
        values: again,
        goal: { limit: 15, at: "p50", below: true },
        note: "all servers were ended in order before; ready: both hosts have read back what they were told",
      }),
      toRow({
        ...shared,
        what: "the first npm start of a state folder",
        values: [first],
        note: "this clone was installed and built, and a Temporal server was kept by an earlier run; packages of the examples came from npm or its cache",
      }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds until the command has said that all is up; then it is ended as by Ctrl-C, and waited for. */
async function startOnce(folder: string): Promise<number> {
  const logFile = join(folder, "start.log");
  const from = performance.now();
  const up = startProcess([program, "--json", "--state", join(folder, "state")], { logFile });
  try {
    await waitUntil("npm start", async () => readEnd(up.stdout(), up.child.exitCode, logFile), {
      everyMs: 20,
      withinMs: 300_000,
    });
    return (performance.now() - from) / 1_000;
  } finally {
    await up.end();
  }
}

async function readEnd(stdout: string, exitCode: number | null, logFile: string): Promise<true | null> {
  if (stdout.endsWith("\n")) {
    const { troubles } = JSON.parse(stdout) as { troubles: readonly string[] };
    if (troubles.length > 0) throw new Error(`npm start has troubles: ${troubles.join("; ")}`);
    return true;
  }
  if (exitCode !== null) throw new Error(`npm start ended with ${exitCode}: ${await readFile(logFile, "utf8")}`);
  return null;
}
