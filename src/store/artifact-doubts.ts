import { z } from "zod";
import { digestSchema, nameSchema, type Digest, type Name } from "../core/names.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne, run } from "./rows.ts";
import { storableJson, storableText } from "./storable.ts";

/** One artifact of one module. */
export interface ArtifactName {
  readonly module: Name;
  readonly artifact: Digest;
}

const doubtSchema = z.object({
  module: nameSchema,
  artifact: digestSchema,
  askedBy: z.enum(["person", "build", "look"]),
  askedAt: timeColumn,
  /** `asked`: nobody has looked yet. `sound`: looked at, and all there. */
  state: z.enum(["asked", "lost", "sound"]),
  /** What is lost, or was, as a phrase; empty: nothing. */
  found: z.string(),
  /** Of the builds that are run again because of it. */
  inputs: z.array(digestSchema),
  lookedAt: timeColumn.nullable(),
  /** A build gave it since it was looked at. */
  isPackedSince: z.boolean(),
});
export type ArtifactDoubt = z.output<typeof doubtSchema>;

export function listDoubts(db: Queryable, mesh: Name): Promise<ArtifactDoubt[]> {
  return many(
    db,
    doubtSchema,
    `select d.module, d.artifact, d.asked_by as "askedBy", d.asked_at as "askedAt", d.state, d.found, d.inputs,
            d.looked_at as "lookedAt", coalesce(a.packed_at > d.looked_at, false) as "isPackedSince"
       from artifact_doubt d left join artifact a on a.mesh = d.mesh and a.module = d.module and a.digest = d.artifact
      where d.mesh = $1 order by d.module, d.artifact`,
    [mesh],
  );
}

/** Has it looked at. One that is lost stays so until its files are there. */
export async function doubtArtifact(
  db: Queryable,
  mesh: Name,
  { module, artifact }: ArtifactName,
  askedBy: ArtifactDoubt["askedBy"],
): Promise<void> {
  await run(
    db,
    `insert into artifact_doubt as d (mesh, module, artifact, asked_by) values ($1, $2, $3, $4)
     on conflict (mesh, module, artifact) do update set asked_by = excluded.asked_by, asked_at = now(),
       state = case when d.state = 'lost' then 'lost' else 'asked' end,
       found = case when d.state = 'lost' then d.found else '' end`,
    [mesh, nameSchema.parse(module), digestSchema.parse(artifact), askedBy],
  );
}

/**
 * It is lost: the builds that gave it are to be run again where they are wanted, at the same inputs. Said once for as
 * long as it is lost.
 */
export async function recordLost(db: Queryable, mesh: Name, lost: ArtifactName, found: string): Promise<void> {
  await run(
    db,
    `with again as (
       update build set state = 'outstanding', class = 'artifact-store', class_count = 0, class_since = null,
              next_try_at = now(), message = 'its artifact ' || substr(artifact, 8, 12) || ' is lost (' || $4 || '): it is built again'
        where mesh = $1 and module = $2 and artifact = $3 and state = 'fit' returning inputs)
     insert into artifact_doubt as d (mesh, module, artifact, asked_by, state, found, inputs, looked_at)
       values ($1, $2, $3, 'look', 'lost', $4, array(select inputs from again), now())
     on conflict (mesh, module, artifact) do update set state = 'lost', found = excluded.found, looked_at = now(),
       inputs = case when d.state = 'lost' then array(select unnest(d.inputs) union select unnest(excluded.inputs))
                     else excluded.inputs end`,
    [mesh, lost.module, lost.artifact, storableText(found.slice(0, 500))],
  );
}

/** Looked at, and there. What it lacked before stays to be read. */
export async function recordSound(db: Queryable, mesh: Name, { module, artifact }: ArtifactName): Promise<void> {
  await run(
    db,
    `update artifact_doubt set state = 'sound', inputs = '{}', looked_at = now()
      where mesh = $1 and module = $2 and artifact = $3`,
    [mesh, module, artifact],
  );
}

/** Nobody needs those any more, lost or not. */
export async function dropDoubts(db: Queryable, mesh: Name, names: readonly ArtifactName[]): Promise<void> {
  await run(
    db,
    `delete from artifact_doubt where mesh = $1 and (module, artifact) in (
       select module, artifact from jsonb_to_recordset($2::jsonb) as a(module text, artifact text))`,
    [mesh, storableJson(names)],
  );
}

/** The lost artifact for whose sake these inputs are built again; null: they are not. */
export async function findLostOf(db: Queryable, mesh: Name, module: Name, inputs: Digest): Promise<Digest | null> {
  const row = await maybeOne(
    db,
    z.object({ artifact: digestSchema }),
    `select artifact from artifact_doubt where mesh = $1 and module = $2 and state = 'lost' and $3 = any(inputs)
      order by looked_at desc limit 1`,
    [mesh, module, inputs],
  );
  return row?.artifact ?? null;
}

const neededSchema = z.object({
  module: nameSchema,
  artifact: digestSchema,
  blob: digestSchema,
  blobBytes: bigintColumn,
  /** The newest fit one of its module. */
  isFit: z.boolean(),
  /** And what its source gives now, so that it is built again by itself. */
  isWanted: z.boolean(),
  /** Nodes that were last sent it. */
  sentTo: z.array(nameSchema),
});
export type NeededArtifact = z.output<typeof neededSchema>;

/** Artifacts whose files somebody may ask for now: what is fit, and what nodes were last sent. */
export function listNeeded(db: Queryable, mesh: Name): Promise<NeededArtifact[]> {
  // One index look-up per node; DISTINCT ON would read every declaration there ever was.
  return many(
    db,
    neededSchema,
    `with sent as (
       select b.key as module, b.value as artifact, array_agg(d.node order by d.node) as nodes
         from node n
         cross join lateral (select node, builds from declaration where mesh = n.mesh and node = n.name
                              order by epoch desc, number desc limit 1) d
         cross join lateral jsonb_each_text(d.builds) b where n.mesh = $1 group by 1, 2)
     select a.module, a.digest as artifact, a.blob, a.blob_bytes as "blobBytes",
            coalesce(m.fit_artifact = a.digest, false) as "isFit",
            coalesce(m.fit_artifact = a.digest and m.fit_inputs = m.wanted_inputs, false) as "isWanted",
            coalesce(s.nodes, '{}') as "sentTo"
       from artifact a
       left join module m on m.mesh = a.mesh and m.name = a.module
       left join sent s on s.module = a.module and s.artifact = a.digest
      where a.mesh = $1 and a.collected_at is null and (m.fit_artifact = a.digest or s.nodes is not null)
      order by a.module, a.digest`,
    [mesh],
  );
}
