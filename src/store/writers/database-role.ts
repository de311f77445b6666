/**
 * Who a process is to PostgreSQL (R41). Each is a role without a login, named `mesh_<it>`, that a process takes when it
 * connects; what each may do is `table-rights.ts`.
 */
export const databaseRoles = ["viewer", "operator", "controller", "gateway", "builder"] as const;
export type DatabaseRole = (typeof databaseRoles)[number];

/** `owner`: no role at all, the user of the database's address. Makes tables and roles; nothing is refused to it. */
export type RecordsIdentity = DatabaseRole | "owner";

export function roleName(role: DatabaseRole): string {
  return `mesh_${role}`;
}

/** What PostgreSQL is asked for as the connection is made: nothing of the session runs before it. */
export function roleOption(role: DatabaseRole): string {
  return `-c role=${roleName(role)}`;
}
