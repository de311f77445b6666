import { z } from "zod";
import { provisionKindSchema } from "../core/manifest.ts";
import { nameSchema, type Name } from "../core/names.ts";
import { provisionSchema, type Provision } from "../core/provision.ts";
import type { GrantsRead } from "../decide/judge-report.ts";
import { ageColumn, timeColumn } from "./columns.ts";
import type { Queryable, Transaction } from "./database.ts";
import type { ReadRows } from "./row-memory.ts";
import { many, run } from "./rows.ts";
import { storableJson } from "./storable.ts";

const flatSchema = z.object({
  id: z.string(),
  version: z.number().int(),
  kind: provisionKindSchema,
  consumerNode: nameSchema,
  consumerModule: nameSchema,
  requirement: nameSchema,
  providerNode: nameSchema,
  providerModule: nameSchema,
  providerIncarnation: z.string(),
  name: z.string(),
  state: z.enum(["issued", "owed", "withdrawn"]),
});

const columns = `id, version, kind, consumer_node as "consumerNode", consumer_module as "consumerModule", requirement,
  provider_node as "providerNode", provider_module as "providerModule", provider_incarnation as "providerIncarnation",
  name, state`;

const provisionRowSchema = flatSchema.transform(toProvision);

/** A withdrawal that the provider has not confirmed: a debt, with its age (R20). */
const owedRowSchema = z
  .object({
    ...flatSchema.shape,
    withdrawnAt: timeColumn,
    withdrawnBy: z.string().nullable(),
    ageMs: ageColumn,
    told: z.boolean(),
  })
  .transform(({ withdrawnAt, withdrawnBy, ageMs, told, ...flat }) => ({
    provision: toProvision(flat),
    withdrawnAt,
    /** Push id. */
    withdrawnBy,
    ageMs,
    /** Was its provider's node already sent a declaration without it? */
    told,
  }));
export type OwedProvision = z.output<typeof owedRowSchema>;

function toProvision(flat: z.output<typeof flatSchema>): Provision {
  return provisionSchema.parse({
    id: flat.id,
    version: flat.version,
    kind: flat.kind,
    consumer: { node: flat.consumerNode, module: flat.consumerModule, requirement: flat.requirement },
    provider: { node: flat.providerNode, module: flat.providerModule, incarnation: flat.providerIncarnation },
    name: flat.name,
    state: flat.state,
  });
}

/** Mints (R17). A second live version of one id, or a version that was ever there, fails the transaction. */
export async function insertProvisions(
  tx: Transaction,
  mesh: Name,
  mint: { push: string; provisions: readonly Provision[] },
): Promise<void> {
  const rows = mint.provisions.map((one) => ({ ...provisionSchema.parse(one), state: "issued" }));
  await run(
    tx,
    `insert into provision (mesh, id, version, kind, consumer_node, consumer_module, requirement, provider_node,
                            provider_module, provider_incarnation, name, state, minted_by)
       select $1, id, version, kind, consumer->>'node', consumer->>'module', consumer->>'requirement',
              provider->>'node', provider->>'module', provider->>'incarnation', name, 'issued', $2
         from jsonb_to_recordset($3::jsonb)
           as p(id text, version integer, kind text, consumer jsonb, provider jsonb, name text)`,
    [mesh, mint.push, storableJson(rows)],
  );
}

/**
 * Issued → owed. Before the declarations of the same transaction are inserted: those note which of them is the first
 * that no longer lists it. Answers how many; ids that are not issued are left as they are.
 *
 * What the newest declaration to the provider's node does not list (it was minted, and withdrawn before anybody told that
 * node) changes nothing there, so nothing would ever be sent, and the debt never be paid: that newest declaration is the
 * one that no longer lists it. An attempt of another push that is still in flight cannot list it after this. Numbers,
 * reads and inserts are one transaction that holds the gate: what composed before this has committed, and is seen here as
 * the newest; what composes later sees it owed, and lists issued ones only; a dead epoch does not pass. A host that still
 * takes an older declaration reports at that older order, which confirms nothing.
 */
export function withdrawProvisions(
  tx: Transaction,
  mesh: Name,
  withdrawal: { push: string; ids: readonly string[] },
): Promise<number> {
  return run(
    tx,
    `update provision p set state = 'owed', withdrawn_by = $2, withdrawn_at = now(),
                            told_epoch = n.epoch, told_number = n.number
       from provision q left join lateral (
         select epoch, number, granted from declaration
          where mesh = q.mesh and node = q.provider_node order by epoch desc, number desc limit 1) n
         on not (q.id || '#' || q.version = any(n.granted))
      where q.mesh = $1 and q.id = any($3::text[]) and q.state = 'issued'
        and p.mesh = q.mesh and p.id = q.id and p.version = q.version`,
    [mesh, withdrawal.push, withdrawal.ids],
  );
}

/**
 * Owed → withdrawn, for what the provider's node read back as gone at the declaration that withdrew it, or at a later
 * one. A read back at an older order confirms nothing: it may not have been made yet. Answers what was confirmed.
 */
