import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { many, run } from "../../src/store/rows.ts";
import { z } from "zod";
import { seedNodes } from "../../test/flows/support/seed-mesh.ts";
import type { BenchContext } from "../main.ts";
import { benchHosts, type BenchMesh } from "../mesh/bench-mesh.ts";
import { openPushable, setNote } from "../mesh/open-pushable.ts";
import { openPushProbe, type PushProbe, type PushSample } from "../mesh/push-probe.ts";
import { toRow, type Row } from "../report/row.ts";

const program = fileURLToPath(new URL("../../bin/mesh.js", import.meta.url));
/** What the product is for at most; fewer on a machine that is not free: MESH_BENCH_NODES=1000. */
const nodes = Number(process.env["MESH_BENCH_NODES"] ?? 10_000);
const runs = 3;

/**
 * The largest mesh: two hosts, and records of all others with keys of their own and a module each. One of it pushed, all
 * of it at once, and what it costs to ask how it stands.
 */
export async function benchLarge(context: BenchContext): Promise<Row[]> {
  const mesh = await openPushable(context, "large");
  const probe = await openPushProbe(mesh, benchHosts);
  try {
    const others = Array.from({ length: nodes - benchHosts.length }, (_, index) => `record-${index + 1}`);
    context.say(`large: adding ${others.length} nodes to the records`);
    await seedNodes(mesh.connection, others);
    await assignNotes(mesh, "first");
    context.say("large: telling all of it for the first time");
    const all = [await probe.push([], others.length, "all")];
    const one = await pushOne(context, mesh, probe);
    const behind: PushSample[] = [];
    for (let round = 0; round < runs; round += 1) {
      context.say(`large: everybody is behind, and told (${round + 1} of ${runs})`);
      await assignNotes(mesh, `again ${round}`);
      (round % 2 === 0 ? behind : all).push(await probe.push([], others.length, round % 2 === 0 ? "behind" : "all"));
    }
    context.say("large: asking how it stands");
    const status = await timeStatus(mesh);
    return toRows({ all, behind, one, status });
  } finally {
    await probe.close();
    await mesh.close();
  }
}

/** To everybody who has no host here, in one statement. */
async function assignNotes({ connection: { db, mesh } }: BenchMesh, text: string): Promise<void> {
  await run(
    db,
    `insert into assignment (mesh, node, module, config, providers)
     select mesh, name, 'notes', jsonb_build_object('text', $2::text), '{}' from node where mesh = $1 and name like 'record-%'
     on conflict (mesh, node, module) do update set config = excluded.config`,
    [mesh, text],
  );
  await many(db, z.object({ count: z.string() }), `select count(*) from assignment where mesh = $1`, [mesh]);
}

async function pushOne(context: BenchContext, mesh: BenchMesh, probe: PushProbe): Promise<PushSample[]> {
  const samples: PushSample[] = [];
  context.say("large: telling one node");
  for (let round = 0; round <= runs; round += 1) {
    await setNote(mesh, "node-a", `one ${round}`);
    samples.push(await probe.push(["node-a"], 1));
  }
  return samples.slice(1);
}

async function timeStatus(mesh: BenchMesh): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < runs; round += 1) {
    const from = performance.now();
    await new Promise<void>((resolve, reject) => {
      execFile(
        process.execPath,
        [program, "status", "--json", "--state", mesh.bed.state],
        { maxBuffer: 256 * 1024 ** 2 },
        // Pending is exit code 1, and an answer; nobody there ever reports.
        (error) => (error === null || typeof error.code === "number" ? resolve() : reject(error)),
      );
    });
    times.push(performance.now() - from);
  }
  return times;
}

interface Samples {
  readonly all: readonly PushSample[];
  readonly behind: readonly PushSample[];
  readonly one: readonly PushSample[];
  readonly status: readonly number[];
}

function toRows({ all, behind, one, status }: Samples): Row[] {
  const bench = "large";
  const of = (samples: readonly PushSample[], pick: (sample: PushSample) => number): number[] => samples.map(pick);
  return [
    toRow({ bench, what: `one of ${nodes}: until sent`, unit: "ms", values: of(one, (sample) => sample.sentMs) }),
    toRow({ bench, what: `one of ${nodes}: until settled`, unit: "ms", values: of(one, (sample) => sample.endedMs) }),
    toRow({ bench, what: `all ${nodes}: until settled`, unit: "ms", values: of(all, (sample) => sample.endedMs) }),
    toRow({
      bench,
      what: `--behind, ${nodes}: until settled`,
      unit: "ms",
      values: of(behind, (sample) => sample.endedMs),
    }),
    toRow({
      bench,
      what: `all ${nodes}: history`,
      unit: "events",
      values: of([...all, ...behind], (sample) => sample.history.events),
      goal: { limit: 2_000, at: "p50", below: true },
    }),
    toRow({ bench, what: "mesh status --json", unit: "ms", values: status }),
  ];
}
