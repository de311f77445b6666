import type { Name } from "../core/names.ts";
import { clearCondition, observeCondition } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import type { RolesInForce } from "../store/writers/keep-roles.ts";

const condition = { code: "database-roles-missing", subject: "records" };

const ownerCondition = { code: "controller-as-owner", subject: "records" };

/** Shown in `status` for as long as the controller has taken its roles as the owner, who may also leave them. */
export async function noteOwner(db: Database, mesh: Name, who: "owner" | "logins"): Promise<void> {
  if (who === "logins") {
    await clearCondition(db, mesh, ownerCondition);
    return;
  }
  await observeCondition(db, mesh, {
    ...ownerCondition,
    message: "the controller logs in as the owner of the tables: who takes over its process has all rights",
    remedy: "mesh database roles --apply makes logins of its own, or says what is in the way; then start it again",
    urgent: false,
  });
}

/** Shown in `status` for as long as every process writes with all rights. */
export async function noteRoles(db: Database, mesh: Name, roles: RolesInForce): Promise<void> {
  if (roles.enforced) {
    await clearCondition(db, mesh, condition);
    return;
  }
  await observeCondition(db, mesh, {
    ...condition,
    message: `every process reaches the records with all rights of its database user: ${roles.why}`,
    remedy:
      "have an administrator run what `mesh database roles --sql` prints, then --apply, and start the controller again",
    urgent: false,
  });
}
