import type { Database } from "../../src/store/database.ts";

/** Records of hosts with the keys of one, each with the same module, and told it. */
export async function fillMesh(
  db: Database,
  mesh: string,
  { count, builds }: { readonly count: number; readonly builds: Readonly<Record<string, string>> },
): Promise<void> {
  const named = `select 'record-' || n as name, n from generate_series(1, $2::int) as n`;
  const values = [mesh, count];
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
export async function tellProvider(
  db: Database,
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
