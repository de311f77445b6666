import type { PushResult } from "../core/push.ts";
import type { PushDependencies } from "./control-dependencies.ts";
import { countTold } from "./count-told.ts";
import { describePushEnd } from "./describe-push-end.ts";

/** Works the result out from what was recorded, and keeps it. The first result stands. */
export async function closePush(
  deps: PushDependencies,
  request: { readonly push: string; readonly rounds: number; readonly moving: readonly string[] },
): Promise<PushResult> {
  const told = await deps.records.listTold(request.push);
  const last = new Map(told.map((one) => [one.node, one]));
  const { sent, held, notWorkedOut, unconfirmed } = countTold(told);
  const outcome = request.moving.length > 0 ? "did-not-settle" : notWorkedOut + unconfirmed > 0 ? "refused" : "settled";
  const result: PushResult = {
    push: request.push,
    outcome,
    rounds: request.rounds,
    sent,
    held,
    notWorkedOut,
    moving: request.moving.slice(0, 50),
    message: describePushEnd({ ...request, outcome, last: [...last.values()], sent }),
  };
  await deps.records.endPush(request.push, result);
  return (await deps.records.getPush(request.push))?.result ?? result;
}
