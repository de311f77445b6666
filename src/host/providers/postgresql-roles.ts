import type pg from "pg";
import { z } from "zod";

/** One marked role and the database of its name, as the catalog has them. */
const roleSchema = z.object({
  name: z.string(),
  marker: z.string().nullable(),
  login: z.boolean(),
  extraRights: z.boolean(),
  /** -1: none. */
  connectionLimit: z.number(),
  /** Null: not ours to read (the administrator is no superuser), or no password. */
  verifier: z.string().nullable(),
  sessions: z.coerce.number(),
  database: z.string().nullable(),
  databaseMarked: z.boolean().nullable(),
  /** Its database takes connections, without a limit of its own. */
  databaseOpen: z.boolean().nullable(),
  publicMayConnect: z.boolean().nullable(),
  mayConnect: z.boolean().nullable(),
});
export type RoleRow = z.infer<typeof roleSchema>;

/** Every role that is marked or has a database of its name; or the one with this name, whosever it is. */
export async function readRoles(admin: pg.Client, name: string | null = null): Promise<readonly RoleRow[]> {
  const readable = await admin.query<{ readable: boolean }>(
    "SELECT has_table_privilege('pg_catalog.pg_authid', 'SELECT') AS readable",
  );
  const isReadable = readable.rows[0]?.readable === true;
  const verifier = isReadable ? "(SELECT rolpassword FROM pg_authid a WHERE a.oid = r.oid)" : "NULL";
  const result = await admin.query(
    `
    SELECT r.rolname AS "name",
           shobj_description(r.oid, 'pg_authid') AS "marker",
           r.rolcanlogin AND (r.rolvaliduntil IS NULL OR r.rolvaliduntil > now()) AS "login",
           r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls AS "extraRights",
           r.rolconnlimit AS "connectionLimit",
           ${verifier} AS "verifier",
           (SELECT count(*) FROM pg_stat_activity s WHERE s.usesysid = r.oid) AS "sessions",
           d.datname AS "database",
           shobj_description(d.oid, 'pg_database') IS NOT DISTINCT FROM shobj_description(r.oid, 'pg_authid') AS "databaseMarked",
           d.datallowconn AND d.datconnlimit = -1 AS "databaseOpen",
           has_database_privilege('public', d.oid, 'CONNECT') AS "publicMayConnect",
           has_database_privilege(r.oid, d.oid, 'CONNECT') AS "mayConnect"
      FROM pg_roles r LEFT JOIN pg_database d ON d.datname = r.rolname
     WHERE CASE WHEN $1::text IS NULL THEN shobj_description(r.oid, 'pg_authid') IS NOT NULL OR d.datname IS NOT NULL
                ELSE r.rolname = $1 END
     ORDER BY r.rolname`,
    [name],
  );
  return result.rows.map((row) => roleSchema.parse(row));
}
