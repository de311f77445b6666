import type { Name } from "../core/names.ts";
import { clearCondition, observeCondition } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";

const condition = { code: "builds-without-sandbox", subject: "builds" };

/** Shown in `status` for as long as it is so. `unsafe`: whose modules, and why; null: nobody's. */
export async function noteUnsafeBuilds(db: Database, mesh: Name, unsafe: string | null): Promise<void> {
  if (unsafe === null) {
    await clearCondition(db, mesh, condition);
    return;
  }
  await observeCondition(db, mesh, {
    ...condition,
    message: unsafe,
    remedy: "install bubblewrap, or take the repositories out of unsafeWithoutSandbox in settings.json",
    urgent: false,
  });
}
