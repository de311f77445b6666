import { z } from "zod";
import { nameSchema, type Name } from "../core/names.ts";
import { ageColumn, bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, maybeOne } from "./rows.ts";

/** A controller does all of a mesh's work; a shell ends one push, builds nothing and answers no hosts (R40). */
const roleSchema = z.enum(["controller", "shell"]);
export type LeaseRole = z.output<typeof roleSchema>;

const leaseStandSchema = z.object({
  mesh: nameSchema,
  /** Null: given back, or never taken. */
  holder: z.string().nullable(),
  role: roleSchema.nullable(),
  epoch: bigintColumn,
  /** Epochs begin above this whatever becomes of the lease. */
  floor: bigintColumn,
  ageMs: z.number().int().nullable(),
  takenAt: timeColumn.nullable(),
  renewedAt: timeColumn.nullable(),
  /** By the database's clock on both ends. */
  renewedMsAgo: ageColumn.nullable(),
});
export type LeaseStand = z.output<typeof leaseStandSchema>;

/** For people; null where there is no such mesh. A candidate reads `readLease`, and compares no times. */
export function readLeaseStand(db: Queryable, mesh: Name): Promise<LeaseStand | null> {
  return maybeOne(
    db,
    leaseStandSchema,
    `select m.name as mesh, l.holder, case when l.holder is null then null else coalesce(g.role, 'controller') end as role,
            m.epoch, m.epoch_floor as floor, l.age_ms as "ageMs", l.taken_at as "takenAt", l.renewed_at as "renewedAt",
            extract(epoch from clock_timestamp() - l.renewed_at)::float8 * 1000 as "renewedMsAgo"
       from mesh m left join lease l on l.mesh = m.name left join epoch_grant g on g.mesh = m.name and g.epoch = l.epoch
      where m.name = $1`,
    [mesh],
  );
}

const pastGrantSchema = z.object({
  epoch: bigintColumn,
  holder: z.string(),
  role: roleSchema,
  grantedAt: timeColumn,
  /** Null: it holds, or the records do not know. */
  ended: z.enum(["given-back", "taken-over"]).nullable(),
  endedAt: timeColumn.nullable(),
  /** Of one that was taken over: when it last renewed. */
  lastRenewedAt: timeColumn.nullable(),
});
export type PastGrant = z.output<typeof pastGrantSchema>;

/** The newest grants first, at most `limit`, with how each ended. */
export function listPastGrants(db: Queryable, mesh: Name, limit: number): Promise<PastGrant[]> {
  return many(
    db,
    pastGrantSchema,
    `select epoch, holder, role, granted_at as "grantedAt", ended, ended_at as "endedAt", last_renewed_at as "lastRenewedAt"
       from epoch_grant where mesh = $1 order by epoch desc limit $2`,
    [mesh, limit],
  );
}
