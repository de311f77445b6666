import {
  databaseConsumer,
  databaseProvider,
  seedAssignment,
  seedBuild,
  seedNodes,
} from "../../test/flows/support/seed-mesh.ts";
import type { BenchContext } from "../main.ts";
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
    await fillMesh(db, mesh, { notes });
    for (const node of consumers) await seedAssignment({ db, mesh }, node, "shop");
    const offers = [{ module: "rows", kind: "postgresql", endpoint: { host: "provider.test", port: 5433 } }];
    await tellProvider(db, mesh, { builds: { rows }, offers, number: meshNodes + 1 });
    await db.query("analyze");
    return await measureLoading(db, mesh, { ours: others, consumers });
  } finally {
    await records.close();
  }
}

type Db = Parameters<typeof measureLoading>[0];

/** Records of hosts with the keys of one, each with the same module, and told it. */
async function fillMesh(db: Db, mesh: string, builds: Readonly<Record<string, string>>): Promise<void> {
  const named = `select 'record-' || n as name, n from generate_series(1, $2::int) as n`;
  const values = [mesh, meshNodes - 1];
  await db.query(
    `insert into node (mesh, name, address, incarnation, sign_key, seal_key)
       select $1, r.name, 'record.test', incarnation, sign_key, seal_key from (${named}) as r, node where mesh = $1`,
    values,
  );
  await db.query(
    `insert into assignment (mesh, node, module, config) select $1, name, 'notes', '{"text": "own"}' from (${named}) as r`,
    values,
  );
  await db.query(
    `${insertDeclarations} select $1, r.name, 1, r.n, $4, incarnation, '', $3, '[]', 'first', 0, '', now(), now()
       from (${named}) as r join node on node.mesh = $1 and node.name = r.name`,
    [...values, JSON.stringify(builds), builds["notes"]],
  );
}

const insertDeclarations = `insert into declaration (mesh, node, epoch, number, digest, incarnation, envelope, builds, offers,
  push, round, why, issued_at, stale_after)`;

/** What it offers is what consumers may choose. */
async function tellProvider(
  db: Db,
  mesh: string,
  sent: {
    readonly builds: Readonly<Record<string, string>>;
    readonly offers: readonly object[];
    readonly number: number;
  },
): Promise<void> {
  await db.query(
    `${insertDeclarations} select $1, name, 1, $2, $5, incarnation, '', $3, $4, 'first', 0, '', now(), now()
       from node where mesh = $1 and name = 'provider'`,
    [mesh, sent.number, JSON.stringify(sent.builds), JSON.stringify(sent.offers), sent.builds["rows"]],
  );
}
