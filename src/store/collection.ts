import { z } from "zod";
import { closureSchema } from "../core/artifact.ts";
import { digestSchema, nameSchema, type Digest, type Name } from "../core/names.ts";
import type { ArtifactId, CollectionFacts } from "../decide/plan-collection.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable, Transaction } from "./database.ts";
import { readClock } from "./read-clock.ts";
import { many, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

const idSchema = z.object({ module: nameSchema, digest: digestSchema });
const packedSchema = idSchema.extend({ packedAt: timeColumn });
const rootSchema = idSchema.extend({ why: z.string() });

/** Everything that the planning of a collection reads; collected ones are in none of it. `readAt`: by the records' clock. */
export async function loadCollectionFacts(
  db: Queryable,
  mesh: Name,
): Promise<Pick<CollectionFacts, "artifacts" | "roots" | "builds"> & { readonly readAt: string }> {
  const readAt = await readClock(db);
  const artifacts = await many(
    db,
    packedSchema,
    `select module, digest, packed_at as "packedAt" from artifact where mesh = $1 and collected_at is null
      order by module, built_at desc, digest`,
    [mesh],
  );
  return { readAt, artifacts, roots: await listRoots(db, mesh), builds: await listInputs(db, mesh) };
}

/**
 * Of these, those that are not collected yet, as they are now, and what must stay by itself now. What was packed since `since`,
 * or just before by a build whose end was not seen yet, is built against what must stay too.
 */
export async function loadCollectionChanges(
  db: Queryable,
  mesh: Name,
  { ids, since }: { readonly ids: readonly ArtifactId[]; readonly since: string },
): Promise<Pick<CollectionFacts, "artifacts" | "roots">> {
  const artifacts = await many(
    db,
    packedSchema,
    `select module, digest, packed_at as "packedAt" from artifact where mesh = $1 and collected_at is null
        and (module, digest) in (select module, digest from jsonb_to_recordset($2::jsonb) as i(module text, digest text))
      order by module, built_at desc, digest`,
    [mesh, storableJson(ids)],
  );
  const inputs = await many(
    db,
    rootSchema,
    `select d.key as module, d.value as digest, 'it is built into a ' || b.module || ' that was built lately' as why
       from artifact a
       join build b on b.mesh = a.mesh and b.module = a.module and b.artifact = a.digest and b.state = 'fit'
      cross join lateral jsonb_each_text(b.closure -> 'dependencies') d
      where a.mesh = $1 and a.packed_at > $2::timestamptz - interval '1 hour'`,
    [mesh, since],
  );
  return { artifacts, roots: [...(await listRoots(db, mesh)), ...inputs] };
}

/** What is fit or wanted now, what any node was last sent, and what a build under way is built against. */
function listRoots(db: Queryable, mesh: Name): Promise<(ArtifactId & { why: string })[]> {
  // What nodes were sent is one index look-up for each: pushes wait while this is read.
  return many(
    db,
    rootSchema,
    `select name as module, fit_artifact as digest, 'it is the newest fit ' || name as why
       from module where mesh = $1 and fit_artifact is not null
     union all
     select b.key, b.value, 'it was last sent to ' || d.node
       from node n
       cross join lateral (select node, builds from declaration where mesh = n.mesh and node = n.name
                            order by epoch desc, number desc limit 1) d
       cross join lateral jsonb_each_text(d.builds) b where n.mesh = $1
     union all
     select b.module, b.artifact, 'it is what the source of ' || b.module || ' gives now'
       from build b join module m on m.mesh = b.mesh and m.name = b.module and m.wanted_inputs = b.inputs
      where b.mesh = $1 and b.state = 'fit' and b.artifact is not null
     union all
     select d.key, d.value, 'a build of ' || b.module || ' needs it now'
       from build b cross join lateral jsonb_each_text(b.closure -> 'dependencies') d
      where b.mesh = $1 and b.state = 'building'`,
    [mesh],
  );
}

/** What was built against nothing leads to nothing; what was built again of the same is one. */
function listInputs(db: Queryable, mesh: Name): Promise<CollectionFacts["builds"][number][]> {
  return many(
    db,
    z.object({ module: nameSchema, artifact: digestSchema, dependencies: closureSchema.shape.dependencies }),
    `select distinct module, artifact, closure -> 'dependencies' as dependencies from build
      where mesh = $1 and state = 'fit' and artifact is not null and closure -> 'dependencies' is distinct from '{}'`,
    [mesh],
  );
}

/**
 * Marks them collected: nothing is composed of them any more, and the builds that gave them are to be run again when
 * they are wanted. The caller holds the gate's lock, so no composition is half-way.
 */
export async function markCollected(tx: Transaction, mesh: Name, ids: readonly ArtifactId[]): Promise<void> {
  const listed = `select module, digest from jsonb_to_recordset($2::jsonb) as i(module text, digest text)`;
  await run(
    tx,
    `update artifact set collected_at = now() where mesh = $1 and collected_at is null and (module, digest) in (${listed})`,
    [mesh, storableJson(ids)],
  );
  await run(
    tx,
    `update build set state = 'outstanding', class = 'artifact-store', class_count = 0, class_since = null, next_try_at = now(),
            message = 'its artifact ' || substr(artifact, 8, 12) || ' was collected at ' ||
                      to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC: it must be built again'
      where mesh = $1 and state = 'fit' and (module, artifact) in (${listed})`,
    [mesh, storableJson(ids)],
  );
}

const collectedSchema = z.object({
  module: nameSchema,
  digest: digestSchema,
  blob: digestSchema,
  blobBytes: bigintColumn,
  files: z.number().int(),
  manifest: z.unknown(),
  /** Its bytes are also those of an artifact that is kept. */
  shared: z.boolean(),
  statements: z.array(z.object({ statement: digestSchema, referrer: digestSchema })),
});
export type CollectedArtifact = z.output<typeof collectedSchema>;

/**
 * What is marked collected, with what lies in the store because of it: of this run, or left by one that was cut off. `of`: of
 * these, what is so still.
 */
export function listCollected(
  db: Queryable,
  mesh: Name,
  of: readonly ArtifactId[] | null = null,
): Promise<CollectedArtifact[]> {
  return many(
    db,
    collectedSchema,
    `select module, digest, blob, blob_bytes as "blobBytes", files, manifest,
            exists (select from artifact k where k.blob = a.blob and k.collected_at is null) as shared,
            coalesce((select jsonb_agg(jsonb_build_object('statement', p.statement, 'referrer', p.referrer))
                        from provenance p where p.mesh = a.mesh and p.module = a.module and p.artifact = a.digest),
                     '[]') as statements
       from artifact a where mesh = $1 and collected_at is not null
        and ($2::jsonb is null or (module, digest) in
              (select module, digest from jsonb_to_recordset($2::jsonb) as i(module text, digest text)))
      order by module, digest`,
    [mesh, of === null ? null : storableJson(of.map(({ module, digest }) => ({ module, digest })))],
  );
}

/** Statements whose bytes are gone. */
export async function dropProvenance(db: Queryable, mesh: Name, statements: readonly Digest[]): Promise<void> {
  await run(db, `delete from provenance where mesh = $1 and statement = any($2::text[])`, [mesh, statements]);
}

/** The same, of an artifact that is collected still: whoever packed it again since has its statements written anew. */
export async function dropCollectedProvenance(
  db: Queryable,
  mesh: Name,
  { module, digest }: ArtifactId,
  statements: readonly Digest[],
): Promise<void> {
  await run(
    db,
    `delete from provenance p using artifact a
      where p.mesh = $1 and p.module = $2 and p.artifact = $3 and p.statement = any($4::text[])
        and a.mesh = p.mesh and a.module = p.module and a.digest = p.artifact and a.collected_at is not null`,
    [mesh, module, digest, statements],
  );
}
