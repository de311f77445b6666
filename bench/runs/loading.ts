import {
  databaseConsumer,
  databaseProvider,
  seedAssignment,
  seedBuild,
  seedNodes,
} from "../../test/flows/support/seed-mesh.ts";
import type { BenchContext } from "../main.ts";
import { fillMesh, tellProvider } from "../mesh/fill-mesh.ts";
import { measureLoading } from "../mesh/measure-loading.ts";
import { openRecords } from "../mesh/open-records.ts";
import type { Row } from "../report/row.ts";

/** What the product is for at most. */
const meshNodes = Number(process.env["MESH_BENCH_NODES"] ?? 10_000);
const consumers = Array.from({ length: 10 }, (_, index) => `record-${index + 1}`);
const others = Array.from({ length: 100 }, (_, index) => `record-${index + 11}`);

/**
 * What a batch reads under the gate, next to the whole world, in a mesh of MESH_BENCH_NODES: each has one module and was told
 * once, one of them provides databases, and ten require one. PostgreSQL only.
 */
export async function benchLoading(context: BenchContext): Promise<Row[]> {
  const records = await openRecords();
  context.versions.postgresql = records.postgresql;
  const { db, mesh } = records.deps;
  try {
    context.say(`loading: ${meshNodes} nodes into the records`);
    await seedNodes({ db, mesh }, ["provider"]);
    const notes = await seedBuild({ db, mesh }, "notes", 1, { config: { text: "first" } });
    const rows = await seedBuild({ db, mesh }, "rows", 1, databaseProvider);
    await seedBuild({ db, mesh }, "shop", 1, databaseConsumer);
    await seedAssignment({ db, mesh }, "provider", "rows");
    await fillMesh(db, mesh, { count: meshNodes - 1, builds: { notes } });
    for (const node of consumers) await seedAssignment({ db, mesh }, node, "shop");
    const offers = [{ module: "rows", kind: "postgresql", endpoint: { host: "provider.test", port: 5433 } }];
    await tellProvider(db, mesh, { builds: { rows }, offers, number: meshNodes + 1 });
    await db.query("analyze");
    return await measureLoading(db, mesh, { ours: others, consumers });
  } finally {
    await records.close();
  }
}
