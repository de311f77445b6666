import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

/** One statement on the records of a mesh, past its program. */
export async function readRecords<Row extends object>(state: string, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client({
    connectionString: (await readFile(join(state, "secrets", "database-url"), "utf8")).trim(),
    connectionTimeoutMillis: 5_000,
    query_timeout: 20_000,
  });
  // A connection that breaks between two statements; the next one fails for it.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Everything that was ever sent: `node-a 1.2 sha256:…`, in the order of the numbers. */
export async function readSends(state: string): Promise<readonly string[]> {
  const rows = await readRecords<{ send: string }>(
    state,
    "select format('%s %s.%s %s', node, epoch, number, digest) as send from declaration order by epoch, number",
  );
  return rows.map((row) => row.send);
}
