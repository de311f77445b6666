import type { Name } from "../../../src/core/names.ts";
import { planRecovery, type HostFacts, type RecoveryPlan } from "../../../src/decide/plan-recovery.ts";
import { type Draft, listClaims, newestSent, put, type Records } from "./state.ts";

/** What `foreseeRecovery` says. */
export function planFor(records: Records, without: readonly Name[]): RecoveryPlan {
  const claims = new Map(listClaims(records).map((claim) => [claim.node, claim]));
  const hosts = [...records.nodes.values()].flatMap(({ name, incarnation }): HostFacts[] => {
    if (incarnation === null) return [];
    const account = records.accounts.get(name);
    return [
      {
        node: name,
        account: account?.incarnation === incarnation ? account : null,
        claim: claims.get(name) ?? null,
        sent: newestSent(records, name)?.order ?? null,
      },
    ];
  });
  const orders = [...records.declarations.values()].flat().map(({ sent }) => sent.order);
  const epochs = [records.lease?.epoch ?? 0, ...records.grants.map((one) => one.epoch), ...orders.map((o) => o.epoch)];
  const known = {
    epoch: Math.max(records.epoch, records.floor, ...epochs),
    number: Math.max(records.number, ...orders.map((order) => order.number)),
  };
  return planRecovery({ stoppedAt: records.stop?.since ?? null, known, hosts }, new Set(without));
}

/** `recoverMesh`, while the gate is held. */
export function recover(draft: Draft, without: readonly Name[], nowIso: string): RecoveryPlan {
  const plan = planFor({ ...draft }, without);
  if (plan.kind !== "ready") return plan;
  const { epoch, number, hosts } = plan;
  draft.epoch = epoch;
  draft.floor = Math.max(draft.floor, epoch);
  draft.number = number;
  draft.stop = null;
  draft.recovered = { epoch, number };
  draft.grants = [...draft.grants, { epoch, holder: "recovery", grantedAt: nowIso }];
  if (draft.lease !== null)
    draft.lease = { ...draft.lease, holder: null, epoch, beat: draft.lease.beat + 1, renewedAt: nowIso };
  for (const { node, isLeftOut, standing } of hosts) {
    const claim = draft.claims.get(node);
    if (claim === undefined || !isLeftOut || standing === "not-heard") continue;
    draft.claims = put(draft.claims, node, { ...claim, isLeftOut: true, leftOutAt: nowIso, leftOutBy: "recovery" });
  }
  return plan;
}
