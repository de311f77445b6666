import { assign, unassign } from "../../src/store/assignments.ts";
import type { BenchContext } from "../main.ts";
import { benchHosts, type BenchMesh } from "../mesh/bench-mesh.ts";
import { openPushable, setNote } from "../mesh/open-pushable.ts";
import { openPushProbe, type PushProbe, type PushSample } from "../mesh/push-probe.ts";
import { toRow, type Row } from "../report/row.ts";

const runs = 25;
const eventsGoal = { limit: 60, at: "p95" } as const;
const appliedGoal = { limit: 1_000, at: "p50" } as const;

/** A push to one node, to both, and one that is told to the second by cascade: to *sent*, to *applied*, in events. */
export async function benchPush(context: BenchContext): Promise<Row[]> {
  const mesh = await openPushable(context, "push");
  const probe = await openPushProbe(mesh, benchHosts);
  try {
    const one = await pushNotes(mesh, probe, ["node-a"]);
    const both = await pushNotes(mesh, probe, ["node-a", "node-b"]);
    const cascades = await pushCascades(mesh, probe);
    return [
      ...rowsOf("one node", one),
      ...rowsOf("both hosts", both),
      ...rowsOf("cascade: database minted", cascades.mints),
      ...rowsOf("cascade: database withdrawn", cascades.withdrawals),
    ];
  } finally {
    await probe.close();
    await mesh.close();
  }
}

async function pushNotes(mesh: BenchMesh, probe: PushProbe, nodes: readonly string[]): Promise<PushSample[]> {
  const samples: PushSample[] = [];
  for (let run = 0; run <= runs; run += 1) {
    for (const node of nodes) await setNote(mesh, node, `${nodes.length} ${run}`);
    samples.push(await probe.push(nodes, nodes.length));
  }
  // The first one finds everything cold.
  return samples.slice(1);
}

/** node-a is pushed; node-b holds the provider and is told in round 1. */
async function pushCascades(
  mesh: BenchMesh,
  probe: PushProbe,
): Promise<{ readonly mints: PushSample[]; readonly withdrawals: PushSample[] }> {
  const { db, mesh: name } = mesh.connection;
  const mints: PushSample[] = [];
  const withdrawals: PushSample[] = [];
  for (let run = 0; run <= runs; run += 1) {
    await assign(db, name, { node: "node-a", module: "consumer", config: {}, providers: {} });
    mints.push(await probe.push(["node-a"], 2));
    await unassign(db, name, { node: "node-a", module: "consumer" });
    withdrawals.push(await probe.push(["node-a"], 2));
  }
  return { mints: mints.slice(1), withdrawals: withdrawals.slice(1) };
}

function rowsOf(what: string, samples: readonly PushSample[]): Row[] {
  const applied = samples.map((sample) => sample.appliedMs ?? Number.NaN);
  const tasks = samples.map((sample) => sample.history.tasks);
  const shared = { bench: "push" } as const;
  return [
    toRow({ ...shared, what: `${what}: until applied`, unit: "ms", values: applied, goal: appliedGoal }),
    toRow({ ...shared, what: `${what}: until sent`, unit: "ms", values: samples.map((sample) => sample.sentMs) }),
    toRow({ ...shared, what: `${what}: until settled`, unit: "ms", values: samples.map((sample) => sample.endedMs) }),
    toRow({
      ...shared,
      what: `${what}: history`,
      unit: "events",
      values: samples.map((sample) => sample.history.events),
      goal: eventsGoal,
      note: `${describe(samples)}; ${Math.max(...tasks)} workflow tasks`,
    }),
  ];
}

function describe(samples: readonly PushSample[]): string {
  const history = samples[0]?.history;
  return `push ${history?.push.events}, rounds ${history?.rounds.map((round) => round.events).join(" + ")}`;
}
