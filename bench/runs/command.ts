import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BenchContext } from "../main.ts";
import { openPushable } from "../mesh/open-pushable.ts";
import { toRow, type Row } from "../report/row.ts";

const program = fileURLToPath(new URL("../../bin/mesh.js", import.meta.url));
const runs = 21;
const starts = 5;

/** Commands as a person starts them, and a mesh that was ended in order and is brought up again. */
export async function benchCommand(context: BenchContext): Promise<Row[]> {
  const mesh = await openPushable(context, "command");
  const { bed } = mesh;
  try {
    const status = await timeCommand(["status", "--json", "--state", bed.state]);
    const help = await timeCommand(["--help"]);
    const node = await timeProcess(["--eval", ""]);
    context.say("command: ending mesh up and starting it again");
    const ready: number[] = [];
    for (let run = 0; run < starts; run += 1) {
      await bed.endUp();
      const from = performance.now();
      await bed.startUp();
      ready.push((performance.now() - from) / 1_000);
    }
    const shared = { bench: "command" } as const;
    return [
      toRow({
        ...shared,
        what: "mesh status --json",
        unit: "ms",
        values: status,
        goal: { limit: 400, at: "p50", below: true },
      }),
      toRow({ ...shared, what: "mesh --help", unit: "ms", values: help }),
      toRow({ ...shared, what: "node alone, for comparison", unit: "ms", values: node }),
      toRow({
        ...shared,
        what: "mesh up again, until ready",
        unit: "s",
        values: ready,
        goal: { limit: 15, at: "p50", below: true },
        note: "PostgreSQL, Temporal and the controller, without examples; before that all of them were ended in order",
      }),
    ];
  } finally {
    await mesh.close();
  }
}

function timeCommand(args: readonly string[]): Promise<number[]> {
  return timeProcess([program, ...args]);
}

/** From the start of the process until it has ended and all of its output is here. The first, cold one does not count. */
async function timeProcess(args: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run <= runs; run += 1) {
    const from = performance.now();
    await new Promise<void>((resolve, reject) => {
      execFile(process.execPath, [...args], (error) => {
        // Pending is exit code 1, and an answer.
        if (error !== null && error.code !== 1) reject(error);
        else resolve();
      });
    });
    times.push(performance.now() - from);
  }
  return times.slice(1);
}
