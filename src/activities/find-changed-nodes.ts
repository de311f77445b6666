import type { Digest, Name } from "../core/names.ts";
import { findChanged } from "../decide/find-changed.ts";
import { listPushEffects } from "../store/provisions.ts";
import { countTargets, recordTargets } from "../store/push-targets.ts";
import { getBaseline, getPush, listTold } from "../store/pushes.ts";
import { inTransaction } from "../store/transaction.ts";
import { loadWorld } from "../store/world.ts";
import type { ControlDependencies } from "./control-dependencies.ts";
import type { ChangedNodes } from "./control-types.ts";

/**
 * Recomputes what every machine should be and compares it with the baseline, or with what this push told it (R18). What
 * differs is kept as the targets of the next round, by name and with its reason.
 */
export async function findChangedNodes(
  deps: ControlDependencies,
  request: { readonly push: string; readonly round: number },
): Promise<ChangedNodes> {
  const changed = await inTransaction(deps.db, { isolation: "repeatable read", access: "read only" }, async (tx) => {
    const push = await getPush(tx, deps.mesh, request.push);
    const baseline = await getBaseline(tx, deps.mesh, request.push);
    if (push === null || baseline === null) throw new Error(`push ${request.push} has no baseline`);
    const world = await loadWorld(tx, deps.mesh);
    const told = new Map<Name, Digest | null>();
    for (const one of await listTold(tx, deps.mesh, request.push)) told.set(one.node, one.digest);
    return findChanged({
      world,
      named: new Set(push.named),
      byPolicy: push.kind === "auto",
      baseline,
      told,
      effects: await listPushEffects(tx, deps.mesh, request.push),
    });
  });
  const next = { push: request.push, round: request.round + 1 };
  if (changed.length > 0) await recordTargets(deps.db, deps.mesh, next, changed);
  const count = changed.length === 0 ? 0 : await countTargets(deps.db, deps.mesh, next);
  const first = changed.slice(0, 3).map((one) => `${one.node} (${one.why})`);
  return {
    count,
    firstNames: changed.slice(0, 50).map((one) => one.node),
    summary:
      count === 0 ? "settled" : `${first.join("; ")}${count > first.length ? ` and ${count - first.length} more` : ""}`,
  };
}
