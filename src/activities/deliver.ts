import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { DeadEpochError, InputError } from "../core/errors.ts";
import type { Told } from "../core/push.ts";
import type { Name } from "../core/names.ts";
import { withIssued } from "../decide/apply-composition.ts";
import { decideTell, type TellDecision } from "../decide/decide-tell.ts";
import type { World } from "../decide/world.ts";
import type { SigningKey } from "../link/keys.ts";
import type { Database, Transaction } from "../store/database.ts";
import { withGate } from "../store/gate.ts";
import { insertProvisions, withdrawProvisions } from "../store/provisions.ts";
import { getPush, listTold, recordTold, type PushRecord } from "../store/pushes.ts";
import { listTargets, type PushTarget } from "../store/push-targets.ts";
import { loadWorld } from "../store/world.ts";
import { heartbeatEvery } from "./heartbeat-every.ts";
import { sealMints } from "./seal-mints.ts";
import { sendDeclaration } from "./send-declaration.ts";

export interface DeliverDependencies {
  readonly db: Database;
  readonly mesh: Name;
  readonly epoch: number;
  /** False once this process may have lost the lease. Checked before each act. */
  readonly mayAct: () => boolean;
  readonly declarationKey: SigningKey;
  readonly staleAfterMs: number;
  readonly nowMs: () => number;
  /** A new password. Called once per mint. */
  readonly makePassword: () => string;
  /** Called after DeadEpochError: this incarnation is over. */
  readonly onDeadEpoch: (error: DeadEpochError) => void;
}

export interface TellRequest {
  readonly mesh: string;
  readonly push: string;
  readonly round: number;
  readonly from: number;
  readonly count: number;
  readonly confirmRemoval: boolean;
}

export type DeliverActivities = ReturnType<typeof createDeliverActivities>;

export function createDeliverActivities(deps: DeliverDependencies) {
  return {
    /**
     * The one transaction (R27, R28): numbers, reads, compositions, mints, declarations and their record are one commit.
     * Done again it is done under new numbers, and sends nothing that this push already told.
     */
    async tell(request: TellRequest): Promise<{ sent: number }> {
      const stopHeartbeat = heartbeatEvery(5_000);
      try {
        const push = await getPush(deps.db, deps.mesh, request.push);
        if (push === null) throw new InputError(`there is no push ${request.push}`);
        const targets = await listTargets(deps.db, deps.mesh, request);
        if (targets.length > 0) await tellTargets(deps, push, request, targets);
        const names = new Set(targets.map((target) => target.node));
        const told = await listTold(deps.db, deps.mesh, request.push);
        return {
          sent: told.filter((one) => one.round === request.round && one.outcome === "sent" && names.has(one.node))
            .length,
        };
      } catch (error) {
        if (error instanceof DeadEpochError) deps.onDeadEpoch(error);
        if (error instanceof InputError) throw ApplicationFailure.nonRetryable(error.message, "InputError");
        throw error;
      } finally {
        stopHeartbeat();
      }
    },
  };
}

/** Only before BEGIN is a cancelled or shut down attempt stopped: after that the transaction ends as a whole. */
async function tellTargets(
  deps: DeliverDependencies,
  push: PushRecord,
  request: TellRequest,
  targets: readonly PushTarget[],
): Promise<void> {
  Context.current().cancellationSignal.throwIfAborted();
  if (!deps.mayAct()) throw new DeadEpochError(deps.mesh, deps.epoch);
  await withGate(deps.db, { mesh: deps.mesh, epoch: deps.epoch, count: targets.length }, async (tx, numbers) => {
    const before = await loadWorld(tx, deps.mesh);
    const decide = (world: World, target: PushTarget): TellDecision =>
      decideTell({
        world,
        node: target.node,
        named: push.named.includes(target.node),
        byPolicy: push.kind === "auto",
        why: target.why,
        confirmRemoval: request.confirmRemoval,
      });
    const world = await issueAndWithdraw(tx, deps, push.id, before, targets, decide);
    const told: Told[] = [];
    for (const [index, target] of targets.entries()) {
      const number = numbers[index];
      if (number === undefined) throw new Error(`no number was taken for ${target.node}`);
      const decision = decide(world, target);
      const order = decision.kind === "send" ? { epoch: deps.epoch, number } : null;
      if (decision.kind === "send")
        await sendDeclaration(tx, deps, { world, target, decision, push: push.id, round: request.round, number });
      told.push({
        node: target.node,
        round: request.round,
        outcome: decision.kind === "send" ? "sent" : decision.kind,
        why: decision.why,
        epoch: order?.epoch ?? null,
        number: order?.number ?? null,
        digest: decision.digest,
      });
    }
    await recordTold(tx, deps.mesh, push.id, told);
  });
}

/**
 * First all mints and withdrawals of the batch, then all compositions: a provider and its new consumer in one batch are
 * told once. Mints of a node that is not sent are not made.
 */
async function issueAndWithdraw(
  tx: Transaction,
  deps: DeliverDependencies,
  push: string,
  before: World,
  targets: readonly PushTarget[],
  decide: (world: World, target: PushTarget) => TellDecision,
): Promise<World> {
  let world = before;
  for (const target of targets) {
    const decision = decide(world, target);
    if (decision.kind !== "send") continue;
    if (decision.withdrawals.length > 0) await withdrawProvisions(tx, deps.mesh, { push, ids: decision.withdrawals });
    if (decision.mints.length > 0) {
      await insertProvisions(tx, deps.mesh, { push, provisions: decision.mints });
      await sealMints(tx, deps, decision.mints);
    }
    world = withIssued(world, decision.mints, decision.withdrawals);
  }
  return world;
}
