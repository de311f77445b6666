import pg from "pg";
import type { Digest } from "../../../src/core/names.ts";
import type { Baseline, Grant, History, Push, Send, Told } from "./history.ts";

type Records = Pick<History, "grants" | "sends" | "told" | "pushes" | "baselines">;

/** The commit's moment in microseconds, as PostgreSQL noted it (`track_commit_timestamp`). */
const committed = `(extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000000)::float8 as "committedAt"`;

export const grantsInOrder = `select epoch::int, holder, ${committed} from epoch_grant order by "committedAt"`;

/** The records of a mesh at one moment; what has an order is in the order of commits. */
export async function readRecords(url: string): Promise<Records> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 20_000 });
  // A connection that breaks between two statements; the next one fails for it.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("begin isolation level repeatable read read only");
    const grants = await client.query<Grant>(grantsInOrder);
    const sends = await client.query<Omit<Send, "digest"> & { readonly digest: Digest }>(
      `select node, epoch::int, number::int, digest, incarnation, push, round, ${committed},
              (extract(epoch from stale_after - issued_at) * 1000)::int as "freshMs"
         from declaration order by "committedAt", epoch, number`,
    );
    const told = await client.query<Told>(
      "select push, round, node, outcome, epoch::int, number::int, digest from told order by push, round, node",
    );
    const pushes = await client.query<Push>(
      "select id, named, result ->> 'outcome' as outcome, (result ->> 'sent')::int as sent from push order by opened_at, id",
    );
    return {
      grants: grants.rows,
      sends: sends.rows,
      told: told.rows,
      pushes: pushes.rows,
      baselines: await readBaselines(client),
    };
  } finally {
    await client.end();
  }
}

/** Of records that keep them (`keep-baselines.ts`). */
async function readBaselines(client: pg.Client): Promise<readonly Baseline[]> {
  const [kept] = (await client.query<{ kept: boolean }>("select to_regclass('faults.baseline') is not null as kept"))
    .rows;
  if (kept?.kept !== true) return [];
  return (await client.query<Baseline>("select push, node, digest from faults.baseline order by push, node")).rows;
}
