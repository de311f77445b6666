import {
  databaseConsumer,
  databaseProvider,
  seedAssignment,
  seedBuild,
  seedNodes,
} from "../../test/flows/support/seed-mesh.ts";
import type { BenchContext } from "../main.ts";
import { fillMesh, tellProvider } from "../mesh/fill-mesh.ts";
import { createPusher, type StepTimes } from "../mesh/measure-push.ts";
import { openRecords } from "../mesh/open-records.ts";
import { percentile } from "../report/percentile.ts";
import { type Row, toRow } from "../report/row.ts";

const meshNodes = Number(process.env["MESH_BENCH_NODES"] ?? 10_000);
const runs = Number(process.env["MESH_BENCH_RUNS"] ?? 3);

/**
 * What a push costs in a mesh of MESH_BENCH_NODES, step by step, by the activities themselves: of one node, of one that
 * has a database minted for it, and of all at once. PostgreSQL only; processor time is that of this process.
 */
export async function benchLooks(context: BenchContext): Promise<Row[]> {
  const records = await openRecords();
  context.versions.postgresql = records.postgresql;
  const { db, mesh } = records.deps;
  try {
    context.say(`looks: ${meshNodes} nodes into the records`);
    await seedNodes({ db, mesh }, ["provider"]);
    const notes = await seedBuild({ db, mesh }, "notes", 1, { config: { text: "first" } });
    const rows = await seedBuild({ db, mesh }, "rows", 1, databaseProvider);
    await seedBuild({ db, mesh }, "shop", 1, databaseConsumer);
    await seedAssignment({ db, mesh }, "provider", "rows");
    await fillMesh(db, mesh, { count: meshNodes - 1, builds: { notes } });
    const offers = [{ module: "rows", kind: "postgresql", endpoint: { host: "provider.test", port: 5433 } }];
    await tellProvider(db, mesh, { builds: { rows }, offers, number: meshNodes + 1 });
    await db.query("update mesh set number = $2 where name = $1", [mesh, meshNodes + 1]);
    await db.query("analyze");
    const pusher = await createPusher(records.deps);
    const setNotes = (text: string, nodes: string): Promise<unknown> =>
      db.query(
        `update assignment set config = jsonb_build_object('text', $2::text) where mesh = $1 and module = 'notes' and node like $3`,
        [mesh, text, nodes],
      );
    const [one, minted, all]: [StepTimes[], StepTimes[], StepTimes[]] = [[], [], []];
    context.say("looks: everybody is told for the first time");
    await pusher.push("all", []);
    for (let run = 0; run < runs; run += 1) {
      context.say(`looks: ${run + 1} of ${runs}`);
      await setNotes(`one ${run}`, "record-1");
      one.push(await pusher.push("named", ["record-1"]));
      await seedAssignment({ db, mesh }, `record-${run + 2}`, "shop");
      minted.push(await pusher.push("named", [`record-${run + 2}`]));
      await setNotes(`all ${run}`, "record-%");
      all.push(await pusher.push("all", []));
    }
    return [...rowsOf("one", one), ...rowsOf("one, a database minted", minted), ...rowsOf("all", all)];
  } finally {
    await records.close();
  }
}

function rowsOf(what: string, times: readonly StepTimes[]): Row[] {
  const steps = [...new Set(times.flatMap((one) => [...one.keys()]))];
  return steps.flatMap((step) => {
    const measured = times.flatMap((one) => one.get(step) ?? []);
    const clock = percentile(
      measured.map((one) => one.ms),
      0.5,
    );
    return [
      toRow({
        bench: "looks",
        what: `push of ${what} of ${meshNodes}: ${step}`,
        unit: "ms",
        values: measured.map((one) => one.cpuMs),
        note: `processor time; ${Math.round(clock)} ms by the clock`,
      }),
    ];
  });
}
