import { setTimeout as sleep } from "node:timers/promises";
import type { BenchContext } from "../main.ts";
import type { BenchMesh } from "../mesh/bench-mesh.ts";
import { countStatements } from "../mesh/count-statements.ts";
import { countAllEvents, readCpu, readSafetyIntervalMs } from "../mesh/measure-idle.ts";
import { openPushable } from "../mesh/open-pushable.ts";
import { toRow, type Row } from "../report/row.ts";

const idleMs = 60_000;
const dayMs = 86_400_000;

/** Nobody does anything for a minute. Then one look without a change, which is what a timer costs a few times a day. */
export async function benchIdle(context: BenchContext): Promise<Row[]> {
  const mesh = await openPushable(context, "idle");
  try {
    // What the push left to do is done.
    await sleep(10_000);
    context.say(`idle: waiting ${idleMs / 1_000} s`);
    const statements = await countStatements(mesh.connection);
    const eventsBefore = await countAllEvents(mesh);
    const cpuBefore = await readCpu(mesh);
    await sleep(idleMs);
    const cpuAfter = await readCpu(mesh);
    const sent = await statements.read();
    const events = (await countAllEvents(mesh)) - eventsBefore;
    const look = await countLook(mesh);
    const looks = dayMs / (await readSafetyIntervalMs(mesh));
    return [
      toRow({
        bench: "idle",
        what: "history in a day",
        unit: "events",
        values: [(events * dayMs) / idleMs + looks * look],
        goal: { limit: 300, at: "p50", below: true },
        note: `${events} in the minute × 1440, and ${looks} looks by the safety timer, each ${look} events (measured)`,
      }),
      ...rowsOfMinute(events, sent, difference(cpuBefore, cpuAfter)),
    ];
  } finally {
    await mesh.close();
  }
}

async function countLook(mesh: BenchMesh): Promise<number> {
  const before = await countAllEvents(mesh);
  await mesh.controller.wakeReconcile({ mesh: mesh.connection.mesh, why: "a look without a change" });
  let last = -1;
  for (let now = await countAllEvents(mesh); now !== last; now = await countAllEvents(mesh)) {
    last = now;
    await sleep(2_000);
  }
  return last - before;
}

function rowsOfMinute(
  events: number,
  statements: ReadonlyMap<string, number>,
  cpu: ReadonlyMap<string, number>,
): Row[] {
  // Ours: this very measurement asks too.
  const ours = [...statements].filter(([application]) => application.startsWith("mesh-") && application !== "mesh-cli");
  const total = ours.reduce((sum, [, count]) => sum + count, 0);
  const shared = { bench: "idle" } as const;
  return [
    toRow({ ...shared, what: "history in a minute", unit: "events", values: [events] }),
    toRow({
      ...shared,
      what: "SQL in a minute",
      unit: "statements",
      values: [total],
      note: `from the server's own log (log_statement = all), BEGIN and COMMIT included: ${[...statements].map(([application, count]) => `${application === "" ? "unnamed" : application} ${count}`).join(", ")}`,
    }),
    ...[...cpu].map(([name, seconds]) =>
      toRow({ ...shared, what: `CPU of ${name} in a minute`, unit: "s", values: [seconds] }),
    ),
  ];
}

function difference(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...after].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]));
}
