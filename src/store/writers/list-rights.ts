import { databaseRoles, type DatabaseRole } from "./database-role.ts";
import type { Columns, TableRights } from "./table-rights.ts";

export const privileges = ["select", "insert", "update", "delete"] as const;
export type Privilege = (typeof privileges)[number];

/** One right on one thing. `column` null: on the whole table. */
export interface Right {
  readonly role: DatabaseRole;
  readonly table: string;
  readonly privilege: Privilege;
  readonly column: string | null;
}

/** The table of rights, one right at a time. */
export function listRights(rows: readonly TableRights[]): Right[] {
  return rows.flatMap((row) =>
    databaseRoles.flatMap((role) =>
      privileges.flatMap((privilege) =>
        columnsOf(row[role]?.[privilege]).map((column) => ({ role, table: row.table, privilege, column })),
      ),
    ),
  );
}

function columnsOf(columns: Columns | undefined): readonly (string | null)[] {
  if (columns === undefined) return [];
  return columns === "all" ? [null] : columns;
}

/** Equal for equal rights. */
export function rightKey({ role, table, privilege, column }: Right): string {
  return `${role} ${privilege} ${table}.${column ?? "*"}`;
}

/** What must be given, and what taken away, until `there` is as `wanted`. */
export function compareRights(
  wanted: readonly Right[],
  there: readonly Right[],
): { readonly give: readonly Right[]; readonly take: readonly Right[] } {
  const [want, have] = [new Set(wanted.map(rightKey)), new Set(there.map(rightKey))];
  return {
    give: wanted.filter((right) => !have.has(rightKey(right))),
    take: there.filter((right) => !want.has(rightKey(right))),
  };
}
