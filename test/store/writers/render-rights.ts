import { writers } from "../../../src/link/gateway/writers.ts";
import { databaseRoles } from "../../../src/store/writers/database-role.ts";
import { type Columns, type Rights, tableRights } from "../../../src/store/writers/table-rights.ts";

const verbs = { select: "read", insert: "add", update: "change", delete: "remove" } as const;

function cell(rights: Rights | undefined): string {
  const parts = Object.entries(verbs).flatMap(([right, verb]) => {
    const given: Columns | undefined = rights?.[right as keyof Rights];
    if (given === undefined) return [];
    return given === "all" ? [verb] : [`${verb} (${given.length > 6 ? `${given.length} columns` : given.join(", ")})`];
  });
  return parts.length === 0 ? "–" : parts.join(", ");
}

/** The two tables of writers as `docs/security.md` has them. */
export function renderRights(): string {
  const heads = ["table", ...databaseRoles, "why"];
  const rows = tableRights.map((row) => [`\`${row.table}\``, ...databaseRoles.map((role) => cell(row[role])), row.why]);
  return table([heads, ...rows]);
}

export function renderRoutes(): string {
  const rows = writers.map(({ route, identity, scope, writes }) => [
    `\`${route}\``,
    identity === "open" ? "anybody" : identity,
    scope === "own-node" ? "its own node" : "–",
    writes.length === 0 ? "nothing" : writes.join(", "),
  ]);
  return table([["route", "who", "only for", "may write"], ...rows]);
}

function table(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  return [lines[0], `|${"---|".repeat(rows[0]?.length ?? 0)}`, ...lines.slice(1)].join("\n");
}
