import type { Order } from "../../core/declaration.ts";
import type { Refusal, RefusalCheck } from "../../core/report.ts";
import type { Mark } from "../../decide/accept-declaration.ts";
import { describeOrder } from "../../decide/order.ts";
import { describeFailure } from "../describe-failure.ts";
import type { Log } from "../log.ts";
import type { HostDisk } from "../state/host-disk.ts";
import { countRefusal, type NewRefusal } from "../state/refusals.ts";
import { checkEnvelope, checkKept, type Accepted, type Addressee } from "./check-envelope.ts";

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
  refusals: readonly Refusal[];
  stateProblem: string | null;
  /** The last write of refusals; the next waits for it. Never rejects. */
  written: Promise<void>;
}

/** Opens with what was kept: the host comes up with it, whoever is away (R44). */
export async function createInbox(options: InboxOptions): Promise<OpenInbox> {
  const { disk } = options;
  const kept = await disk.readKept();
  const mark = await disk.readMark();
  const refusals = await disk.readRefusals();
  const state: InboxState = { accepted: null, mark, refusals, stateProblem: null, written: Promise.resolve() };
  if (kept !== null) await takeKept(options, state, kept);
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

async function takeKept(options: InboxOptions, state: InboxState, kept: Uint8Array): Promise<void> {
  const { addressee, nowMs } = options;
  const now = checkEnvelope(kept, addressee, state.mark, nowMs());
  // Its key has ended or was taken out of the root since: the mark says that this very content was accepted (R44).
  const checked = now.kind === "refused" ? checkKept(kept, addressee, state.mark, now) : now;
  if (checked.kind === "refused") {
    const { check, message: why } = checked.refusal;
    options.log.error("the kept declaration cannot be used; it is fetched again", { check, why });
    return;
  }
  // A kill between the two writes: the mark catches up before anything is applied.
  if (checked.kind === "new" && !(await writeDown(options, state, kept, checked.accepted))) return;
  state.accepted = checked.accepted;
}

async function receive(options: InboxOptions, state: InboxState, envelope: Uint8Array): Promise<Received> {
  await options.renewRoot();
  const checked = checkEnvelope(envelope, options.addressee, state.mark, options.nowMs());
  if (checked.kind === "refused") {
    await refuse(options, state, checked.refusal);
    return "refused";
  }
  if (checked.kind === "known" && state.accepted !== null) return "duplicate";
  if (!(await writeDown(options, state, envelope, checked.accepted))) return "not-written";
  state.accepted = checked.accepted;
  const { epoch, number, digest, incarnation } = checked.accepted.declaration;
  options.log.info("declaration accepted", { epoch, number, digest, incarnation });
  // What was refused before has been overtaken.
  const left = state.refusals.filter((refusal) => refusal.check === "root");
  if (left.length < state.refusals.length) await keepRefusals(options, state, left);
  return "accepted";
}

/** The envelope first, then the mark: what is kept is never older than the mark. */
async function writeDown(
  options: InboxOptions,
  state: InboxState,
  envelope: Uint8Array,
  { declaration }: Accepted,
): Promise<boolean> {
  const { epoch, number, digest, incarnation } = declaration;
  const mark: Mark = { order: { epoch, number }, digest, incarnation };
  try {
    await options.disk.writeKept(envelope);
    await options.disk.writeMark(mark);
  } catch (error) {
    state.stateProblem = `declaration ${describeOrder(mark.order)} cannot be written down: ${describeFailure(error)}`;
    options.log.error("not accepted", { why: state.stateProblem, epoch, number });
    // absence is the answer: the problem is kept and reported; `false` is that nothing was accepted.
    return false;
  }
  state.stateProblem = null;
  state.mark = mark;
  return true;
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
