import type { Declaration, Secret } from "../core/declaration.ts";
import { DeadEpochError, InputError, StoppedError } from "../core/errors.ts";
import type { Told } from "../core/push.ts";
import type { Name } from "../core/names.ts";
import { withIssued } from "../decide/apply-composition.ts";
import { decideTell, type TellDecision } from "../decide/decide-tell.ts";
import type { World } from "../decide/world.ts";
import type { NewDeclaration } from "../store/declarations.ts";
import type { PushTarget } from "../store/push-targets.ts";
import type { PushForNodes } from "../store/push-batches.ts";
import { countTold } from "./count-told.ts";
import type { GateRecords, PushRecords } from "./push-records.ts";
import { sealMints } from "./seal-mints.ts";
import { makeDeclaration } from "./make-declaration.ts";

export interface TellDependencies {
  readonly records: PushRecords;
  readonly mesh: Name;
  readonly epoch: number;
  /** False once this process may have lost the lease. Checked before each act. */
  readonly mayAct: () => boolean;
  /** The signed bytes that travel. */
  readonly signDeclaration: (declaration: Declaration) => Uint8Array;
  /** A box that only this recipient opens. */
  readonly sealSecret: (secret: Secret, recipient: string) => Promise<string>;
  readonly staleAfterMs: number;
  readonly nowMs: () => number;
  /** A new password. Called once per mint. */
  readonly makePassword: () => string;
}

export interface TellRequest {
  readonly mesh: string;
  readonly push: string;
  readonly round: number;
  readonly from: number;
  readonly count: number;
  readonly confirmRemoval: boolean;
}

/**
 * The one transaction (R27, R28): numbers, reads, compositions, mints, declarations and their record are one commit.
 * Where the mesh is stopped, the push ends with that (R35), and StoppedError is thrown.
 * Done again it does nothing for whom this round already told, so an attempt that was given up and goes on beside its
 * retry changes nothing. InputError where the push has ended. Only before it begins is a cancelled or shut down attempt stopped: after that the transaction
 * ends as a whole.
 */
export async function tellBatch(
  deps: TellDependencies,
  request: TellRequest,
  signal: AbortSignal,
): Promise<{ sent: number }> {
  const targets = await deps.records.listTargets(request);
  const nodes = targets.map(({ node }) => node);
  const push = await deps.records.getPushFor({ push: request.push, nodes });
  if (push === null) throw new InputError(`there is no push ${request.push}`);
  if (targets.length > 0) {
    signal.throwIfAborted();
    if (!deps.mayAct()) throw new DeadEpochError(deps.mesh, deps.epoch);
    try {
      await deps.records.passGate({ epoch: deps.epoch, count: targets.length }, (gate, numbers) =>
        tellTargets(deps, { gate, numbers, push, request, targets }),
      );
    } catch (error) {
      if (error instanceof StoppedError) await endStopped(deps, request, error);
      throw error;
    }
  }
  return { sent: await deps.records.countSentAmong({ push: push.id, round: request.round, nodes }) };
}

/** Who stopped the mesh stopped this push with it: it ends here, with what it told until now, and is not begun again. */
async function endStopped(deps: TellDependencies, { push, round }: TellRequest, error: StoppedError): Promise<void> {
  const { sent, held, notWorkedOut } = countTold(await deps.records.listTold(push));
  const counts = { rounds: round, sent, held, notWorkedOut, moving: [] };
  await deps.records.endPush(push, { push, outcome: "failed", ...counts, message: error.message });
}

interface Batch {
  readonly gate: GateRecords;
  readonly numbers: readonly number[];
  readonly push: PushForNodes;
  readonly request: TellRequest;
  readonly targets: readonly PushTarget[];
}

async function tellTargets(deps: TellDependencies, batch: Batch): Promise<void> {
  const { gate, numbers, push, request } = batch;
  // Once the round was told the push looks further, and ends: nobody would be told of what is minted after that look.
  const nodes = batch.targets.map(({ node }) => node);
  const toldNodes = new Set(await gate.listToldAmong({ push: push.id, round: request.round, nodes }));
  const targets = batch.targets.filter(({ node }) => !toldNodes.has(node));
  if (targets.length === 0) return;
  const now = await gate.getPushEnd(push.id);
  // As after a stop (R35) whose answer was lost: what its end says it told would no longer be true.
  if (now === null) throw new InputError(`push ${push.id} ended so long ago that its record was pruned`);
  if (now.endedAt !== null) throw new InputError(`push ${push.id} has ended: ${now.message}`);
  const before = await gate.loadWorldFor(targets.map(({ node }) => node));
  const named = new Set(push.named);
  const decide = decideOnce((world, target) =>
    decideTell({
      world,
      node: target.node,
      named: named.has(target.node),
      byPolicy: push.kind === "auto",
      why: target.why,
      confirmRemoval: request.confirmRemoval,
    }),
  );
  const world = await issueAndWithdraw(deps, { ...batch, targets }, before, decide);
  const told: Told[] = [];
  const mailbox = openMailbox(gate);
  for (const [index, target] of targets.entries()) {
    const number = numbers[index];
    if (number === undefined) throw new Error(`no number was taken for ${target.node}`);
    const decision = decide(world, target);
    const order = decision.kind === "send" ? { epoch: deps.epoch, number } : null;
    if (decision.kind === "send")
      await mailbox.put(
        await makeDeclaration(gate, deps, { world, target, decision, push: push.id, round: request.round, number }),
      );
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
  await mailbox.empty();
  await gate.recordTold(push.id, told);
}

type Decide = (world: World, target: PushTarget) => TellDecision;

/** Asked again of the same world, as where nothing of the batch is minted or withdrawn, it is the answer of before. */
function decideOnce(decide: Decide): Decide {
  const last = new Map<PushTarget, { readonly world: World; readonly decision: TellDecision }>();
  return (world, target) => {
    const known = last.get(target);
    if (known?.world === world) return known.decision;
    const decision = decide(world, target);
    last.set(target, { world, decision });
    return decision;
  };
}

/** Of what is written in one statement: most declarations have some kilobytes, and one may have 8 MiB. */
const statementBytes = 4 * 1024 ** 2;

/** Declarations of a batch are written together: one after the other they were most of its time under the gate. */
function openMailbox(gate: GateRecords) {
  let waiting: NewDeclaration[] = [];
  let bytes = 0;
  const empty = async (): Promise<void> => {
    const sent = waiting;
    waiting = [];
    bytes = 0;
    if (sent.length > 0) await gate.insertDeclarations(sent);
  };
  return {
    empty,
    put: async (one: NewDeclaration): Promise<void> => {
      waiting.push(one);
      bytes += one.envelope.length;
      if (bytes >= statementBytes) await empty();
    },
  };
}

/**
 * First all mints and withdrawals of the batch, then all compositions: a provider and its new consumer in one batch are
 * told once. Mints of a node that is not sent are not made.
 */
async function issueAndWithdraw(
  deps: TellDependencies,
  { gate, push, targets }: Batch,
  before: World,
  decide: Decide,
): Promise<World> {
  let world = before;
  for (const target of targets) {
    const decision = decide(world, target);
    if (decision.kind !== "send" || decision.withdrawals.length + decision.mints.length === 0) continue;
    if (decision.withdrawals.length > 0) await gate.withdrawProvisions({ push: push.id, ids: decision.withdrawals });
    if (decision.mints.length > 0) {
      await gate.insertProvisions({ push: push.id, provisions: decision.mints });
      await sealMints(gate, deps, decision.mints);
    }
    world = withIssued(world, decision.mints, decision.withdrawals);
  }
  return world;
}
