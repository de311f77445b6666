import type { Name } from "../core/names.ts";
import { clearCondition, observeCondition } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";

export interface UnsafeBuilds {
  /** Whose modules are built without a sandbox, and why; null: nobody's. */
  readonly unsafe: string | null;
  /** By what builds are bounded less than a sandbox promises; null: by nothing. */
  readonly unlimited: string | null;
}

/** Shown in `status` for as long as it is so. */
export async function noteUnsafeBuilds(db: Database, mesh: Name, { unsafe, unlimited }: UnsafeBuilds): Promise<void> {
  const withoutSandbox = { code: "builds-without-sandbox", subject: "builds" };
  if (unsafe === null) await clearCondition(db, mesh, withoutSandbox);
  else
    await observeCondition(db, mesh, {
      ...withoutSandbox,
      message: unsafe,
      remedy: "install bubblewrap, or take the repositories out of unsafeWithoutSandbox in settings.json",
      urgent: false,
    });
  const withoutLimits = { code: "builds-without-limits", subject: "builds" };
  if (unlimited === null) await clearCondition(db, mesh, withoutLimits);
  else
    await observeCondition(db, mesh, {
      ...withoutLimits,
      message: unlimited,
      remedy:
        "run the controller where it may make control groups: as root, or with a service manager that delegates them (systemd: Delegate=yes); then start it again",
      urgent: false,
    });
}
