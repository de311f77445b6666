import type { Name } from "../core/names.ts";
import { clearCondition, observeCondition } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import type { RolesInForce } from "../store/writers/keep-roles.ts";

const condition = { code: "database-roles-missing", subject: "records" };

/** Shown in `status` for as long as every process writes with all rights. */
export async function noteRoles(db: Database, mesh: Name, roles: RolesInForce): Promise<void> {
  if (roles.enforced) {
    await clearCondition(db, mesh, condition);
    return;
  }
  await observeCondition(db, mesh, {
    ...condition,
    message: `every process reaches the records with all rights of its database user: ${roles.why}`,
    remedy: "have an administrator run what `mesh database roles --sql` prints, then start the controller again",
    urgent: false,
  });
}
