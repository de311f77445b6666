import { z } from "zod";
import type { Name } from "../core/names.ts";
import { bigintColumn, bytesColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, run } from "./rows.ts";

const rootRecordSchema = z.object({ version: bigintColumn, envelope: bytesColumn, publishedAt: timeColumn });
/** One signed root document. Whoever reads it verifies it by the one before: that it is kept here makes it good for nobody. */
export type RootRecord = z.output<typeof rootRecordSchema>;

/** False: a root of this version is kept already, and stays as it is. */
export async function keepRoot(
  db: Queryable,
  mesh: Name,
  root: { readonly version: number; readonly envelope: Uint8Array },
): Promise<boolean> {
  const kept = await run(
    db,
    `insert into root_document (mesh, version, envelope) values ($1, $2, $3) on conflict do nothing`,
    [mesh, root.version, Buffer.from(root.envelope)],
  );
  return kept === 1;
}

/** The exact bytes; null: there is none of this version. */
export async function getRoot(db: Queryable, mesh: Name, version: number): Promise<Buffer | null> {
  const row = await maybeOne(
    db,
    z.object({ envelope: bytesColumn }),
    `select envelope from root_document where mesh = $1 and version = $2`,
    [mesh, version],
  );
  return row?.envelope ?? null;
}

/** What comes after a version, lowest first, as many as a reader takes at once. */
export function listRootsAfter(db: Queryable, mesh: Name, version: number): Promise<RootRecord[]> {
  return many(
    db,
    rootRecordSchema,
    `select version, envelope, published_at as "publishedAt" from root_document
      where mesh = $1 and version > $2 order by version limit 1000`,
    [mesh, version],
  );
}

/** Lowest first. */
export async function listRootVersions(db: Queryable, mesh: Name): Promise<number[]> {
  const rows = await many(
    db,
    z.object({ version: bigintColumn }),
    `select version from root_document where mesh = $1 order by version`,
    [mesh],
  );
  return rows.map(({ version }) => version);
}
