import type { Declaration, Order } from "../../core/declaration.ts";
import type { Refusal, RefusalCheck } from "../../core/report.ts";
import type { Mark } from "../../decide/accept-declaration.ts";
import { describeOrder } from "../../decide/order.ts";
import { describeFailure } from "../describe-failure.ts";
import type { Log } from "../log.ts";
import type { HostDisk } from "../state/host-disk.ts";
import { countRefusal, type NewRefusal } from "../state/refusals.ts";
import { checkEnvelope, checkKept, type Accepted, type Addressee, type Checked } from "./check-envelope.ts";

/** What the host has accepted and refused. */
export interface Inbox {
  readonly accepted: Accepted | null;
  readonly refusals: readonly Refusal[];
  /** Why the host's own state cannot be written, or null. Nothing is accepted without it. */
  readonly stateProblem: string | null;
}

export type Received = "accepted" | "duplicate" | "refused" | "not-written";

export interface OpenInbox extends Inbox {
  /** Checks everything before anything is touched; then writes it down; only then is it `accepted` (R38, R43). */
  receive(envelope: Uint8Array): Promise<Received>;
  /** There is nothing newer to accept: what could not be written down is not offered any more. True: there was such. */
  overtake(): boolean;
  /** Counts something else that was refused, e.g. a root. */
  note(refusal: NewRefusal): Promise<void>;
  /** What this check refused has been overtaken. */
  forget(check: RefusalCheck): Promise<void>;
}

export interface InboxOptions {
  readonly addressee: Addressee;
  /**
   * Looks for a newer root before anything new is checked: it may list a key that the present one does not, and a key
   * that was taken out of it counts no more. Never throws: without an answer the present one goes on.
   */
  readonly renewRoot: () => Promise<unknown>;
  readonly disk: HostDisk;
  readonly log: Log;
  readonly nowMs: () => number;
}

interface InboxState {
  accepted: Accepted | null;
  mark: Mark | null;
  /** What the mark was written for has not taken its place on the disk yet. */
  isNextMarked: boolean;
  refusals: readonly Refusal[];
  stateProblem: string | null;
  /** The last write of refusals; the next waits for it. Never rejects. */
  written: Promise<void>;
}

/** Opens with what was kept: the host comes up with it, whoever is away (R44). */
export async function createInbox(options: InboxOptions): Promise<OpenInbox> {
  const { disk } = options;
  const state: InboxState = {
    accepted: null,
    mark: await disk.readMark(),
    isNextMarked: false,
    refusals: await disk.readRefusals(),
    stateProblem: null,
    written: Promise.resolve(),
  };
  if (!(await takeNext(options, state))) await takeKept(options, state);
  return {
    get accepted() {
      return state.accepted;
    },
    get refusals() {
      return state.refusals;
    },
    get stateProblem() {
      return state.stateProblem;
    },
    receive: (envelope) => receive(options, state, envelope),
    overtake() {
      const was = state.stateProblem;
      state.stateProblem = null;
      if (was !== null) options.log.info("it is not offered any more", { what: was });
      return was !== null;
    },
    note: (refusal) => refuse(options, state, refusal),
    async forget(check) {
      const left = state.refusals.filter((refusal) => refusal.check !== check);
      if (left.length < state.refusals.length) await keepRefusals(options, state, left);
    },
  };
}

/** What the host holds as content, to ask for what is newer. */
export function orderOf(accepted: Accepted | null): Order | null {
  return accepted === null ? null : { epoch: accepted.declaration.epoch, number: accepted.declaration.number };
}

/** True: the mark was written for what is beside the one in force, and a kill came before that took its place. */
async function takeNext(options: InboxOptions, state: InboxState): Promise<boolean> {
  const next = await options.disk.readNext();
  // What the mark is not of was never accepted, and is offered again.
  const checked = next === null ? null : checkOwn(options, state, next);
  if (checked?.kind !== "known") return false;
  state.accepted = checked.accepted;
  state.isNextMarked = true;
  await settleNext(options, state);
  return true;
}

