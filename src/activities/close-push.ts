import type { PushResult } from "../core/push.ts";
import type { ToldRecord } from "../store/pushes.ts";
import type { PushDependencies } from "./control-dependencies.ts";
import { describePushEnd } from "./describe-push-end.ts";

/** Works the result out from what was recorded, and keeps it. The first result stands. */
export async function closePush(
  deps: PushDependencies,
  request: { readonly push: string; readonly rounds: number; readonly moving: readonly string[] },
): Promise<PushResult> {
  const told = await deps.records.listTold(request.push);
  const last = new Map(told.map((one) => [one.node, one]));
  const count = (outcome: ToldRecord["outcome"]): number =>
    [...last.values()].filter((one) => one.outcome === outcome).length;
  const sent = new Set(told.filter((one) => one.outcome === "sent").map((one) => one.node)).size;
  const unconfirmed = count("needs-confirmation");
  const outcome =
    request.moving.length > 0 ? "did-not-settle" : count("not-worked-out") + unconfirmed > 0 ? "refused" : "settled";
  const result: PushResult = {
    push: request.push,
    outcome,
    rounds: request.rounds,
    sent,
    held: count("held"),
    notWorkedOut: count("not-worked-out"),
    moving: request.moving.slice(0, 50),
    message: describePushEnd({ ...request, outcome, last: [...last.values()], sent }),
  };
  await deps.records.endPush(request.push, result);
  return (await deps.records.getPush(request.push))?.result ?? result;
}
