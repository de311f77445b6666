import type { Report, ResourceReport } from "../../core/report.ts";
import { describeFailure } from "../describe-failure.ts";
import type { HostClock } from "../host-clock.ts";
import type { Log } from "../log.ts";
import type { Applied } from "../state/applied.ts";
import type { Accepted } from "./check-envelope.ts";
import type { Inbox } from "./inbox.ts";
import type { PassResult } from "./apply-pass.ts";
import { sayRecentDrifts, type RecentDrifts } from "./recent-drifts.ts";
import { outcomeOf } from "./report-outcome.ts";
import { createWake } from "./wait.ts";

export interface ApplyLoopOptions {
  readonly inbox: Inbox;
  /** What an earlier host tracked. */
  readonly applied: Applied | null;
  /** What of the host's own files was put aside at this start: said as drift is, and nothing more is to be done. */
  readonly damaged?: ResourceReport | null;
  readonly intervalMs: number;
  readonly log: Log;
  readonly clock: HostClock;
  readonly pass: (input: {
    readonly accepted: Accepted;
    readonly applied: Applied | null;
    readonly settled: ReadonlyMap<string, ResourceReport>;
    readonly seen: ReadonlySet<string>;
    readonly onReport: (report: ResourceReport) => void;
    /** What is tracked has changed on disk, also when the pass does not end. */
    readonly onApplied: (applied: Applied) => void;
    readonly signal: AbortSignal;
  }) => Promise<PassResult>;
  readonly report: (what: ReportBody, accepted: Accepted | null, when: ReportWhen) => void;
}

/** The part of a report that a pass works out. */
export interface ReportBody {
  readonly outcome: Report["outcome"];
  readonly resources: readonly ResourceReport[];
  /** When all of it was last read back, in Unix milliseconds; null, and left out: not yet. */
  readonly readAtMs?: number | null;
}

/** `change`: only when it says something new. `interval`: the regular pass. */
export type ReportWhen = "change" | "interval";

export interface ApplyLoop {
  /** Something was accepted, refused, or could not be written: look now. */
  readonly look: () => void;
  /** This service has ended or was started again. */
  readonly lookAt: (id: string) => void;
  run(signal: AbortSignal): Promise<void>;
}

/** An apply that takes longer says *half* in between. */
const halfAfterMs = 1000;
/** What is on its way is looked at often, what fails ever less often. */
const soonMs = 200;
const soonLimitMs = 1000;
const failedFirstMs = 1000;

/** Applies what was accepted: at once when it is new, what is not right soon again, everything on the interval (R44). */
export function createApplyLoop(options: ApplyLoopOptions): ApplyLoop {
  const wake = createWake(options.clock);
  const dirty = new Set<string>();
  let running: AbortController | null = null;
  let passing: Accepted | null = null;
  return {
    look() {
      // A newer declaration is not held up by what is left to do of an older one.
      if (passing !== options.inbox.accepted) running?.abort(new Error("a newer declaration is there"));
      wake.look();
    },
    lookAt(id) {
      dirty.add(id);
      wake.look();
    },
    async run(signal) {
      let state: LoopState = startState(options);
      sayFirst(options, state);
      while (!signal.aborted) {
        const { accepted } = options.inbox;
        if (accepted === null) {
          options.report(
            { outcome: "none", resources: [...stateReports(options.inbox), ...damagedReports(options, true)] },
            null,
            "change",
          );
          await wake.wait(options.intervalMs, signal);
          continue;
        }
        running = new AbortController();
        passing = accepted;
        state = await passOnce(options, state, accepted, dirty, AbortSignal.any([signal, running.signal]));
        running = null;
        // Accepted while this pass ran: it is next, without a wait.
        if (options.inbox.accepted !== accepted || signal.aborted) continue;
        const untilNextMs = state.nextAtMs - options.clock.nowMs();
        // Never longer: the clock may have been set back since, and the interval does not wait for it.
        await wake.wait(Math.min(options.intervalMs, Math.max(0, untilNextMs)), signal);
      }
    },
  };
}

interface LoopState {
  readonly accepted: Accepted | null;
  readonly applied: Applied | null;
  readonly reports: ReadonlyMap<string, ResourceReport>;
  readonly drifts: RecentDrifts;
  /** When all of what is accepted was last read back. */
  readonly readAtMs: number | null;
  /** When everything is looked at again. */
  readonly fullAtMs: number;
  readonly nextAtMs: number;
  /** Passes since everything was last as wanted. */
  readonly tries: number;
}

function startState({ applied, clock }: ApplyLoopOptions): LoopState {
  return {
    accepted: null,
    applied,
    reports: new Map(),
    drifts: new Map(),
    readAtMs: null,
    fullAtMs: clock.nowMs(),
    nextAtMs: clock.nowMs(),
    tries: 0,
  };
}

/** An apply that a kill has cut: until it is completed it is half, and said to be (case 46). */
function sayFirst(options: ApplyLoopOptions, state: LoopState): void {
  const { accepted } = options.inbox;
  if (accepted === null || state.applied === null || state.applied.finished) return;
  options.report({ outcome: "half", resources: [] }, accepted, "change");
}

/** The journal of what this host has gone by: each declaration once a start, before anything of it is touched. */
function sayApplied(log: Log, { declaration }: Accepted): void {
  const { epoch, number, digest, incarnation } = declaration;
  log.info("declaration is applied", { epoch, number, digest, incarnation });
}

