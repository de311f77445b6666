import type { Name } from "../core/names.ts";
import type { PushResult } from "../core/push.ts";
import { clearCondition, observeCondition } from "../store/conditions.ts";
import type { Queryable } from "../store/database.ts";

const condition = { code: "push-did-not-settle", subject: "pushes" };

/** Open from a push that did not settle to the next that did: what was refused says nothing of it (R33). */
export async function noteUnsettled(db: Queryable, mesh: Name, result: PushResult): Promise<void> {
  if (result.outcome === "settled") await clearCondition(db, mesh, condition);
  if (result.outcome !== "did-not-settle") return;
  await observeCondition(db, mesh, {
    ...condition,
    message: `push ${result.push} did not settle: ${result.message}`,
    remedy: `something depends on what it changes itself: mesh why ${result.moving[0] ?? "NODE"}`,
    urgent: false,
  });
}
