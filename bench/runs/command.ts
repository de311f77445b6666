import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BenchContext } from "../main.ts";
import { openPushable } from "../mesh/open-pushable.ts";
import { readChildrenCpuSeconds } from "../report/machine.ts";
import { toRow, type Row } from "../report/row.ts";

const program = fileURLToPath(new URL("../../bin/mesh.js", import.meta.url));
const runs = 21;

/** Commands as a person starts them, in a mesh of two hosts. */
export async function benchCommand(context: BenchContext): Promise<Row[]> {
  const mesh = await openPushable(context, "command");
  const { bed } = mesh;
  try {
    const status = await timeProcess("mesh status --json", [program, "status", "--json", "--state", bed.state]);
    const help = await timeProcess("mesh --help", [program, "--help"]);
    const node = await timeProcess("node alone", ["--eval", ""]);
    const shared = { bench: "command" } as const;
    return [
      toRow({
        ...shared,
        what: status.what,
        unit: "ms",
        values: status.times,
        goal: { limit: 400, at: "p50", below: true },
      }),
      ...[status, help, node].map((one) =>
        toRow({ ...shared, what: `${one.what}: CPU`, unit: "ms", values: [one.cpuMs] }),
      ),
      ...[help, node].map((one) => toRow({ ...shared, what: one.what, unit: "ms", values: one.times })),
    ];
  } finally {
    await mesh.close();
  }
}

interface Timed {
  readonly what: string;
  readonly times: readonly number[];
  /** User and system time of one run, on average: what others do at the same time hardly moves it. */
  readonly cpuMs: number;
}

/** From the start of the process until it has ended and all of its output is here. The first, cold one does not count. */
async function timeProcess(what: string, args: readonly string[]): Promise<Timed> {
  await runOnce(args);
  const times: number[] = [];
  const cpuBefore = await readChildrenCpuSeconds();
  for (let run = 0; run < runs; run += 1) {
    const from = performance.now();
    await runOnce(args);
    times.push(performance.now() - from);
  }
  return { what, times, cpuMs: (((await readChildrenCpuSeconds()) - cpuBefore) * 1_000) / runs };
}

function runOnce(args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...args], (error) => {
      // Pending is exit code 1, and an answer.
      if (error !== null && error.code !== 1) reject(error);
      else resolve();
    });
  });
}