async function passOnce(
  options: ApplyLoopOptions,
  state: LoopState,
  accepted: Accepted,
  dirty: Set<string>,
  signal: AbortSignal,
): Promise<LoopState> {
  const isNew = state.accepted !== accepted;
  const isFull = isNew || isDue(state.fullAtMs, options);
  if (isNew) sayApplied(options.log, accepted);
  const before = isNew ? new Map<string, ResourceReport>() : state.reports;
  const settled = isFull ? new Map<string, ResourceReport>() : settledOf(before, accepted, dirty);
  dirty.clear();
  const seen = new Map<string, ResourceReport>(settled);
  let { applied } = state;
  const cancelHalf = options.clock.after(halfAfterMs, () => {
    if (isNew) options.report({ outcome: "half", resources: [...seen.values()] }, accepted, "change");
  });
  try {
    const onReport = (report: ResourceReport): unknown => seen.set(report.id, report);
    const onApplied = (next: Applied): void => {
      applied = next;
    };
    // Also what has only just ended: a second ending is drift as the first was.
    const seenApplied = [...state.reports.values()].filter(
      ({ id, state: its }) => its === "applied" || (its === "waiting" && state.drifts.has(id)),
    );
    const known = new Set(seenApplied.map(({ id }) => id));
    const result = await options.pass({ accepted, applied, settled, seen: known, onReport, onApplied, signal });
    const { clock, intervalMs } = options;
    const read = [...result.reports, ...damagedReports(options, state.accepted === null)];
    const said = sayRecentDrifts(read, isNew ? new Map() : state.drifts, clock.nowMs(), intervalMs);
    const reports = new Map(said.reports.map((each) => [each.id, each] as const));
    const resources = [...stateReports(options.inbox), ...reports.values()];
    const readAtMs = isFull ? clock.nowMs() : state.readAtMs;
    options.report({ outcome: outcomeOf(resources), resources, readAtMs }, accepted, isFull ? "interval" : "change");
    return plan(options, { ...state, accepted, applied, reports, drifts: said.recent, readAtMs }, isNew, isFull);
  } catch (error) {
    if (signal.aborted) return { ...state, applied, nextAtMs: options.clock.nowMs() };
    const message = describeFailure(error);
    options.log.error("the apply was not done", { why: message });
    const resources = [...before.values(), stateReport(message)];
    const readAtMs = isNew ? null : state.readAtMs;
    options.report({ outcome: "failed", resources, readAtMs }, accepted, isFull ? "interval" : "change");
    return plan(options, { ...state, accepted, applied, reports: before, readAtMs }, isNew, isFull, true);
  } finally {
    cancelHalf();
  }
}

/** The time has come, or is further away than it was ever put: the clock was set back. */
function isDue(atMs: number, { clock, intervalMs }: ApplyLoopOptions): boolean {
  const leftMs = atMs - clock.nowMs();
  return leftMs <= 0 || leftMs > intervalMs;
}

/** When to look next: soon at what is on its way, later at what fails, else at the interval. */
function plan(
  options: ApplyLoopOptions,
  state: LoopState,
  isNew: boolean,
  isFull: boolean,
  hasFailed = false,
): LoopState {
  const { intervalMs, clock } = options;
  const fullAtMs = isFull ? clock.nowMs() + intervalMs : state.fullAtMs;
  const states = new Set([...state.reports.values()].map((report) => report.state));
  const isRight = !hasFailed && [...states].every((each) => each === "applied");
  const tries = isRight ? 0 : isNew ? 1 : state.tries + 1;
  const grown = 2 ** Math.min(tries, 20);
  const soon = states.has("waiting") ? Math.min(soonLimitMs, (soonMs / 2) * grown) : (failedFirstMs / 2) * grown;
  const nextAtMs = isRight ? fullAtMs : Math.min(fullAtMs, clock.nowMs() + soon);
  return { ...state, fullAtMs, nextAtMs, tries };
}

/** What was right and of which nothing was heard is not looked at again before the interval. */
function settledOf(
  reports: ReadonlyMap<string, ResourceReport>,
  accepted: Accepted,
  dirty: ReadonlySet<string>,
): ReadonlyMap<string, ResourceReport> {
  const settled = new Map<string, ResourceReport>();
  for (const { id } of accepted.ordered) {
    const report = reports.get(id);
    if (report?.state !== "applied" || dirty.has(id)) continue;
    // What was mended then is not mended now: how long it is still said, `recent-drifts.ts` knows.
    const { drift: _mended, ...rest } = report;
    settled.set(id, rest);
  }
  return settled;
}

function stateReports(inbox: Inbox): readonly ResourceReport[] {
  return inbox.stateProblem === null ? [] : [stateReport(inbox.stateProblem)];
}

/** As drift by the first pass; then `recent-drifts.ts` knows how long. */
function damagedReports({ damaged }: ApplyLoopOptions, isFirst: boolean): readonly ResourceReport[] {
  if (damaged === undefined || damaged === null) return [];
  const { drift, ...rest } = damaged;
  return [isFirst && drift !== undefined ? { ...rest, drift } : rest];
}

/** The host's own state is no resource of the declaration, but what is wrong with it is said in the same place. */
function stateReport(message: string): ResourceReport {
  return { id: "host/state", state: "failed", message };
}
