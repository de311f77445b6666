import { z } from "zod";
import { ageColumn } from "../columns.ts";
import { createPruneTable, fromTheLast, keptSince, sinceMs, type PruneTable } from "./prune-table.ts";

const ended = z.object({ ageMs: ageColumn.nullable() });
const used = `$3::float8 is not null and $4::integer is not null and $5::integer is not null`;
const isThere = (row: string): string =>
  `exists (select from artifact k where k.mesh = ${row}.mesh and k.module = ${row}.module and k.digest = ${row}.artifact
                                     and k.collected_at is null)`;

export const pruneHistory: readonly PruneTable[] = [
  createPruneTable({
    kind: "waves",
    row: ended.extend({ isAmongLast: z.boolean() }),
    read: `select jsonb_build_object('started', started_at::text, 'id', id) as key, ${sinceMs("ended_at")} as "ageMs",
        started_at >= ${fromTheLast("started_at", "wave where mesh = $1")} as "isAmongLast"
      from wave where mesh = $1 and started_at < ${keptSince} and $5::integer is not null
        and ($2::jsonb is null or (started_at, id) > (($2::jsonb ->> 'started')::timestamptz, $2::jsonb ->> 'id'))
      order by started_at, id limit 500`,
    toRecord: (row) => ({ kind: "waves", ...row }),
    remove: `delete from wave where mesh = $1 and ended_at is not null and id in (
        select id from jsonb_to_recordset($2::jsonb) as k(id text))`,
  }),
  createPruneTable({
    kind: "builds",
    row: ended.extend({
      isAmongLast: z.boolean(),
      isWanted: z.boolean(),
      hasArtifact: z.boolean(),
      hasProvenance: z.boolean(),
      isAsked: z.boolean(),
    }),
    // By the table's key, of any age: what stays for its artifact's sake lies among what goes.
    read: `with part as (
        select mesh, module, inputs, attempts, state, artifact, started_at, ended_at from build
         where mesh = $1 and $3::float8 is not null
           and ($2::jsonb is null or (module, inputs) > ($2::jsonb ->> 'module', $2::jsonb ->> 'inputs'))
         order by module, inputs limit $5::integer),
      last as (
        select s.module, l.started_at, l.inputs from (select distinct module from part) s
         cross join lateral (select started_at, inputs from build where mesh = $1 and module = s.module
                              order by started_at desc, inputs desc offset $4::integer - 1 limit 1) l)
      select jsonb_build_object('module', b.module, 'inputs', b.inputs, 'attempts', b.attempts) as key,
        case when b.state = 'building' then null else ${sinceMs("coalesce(b.ended_at, b.started_at)")} end as "ageMs",
        l.module is null or (b.started_at, b.inputs) >= (l.started_at, l.inputs) as "isAmongLast",
        coalesce(b.inputs in (m.wanted_inputs, m.fit_inputs), false) as "isWanted",
        ${isThere("b")} as "hasArtifact",
        exists (select from provenance p where p.mesh = b.mesh and p.module = b.module and p.inputs = b.inputs) as "hasProvenance",
        exists (select from build_check c where c.mesh = b.mesh and c.module = b.module and c.inputs = b.inputs and c.state = 'due')
          or exists (select from artifact_doubt d where d.mesh = b.mesh and d.module = b.module and b.inputs = any(d.inputs))
          as "isAsked"
      from part b left join last l on l.module = b.module
      left join module m on m.mesh = b.mesh and m.name = b.module
      order by b.module, b.inputs`,
    toRecord: (row) => ({ kind: "builds", ...row }),
    // Nothing that is built again meanwhile: its attempts are more then.
    remove: `delete from build where mesh = $1 and state <> 'building' and (module, inputs, attempts) in (
        select module, inputs, attempts from jsonb_to_recordset($2::jsonb) as k(module text, inputs text, attempts integer))`,
  }),
  createPruneTable({
    kind: "checks",
    row: ended.extend({ hasArtifact: z.boolean() }),
    read: `select jsonb_build_object('module', module, 'inputs', inputs) as key,
        case when state = 'due' then null else ${sinceMs("coalesce(checked_at, added_at)")} end as "ageMs",
        ${isThere("c")} as "hasArtifact"
      from build_check c where mesh = $1 and ${used}
        and ($2::jsonb is null or (module, inputs) > ($2::jsonb ->> 'module', $2::jsonb ->> 'inputs'))
      order by module, inputs limit 1000`,
    toRecord: (row) => ({ kind: "checks", ...row }),
    remove: `delete from build_check where mesh = $1 and state <> 'due' and (module, inputs) in (
        select module, inputs from jsonb_to_recordset($2::jsonb) as k(module text, inputs text))`,
  }),
  createPruneTable({
    kind: "artifacts",
    row: ended.extend({ hasBuild: z.boolean(), hasProvenance: z.boolean() }),
    read: `select jsonb_build_object('module', module, 'digest', digest) as key, ${sinceMs("collected_at")} as "ageMs",
        exists (select from build b where b.mesh = a.mesh and b.module = a.module and b.artifact = a.digest) as "hasBuild",
        exists (select from provenance p where p.mesh = a.mesh and p.module = a.module and p.artifact = a.digest)
          as "hasProvenance"
      from artifact a where mesh = $1 and collected_at < ${keptSince} and $4::integer is not null and $5::integer is not null
        and ($2::jsonb is null or (module, digest) > ($2::jsonb ->> 'module', $2::jsonb ->> 'digest'))
      order by module, digest limit 1000`,
    toRecord: (row) => ({ kind: "artifacts", ...row }),
    // What somebody doubted of it is nobody's question then.
    remove: `with gone as (
        delete from artifact where mesh = $1 and collected_at is not null and (module, digest) in (
          select module, digest from jsonb_to_recordset($2::jsonb) as k(module text, digest text))
        returning mesh, module, digest),
      doubts as (
        delete from artifact_doubt d using gone g where d.mesh = g.mesh and d.module = g.module and d.artifact = g.digest)
      select 1 from gone`,
  }),
  createPruneTable({
    kind: "boxes",
    row: ended,
    read: `select jsonb_build_object('provision', s.provision, 'version', s.version, 'node', s.node,
                                     'incarnation', s.incarnation) as key,
        case when p.state = 'withdrawn' then ${sinceMs("coalesce(p.confirmed_at, p.withdrawn_at)")} end as "ageMs"
      from sealed_box s join provision p on p.mesh = s.mesh and p.id = s.provision and p.version = s.version
      where s.mesh = $1 and p.state = 'withdrawn' and ${used}
        and ($2::jsonb is null or (s.provision, s.version, s.node, s.incarnation) >
               ($2::jsonb ->> 'provision', ($2::jsonb ->> 'version')::integer, $2::jsonb ->> 'node', $2::jsonb ->> 'incarnation'))
      order by s.provision, s.version, s.node, s.incarnation limit 1000`,
    toRecord: (row) => ({ kind: "boxes", ...row }),
    remove: `delete from sealed_box where mesh = $1 and (provision, version, node, incarnation) in (
        select provision, version, node, incarnation
          from jsonb_to_recordset($2::jsonb) as k(provision text, version integer, node text, incarnation text))`,
  }),
  createPruneTable({
    kind: "provisions",
    row: ended.extend({ isHighest: z.boolean(), hasBoxes: z.boolean(), isOpen: z.boolean() }),
    read: `select jsonb_build_object('id', id, 'version', version) as key,
        ${sinceMs("coalesce(confirmed_at, withdrawn_at)")} as "ageMs",
        not exists (select from provision h where h.mesh = p.mesh and h.id = p.id and h.version > p.version) as "isHighest",
        exists (select from sealed_box s where s.mesh = p.mesh and s.provision = p.id and s.version = p.version) as "hasBoxes",
        exists (select from push o where o.mesh = p.mesh and o.id in (p.minted_by, p.withdrawn_by) and o.ended_at is null) as "isOpen"
      from provision p where mesh = $1 and state = 'withdrawn' and ${used}
        and ($2::jsonb is null or (id, version) > ($2::jsonb ->> 'id', ($2::jsonb ->> 'version')::integer))
      order by id, version limit 1000`,
    toRecord: (row) => ({ kind: "provisions", ...row }),
    remove: `delete from provision where mesh = $1 and state = 'withdrawn' and (id, version) in (
        select id, version from jsonb_to_recordset($2::jsonb) as k(id text, version integer))`,
  }),
  createPruneTable({
    kind: "tokens",
    row: ended,
    read: `select jsonb_build_object('hash', hash) as key,
        case when least(coalesce(used_at, expires_at), expires_at) < now()
             then ${sinceMs("least(coalesce(used_at, expires_at), expires_at)")} end as "ageMs"
      from enrolment_token where mesh = $1 and ${used} and hash > coalesce($2::jsonb ->> 'hash', '')
      order by hash limit 1000`,
    toRecord: (row) => ({ kind: "tokens", ...row }),
    remove: `delete from enrolment_token where mesh = $1 and hash in (
        select hash from jsonb_to_recordset($2::jsonb) as k(hash text))`,
  }),
  createPruneTable({
    kind: "imports",
    row: z.object({ ageMs: ageColumn }),
    // Of all meshes of this database: a file is the same for each.
    read: `select jsonb_build_object('blob', blob, 'reader', reader) as key, ${sinceMs("kept_at")} as "ageMs"
      from (select blob, reader, kept_at from blob_imports where $1::text is not null and ${used}
              and ($2::jsonb is null or (blob, reader) > ($2::jsonb ->> 'blob', $2::jsonb ->> 'reader'))
             order by blob, reader limit 2000) i order by blob, reader`,
    toRecord: (row) => ({ kind: "imports", ...row }),
    remove: `delete from blob_imports where $1::text is not null and (blob, reader) in (
        select blob, reader from jsonb_to_recordset($2::jsonb) as k(blob text, reader text))`,
  }),
];
