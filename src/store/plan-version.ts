import { z } from "zod";
import type { Name } from "../core/names.ts";
import type { Queryable } from "./database.ts";
import { one } from "./rows.ts";

/** So many parts a mesh's modules are counted in: what changed is found without reading all of them. */
export const planParts = 256;

/** The part of a module, in SQL. Of rows that are about a module it is that of the module. */
export const planPart = (name: string): string => `(hashtext(${name}) & ${planParts - 1})`;

/** Equal texts, equal rows. */
export interface PlanVersion {
  /** Of another text nothing that was read before counts. */
  readonly server: string;
  /** Of all modules, edges, and builds at the inputs that modules want, or that were fit. */
  readonly total: string;
}

/** Which transactions a statement saw. */
export interface Seen {
  readonly server: string;
  readonly snapshot: string;
}

/** The same by part; a part without rows is left out. */
export interface PlanParts extends PlanVersion {
  readonly modules: ReadonlyMap<number, string>;
  readonly edges: ReadonlyMap<number, string>;
  readonly builds: ReadonlyMap<number, string>;
  readonly seen: Seen | null;
}

const partsColumn = z
  .string()
  .nullable()
  .transform((text) => {
    const parts = (text ?? "").split(" ").filter((part) => part !== "");
    return new Map(parts.map((part) => [Number(part.slice(0, part.indexOf(":"))), part]));
  });

const said = (part: string): string => `concat(${part}, ':', count(*), ':', sum(version))`;
const together = (table: string): string =>
  `(select string_agg(said, ' ' order by part) from (select part, ${said("part")} as said from (${table}) rows group by part) parts)`;

const modules = `select ${planPart("name")} as part, hashtextextended(name, xmin::text::bigint) as version
  from module where mesh = $1`;
const edges = `select ${planPart("module")} as part,
    hashtextextended(concat(module, ' ', dependency, ' ', kind), xmin::text::bigint) as version
  from module_edge where mesh = $1`;
const builds = `select ${planPart("b.module")} as part,
    hashtextextended(concat(b.module, ' ', b.inputs), b.xmin::text::bigint) as version
  from module m join build b on b.mesh = m.mesh and b.module = m.name and b.inputs in (m.wanted_inputs, m.fit_inputs)
 where m.mesh = $1`;

/** A row's place and the transaction that wrote it there: no other row has both, nor this one once it was written again. */
const written = (row: string): string => `hashtidextended(${row}.ctid, ${row}.xmin::text::bigint)`;

const server = `pg_postmaster_start_time()::text as server`;
/** Modules once with their builds: their rows are wide, and are gone through once. */
const total = `concat_ws(' ',
    (select concat(count(*), ' ', sum(${written("m")}), ' ', count(b.mesh), ' ', sum(${written("b")}))
       from module m
       left join build b on b.mesh = m.mesh and b.module = m.name and b.inputs in (m.wanted_inputs, m.fit_inputs)
      where m.mesh = $1),
    (select concat(count(*), ' ', sum(${written("e")})) from module_edge e where e.mesh = $1)) as total`;

/**
 * Equal versions: nobody changed a record that a comparison reads (modules, edges, the builds at their inputs). By the
 * transaction that wrote each row, which no later one has in common with it; a restart of the server is another version,
 * because a restored one may count transactions again.
 */
export function readPlanVersion(db: Queryable, mesh: Name): Promise<PlanVersion> {
  return one(db, z.object({ server: z.string(), total: z.string() }), `select ${server}, ${total}`, [mesh]);
}

const seenColumns = `pg_current_snapshot()::text as snapshot, pg_current_xact_id_if_assigned() is not null as writes`;
const seenRow = z.object({ server: z.string(), snapshot: z.string(), writes: z.boolean() });

/** The version of mesh $1, and what was seen of it, as columns beside others. */
export const versionAndSeen = `${server}, ${seenColumns}, ${total}`;
export const versionAndSeenRow = seenRow.extend({ total: z.string() });

export function toSeen(row: z.output<typeof seenRow>): Seen | null {
  return row.writes ? null : { server: row.server, snapshot: row.snapshot };
}

/**
 * Two statements of one server that saw the same transactions saw the same rows: where nobody wrote anything at all, no row is
 * looked at. Null: asked within a transaction that writes, which sees what no other one does.
 */
export async function readSeen(db: Queryable): Promise<Seen | null> {
  return toSeen(await one(db, seenRow, `select ${server}, ${seenColumns}`));
}

/** Which parts changed. Takes several times as long, and is asked where the version is another one. */
export async function readPlanParts(db: Queryable, mesh: Name): Promise<PlanParts> {
  const row = versionAndSeenRow.extend({ modules: partsColumn, edges: partsColumn, builds: partsColumn });
  const { snapshot, writes, ...parts } = await one(
    db,
    row,
    `select ${versionAndSeen}, ${together(modules)} as modules, ${together(edges)} as edges,
            ${together(builds)} as builds`,
    [mesh],
  );
  return { ...parts, seen: toSeen({ server: parts.server, snapshot, writes }) };
}
