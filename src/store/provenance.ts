import { z } from "zod";
import { digestSchema, nameSchema, objectIdSchema, type Digest, type Name } from "../core/names.ts";
import { timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, run } from "./rows.ts";

const provenanceRecordSchema = z.object({
  module: nameSchema,
  inputs: digestSchema,
  artifact: digestSchema,
  /** That was built: other commits can have the same inputs. */
  commit: objectIdSchema,
  /** Of the signed bytes, in the artifact store. */
  statement: digestSchema,
  /** Of the OCI manifest that names them, and the artifact's manifest as its subject. */
  referrer: digestSchema,
  keptAt: timeColumn,
});
export type ProvenanceRecord = z.output<typeof provenanceRecordSchema>;

/** The same again changes nothing: when it was first kept stands. */
export async function putProvenance(db: Queryable, mesh: Name, kept: Omit<ProvenanceRecord, "keptAt">): Promise<void> {
  await run(
    db,
    `insert into provenance (mesh, module, inputs, artifact, commit, statement, referrer)
       values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing`,
    [mesh, kept.module, kept.inputs, kept.artifact, kept.commit, kept.statement, kept.referrer],
  );
}

/** Of one artifact, the oldest first: several closures can give one artifact. */
export function listProvenance(
  db: Queryable,
  mesh: Name,
  which: { readonly module: Name; readonly artifact: Digest },
): Promise<ProvenanceRecord[]> {
  return many(
    db,
    provenanceRecordSchema,
    `select module, inputs, artifact, commit, statement, referrer, kept_at as "keptAt" from provenance
      where mesh = $1 and module = $2 and artifact = $3 order by kept_at, statement`,
    [mesh, which.module, which.artifact],
  );
}
