import { z } from "zod";
import { nameSchema, type Name } from "../../core/names.ts";
import { bigintColumn, bytesColumn } from "../columns.ts";
import type { Transaction } from "../database.ts";
import { many, run } from "../rows.ts";

const rootRowSchema = z.object({
  mesh: nameSchema,
  version: bigintColumn,
  envelope: bytesColumn,
  /** As PostgreSQL writes it, with its microseconds. */
  publishedAt: z.string(),
});
type RootRow = z.output<typeof rootRowSchema>;

/** Versions, lowest first. */
export interface TakenRoots {
  /** Taken over from the records that went. */
  readonly taken: readonly number[];
  /** Not taken over: another root of this version is in the backup, so that the two are of different lines. */
  readonly differs: readonly number[];
}

/** Of every mesh, before the tables go. */
export function readAllRoots(tx: Transaction): Promise<RootRow[]> {
  return many(
    tx,
    rootRowSchema,
    `select mesh, version, envelope, published_at::text as "publishedAt" from root_document order by mesh, version`,
    [],
  );
}

/**
 * What was published is published: a host that has root N goes on by nothing but root N+1. So the roots which the backup
 * does not know come over, unless the two have different roots under one version: then these were of another line, whose
 * roots no host of the backup's would take. What makes one good is judged by its readers, as ever.
 */
export async function takeOverRoots(tx: Transaction, mesh: Name, before: readonly RootRow[]): Promise<TakenRoots> {
  const own = before.filter((root) => root.mesh === mesh);
  const restored = (await readAllRoots(tx)).filter((root) => root.mesh === mesh);
  const differs = own.filter(({ version, envelope }) =>
    restored.some((one) => one.version === version && !one.envelope.equals(envelope)),
  );
  if (differs.length > 0) return { taken: [], differs: differs.map(({ version }) => version) };
  const taken = own.filter(({ version }) => !restored.some((one) => one.version === version));
  for (const root of taken) await insertRoot(tx, root);
  return { taken: taken.map(({ version }) => version), differs: [] };
}

function insertRoot(tx: Transaction, { mesh, version, envelope, publishedAt }: RootRow): Promise<number> {
  return run(
    tx,
    `insert into root_document (mesh, version, envelope, published_at) values ($1, $2, $3, $4::text::timestamptz)`,
    [mesh, version, envelope, publishedAt],
  );
}