export function confirmWithdrawals(db: Queryable, mesh: Name, read: GrantsRead): Promise<Provision[]> {
  return many(
    db,
    provisionRowSchema,
    `update provision p set state = 'withdrawn', confirmed_at = now()
       from jsonb_to_recordset($5::jsonb) as r(module text, kind text, present jsonb)
      where p.mesh = $1 and p.provider_node = $2 and p.state = 'owed'
        and p.provider_module = r.module and p.kind = r.kind
        and (p.told_epoch, p.told_number) <= ($3::bigint, $4::bigint)
        and not exists (select from jsonb_to_recordset(r.present) as g(provision text, version integer)
                         where g.provision = p.id and g.version = p.version)
     returning p.id, p.version, p.kind, p.consumer_node as "consumerNode", p.consumer_module as "consumerModule",
       p.requirement, p.provider_node as "providerNode", p.provider_module as "providerModule",
       p.provider_incarnation as "providerIncarnation", p.name, p.state`,
    [mesh, read.node, read.has.epoch, read.has.number, storableJson(read.grants)],
  );
}

/**
 * Keeps of what is issued when its provider's host first read it back as made, and since when that host reads its server
 * without it again. A report that did not read (the host starts, its server does not answer) says neither.
 */
export function noteReadBack(db: Queryable, mesh: Name, read: GrantsRead): Promise<number> {
  const grants = read.grants.map(({ present, ...list }) => {
    return { ...list, present: present.map(({ provision, version }) => `${provision}#${version}`) };
  });
  return run(
    db,
    `update provision p
        set made_at = coalesce(p.made_at, now()),
            missed_since = case when p.id || '#' || p.version = any(r.present) then null else now() end
       from jsonb_to_recordset($4::jsonb) as r(module text, kind text, present text[])
      where p.mesh = $1 and p.provider_node = $2 and p.provider_incarnation = $3 and p.state = 'issued'
        and p.provider_module = r.module and p.kind = r.kind
        and case when p.id || '#' || p.version = any(r.present) then p.made_at is null or p.missed_since is not null
                 else p.made_at is not null and p.missed_since is null end`,
    [mesh, read.node, read.incarnation, storableJson(grants)],
  );
}

/** By id and version. `states` left out: every one there ever was. */
export function listProvisions(
  db: Queryable,
  mesh: Name,
  filter: { states?: readonly Provision["state"][] } = {},
  read: ReadRows = many,
): Promise<Provision[]> {
  return read(
    db,
    provisionRowSchema,
    `select ${columns} from provision where mesh = $1 and ($2::text[] is null or state = any($2)) order by id, version`,
    [mesh, filter.states ?? null],
  );
}

/** Issued and owed ones, to and from these nodes. By id and version. */
export function listProvisionsOf(db: Queryable, mesh: Name, nodes: readonly Name[]): Promise<Provision[]> {
  return many(
    db,
    provisionRowSchema,
    `select ${columns} from provision
      where mesh = $1 and state <> 'withdrawn' and (consumer_node = any($2::text[]) or provider_node = any($2::text[]))
      order by id, version`,
    [mesh, nodes],
  );
}

/** Debts, oldest first. */
export function listOwed(db: Queryable, mesh: Name): Promise<OwedProvision[]> {
  return many(
    db,
    owedRowSchema,
    `select ${columns}, withdrawn_at as "withdrawnAt", withdrawn_by as "withdrawnBy",
            extract(epoch from now() - withdrawn_at)::float8 * 1000 as "ageMs", told_number is not null as told
       from provision where mesh = $1 and state = 'owed' order by withdrawn_at, id, version`,
    [mesh],
  );
}

/** The highest version ever issued of each id, withdrawn ones too: a version is never granted twice. */
export async function readHighestVersions(
  db: Queryable,
  mesh: Name,
  read: ReadRows = many,
): Promise<Map<string, number>> {
  const rows = await read(
    db,
    z.object({ id: z.string(), version: z.number().int() }),
    `select id, max(version) as version from provision where mesh = $1 group by id`,
    [mesh],
  );
  return new Map(rows.map((row) => [row.id, row.version]));
}

/** As `readHighestVersions`, of what was ever issued to these nodes. */
export async function readHighestVersionsTo(
  db: Queryable,
  mesh: Name,
  consumers: readonly Name[],
): Promise<Map<string, number>> {
  const rows = await many(
    db,
    z.object({ id: z.string(), version: z.number().int() }),
    `select id, max(version) as version from provision where mesh = $1 and consumer_node = any($2::text[]) group by id`,
    [mesh, consumers],
  );
  return new Map(rows.map((row) => [row.id, row.version]));
}

/** What one push minted and withdrew: where the reasons of its cascade come from. */
export async function listPushEffects(
  db: Queryable,
  mesh: Name,
  push: string,
): Promise<{ minted: Provision[]; withdrawn: Provision[] }> {
  const rows = await many(
    db,
    z.object({ minted: z.boolean(), withdrawn: z.boolean(), ...flatSchema.shape }),
    `select coalesce(minted_by = $2, false) as minted, coalesce(withdrawn_by = $2, false) as withdrawn, ${columns}
       from provision where mesh = $1 and (minted_by = $2 or withdrawn_by = $2) order by id, version`,
    [mesh, push],
  );
  const pick = (which: "minted" | "withdrawn"): Provision[] =>
    rows.filter((row) => row[which]).map(({ minted: _minted, withdrawn: _withdrawn, ...flat }) => toProvision(flat));
  return { minted: pick("minted"), withdrawn: pick("withdrawn") };
}