async function takeKept(options: InboxOptions, state: InboxState): Promise<void> {
  const kept = await options.disk.readKept();
  if (kept === null) return;
  const checked = checkOwn(options, state, kept);
  if (checked.kind === "refused") {
    const { check, message: why } = checked.refusal;
    options.log.error("the kept declaration cannot be used; it is fetched again", { check, why });
    return;
  }
  // A release before this put it in place before it wrote the mark, and was killed: nothing is applied without a mark.
  if (checked.kind === "new" && !(await writeDown(options, state, { envelope: null, ...checked.accepted }))) return;
  state.accepted = checked.accepted;
}

function checkOwn({ addressee, nowMs }: InboxOptions, { mark }: InboxState, envelope: Uint8Array): Checked {
  const now = checkEnvelope(envelope, addressee, mark, nowMs());
  // Its key has ended or was taken out of the root since: the mark says that this very content was accepted (R44).
  return now.kind === "refused" ? checkKept(envelope, addressee, mark, now) : now;
}

async function receive(options: InboxOptions, state: InboxState, envelope: Uint8Array): Promise<Received> {
  await options.renewRoot();
  const checked = checkEnvelope(envelope, options.addressee, state.mark, options.nowMs());
  if (checked.kind === "refused") {
    await refuse(options, state, checked.refusal);
    return "refused";
  }
  if (checked.kind === "known" && state.accepted !== null) return "duplicate";
  if (!(await writeDown(options, state, { envelope, ...checked.accepted }))) return "not-written";
  state.accepted = checked.accepted;
  const { epoch, number, digest, incarnation } = checked.accepted.declaration;
  options.log.info("declaration accepted", { epoch, number, digest, incarnation });
  // What was refused before has been overtaken.
  const left = state.refusals.filter((refusal) => refusal.check === "root");
  if (left.length < state.refusals.length) await keepRefusals(options, state, left);
  return "accepted";
}

/**
 * The envelope (null: it has its place already) beside the one in force, then the mark: that is what makes it accepted. Cut
 * between the two, what the mark says is still there.
 */
async function writeDown(
  options: InboxOptions,
  state: InboxState,
  { envelope, declaration }: { readonly envelope: Uint8Array | null; readonly declaration: Declaration },
): Promise<boolean> {
  const { epoch, number, digest, incarnation } = declaration;
  const mark: Mark = { order: { epoch, number }, digest, incarnation };
  const { disk } = options;
  try {
    // What the mark is of is not written over.
    if (state.isNextMarked) await disk.keepNext();
    state.isNextMarked = false;
    if (envelope !== null) await disk.writeNext(envelope);
    await disk.writeMark(mark);
  } catch (error) {
    state.stateProblem = `declaration ${describeOrder(mark.order)} cannot be written down: ${describeFailure(error)}`;
    options.log.error("not accepted", { why: state.stateProblem, epoch, number });
    // absence is the answer: the problem is kept and reported; `false` is that nothing was accepted.
    return false;
  }
  state.stateProblem = null;
  state.mark = mark;
  state.isNextMarked = envelope !== null;
  if (state.isNextMarked) await settleNext(options, state);
  return true;
}

/** A start finds it under either name, so that this ends no acceptance; it is done before the next one at the latest. */
async function settleNext({ disk, log }: InboxOptions, state: InboxState): Promise<void> {
  try {
    await disk.keepNext();
    state.isNextMarked = false;
  } catch (error) {
    log.warn("what was accepted stays beside the declaration before it", { why: describeFailure(error) });
  }
}

async function refuse(options: InboxOptions, state: InboxState, refusal: NewRefusal): Promise<void> {
  const { epoch = null, number = null } = refusal.offered ?? {};
  const what = refusal.check === "root" ? "root refused" : "declaration refused";
  options.log.warn(what, { check: refusal.check, why: refusal.message, epoch, number });
  await keepRefusals(options, state, countRefusal(state.refusals, refusal, new Date(options.nowMs())));
}

/** A root may be refused while a declaration is: one write at a time, each of what is known by then. */
async function keepRefusals(options: InboxOptions, state: InboxState, refusals: readonly Refusal[]): Promise<void> {
  state.refusals = refusals;
  state.written = state.written.then(() => writeRefusals(options, state));
  await state.written;
}

async function writeRefusals(options: InboxOptions, state: InboxState): Promise<void> {
  try {
    await options.disk.writeRefusals(state.refusals);
  } catch (error) {
    options.log.warn("the count of refusals cannot be written down", { why: describeFailure(error) });
  }
}
