import { seedNodes } from "../../test/flows/support/seed-mesh.ts";
import type { BenchContext } from "../main.ts";
import { benchHosts, type BenchMesh } from "../mesh/bench-mesh.ts";
import { openPushable, setNote } from "../mesh/open-pushable.ts";
import { openPushProbe, type PushProbe, type PushSample } from "../mesh/push-probe.ts";
import { percentile } from "../report/percentile.ts";
import { toRow, type Row } from "../report/row.ts";

const runs = 20;
const nodes = 200;

/**
 * The same push in a mesh of 2 and, in the same process a moment later, of 200 nodes. The others are records with keys of
 * their own and a module each; nothing runs on them.
 */
export async function benchPush200(context: BenchContext): Promise<Row[]> {
  const mesh = await openPushable(context, "push-200");
  const probe = await openPushProbe(mesh, benchHosts);
  try {
    const small = await pushOne(mesh, probe, "small");
    context.say("push-200: adding 198 nodes to the records");
    const others = Array.from({ length: nodes - benchHosts.length }, (_, index) => `record-${index + 1}`);
    await seedNodes(mesh.connection, others);
    for (const node of others) await setNote(mesh, node, "first");
    const many = [await probe.push(others, others.length)];
    const large = await pushOne(mesh, probe, "large");
    for (let run = 0; run < 5; run += 1) {
      for (const node of others) await setNote(mesh, node, `again ${run}`);
      many.push(await probe.push(others, others.length));
    }
    return [...compare(small, large), ...rowsOfMany(many)];
  } finally {
    await probe.close();
    await mesh.close();
  }
}

async function pushOne(mesh: BenchMesh, probe: PushProbe, word: string): Promise<PushSample[]> {
  const samples: PushSample[] = [];
  for (let run = 0; run <= runs; run += 1) {
    await setNote(mesh, "node-a", `${word} ${run}`);
    samples.push(await probe.push(["node-a"], 1));
  }
  return samples.slice(1);
}

function compare(small: readonly PushSample[], large: readonly PushSample[]): Row[] {
  const rows = [
    { what: "until sent", unit: "ms", pick: (sample: PushSample) => sample.sentMs },
    { what: "until applied", unit: "ms", pick: (sample: PushSample) => sample.appliedMs ?? Number.NaN },
    {
      what: "history of the round",
      unit: "events",
      pick: (sample: PushSample) => sample.history.rounds[0]?.events ?? 0,
    },
    { what: "history of push and round", unit: "events", pick: (sample: PushSample) => sample.history.events },
  ] as const;
  return rows.map(({ what, unit, pick }) => {
    const p50 = percentile(small.map(pick), 0.5);
    return toRow({
      bench: "push-200",
      what: `one node of 200: ${what}`,
      unit,
      values: large.map(pick),
      against: { words: `mesh of 2: ${Math.round(p50)} ${unit}`, p50, equal: unit === "events" },
    });
  });
}

function rowsOfMany(samples: readonly PushSample[]): Row[] {
  const shared = { bench: "push-200" } as const;
  return [
    toRow({
      ...shared,
      what: "198 nodes at once: until sent",
      unit: "ms",
      values: samples.map((sample) => sample.sentMs),
    }),
    toRow({
      ...shared,
      what: "198 nodes at once: history",
      unit: "events",
      values: samples.map((sample) => sample.history.events),
      note: "two batches in one round",
    }),
  ];
}
