import type { Name } from "../core/names.ts";
import type { PushResult } from "../core/push.ts";
import { clearCondition, observeCondition } from "../store/conditions.ts";
import type { Queryable } from "../store/database.ts";
import { isStillUnsettled } from "../store/unsettled-push.ts";

const condition = { code: "push-did-not-settle", subject: "pushes" };

/**
 * Open from a push that did not settle until one of those that it left moving is told in a push that does, or none of them is
 * there any more: what was refused says nothing of it, and a push of others neither (R33).
 */
export async function noteUnsettled(db: Queryable, mesh: Name, result: PushResult): Promise<void> {
  if (result.outcome === "settled" && !(await isStillUnsettled(db, mesh, result.push)))
    await clearCondition(db, mesh, condition);
  if (result.outcome !== "did-not-settle") return;
  await observeCondition(db, mesh, {
    ...condition,
    message: `push ${result.push} did not settle: ${result.message}`,
    remedy: `something depends on what it changes itself: mesh why ${result.moving[0] ?? "NODE"}; mesh push of it ends this where that settles`,
    urgent: false,
  });
}
