import { heartbeatMs, type Report, type ReportPlace } from "../../core/report.ts";
import type { TightDisk } from "../../core/tight-disk.ts";
import type { HostIdentity } from "../host-identity.ts";
import type { Boot } from "../state/boot.ts";
import type { ReportBody, ReportWhen } from "./apply-loop.ts";
import type { Accepted } from "./check-envelope.ts";
import { fitReport } from "./fit-report.ts";
import { orderOf, type Inbox } from "./inbox.ts";
import { traceOf } from "./report-outcome.ts";

/** As many as a report may name. */
const disksLimit = 8;

export interface ReporterOptions {
  readonly identity: Pick<HostIdentity, "mesh" | "node" | "incarnation">;
  readonly boot: Boot;
  /** Everything is looked at this often. */
  readonly intervalMs: number;
  readonly inbox: Inbox;
  readonly nowMs: () => number;
  readonly lastWordMs: () => number | null;
  /** Where there is little or no room. Left out: nobody looks. */
  readonly tightDisks?: () => readonly TightDisk[];
  /** Reports of this start that the controller could not read. Left out: nobody counts. */
  readonly unread?: () => Report["unread"] | null;
  readonly put: (report: Report) => void;
}

export interface Reporter {
  /** Puts a report together, and sends it where that is worth it. */
  readonly report: (what: ReportBody, accepted: Accepted | null, when: ReportWhen) => void;
  /**
   * Says the last one again where a heartbeat is due, and how old what it read back is by now: no pass may end for long, as
   * on a disk that hangs, and nobody would be told. Called more often than that.
   */
  readonly beat: () => void;
  /** The controller keeps this one of this host, and refused a report of this start as older. */
  readonly hearBehind: (kept: ReportPlace) => void;
}

/**
 * Puts reports together and decides which are worth sending: what says something new at once; on the interval also
 * what still fails (each counts, R32) and a heartbeat.
 */
export function createReporter(options: ReporterOptions): Reporter {
  const { boot } = options;
  let sequence = boot.firstSequence;
  let behind: ReportPlace | null = null;
  let newest: Body | null = null;
  let last: { readonly trace: string; readonly atMs: number; readonly sequence: number } | null = null;
  const make = ({ what, accepted }: Body, nowMs: number): Report =>
    makeReport(options, { what, accepted, nowMs, sequence, ...(behind === null ? {} : { behind }) });
  const put = (made: Report, trace: string, nowMs: number): void => {
    last = { trace, atMs: nowMs, sequence: made.repeats ?? made.sequence };
    sequence += 1;
    options.put(made);
  };
  const isOld = (nowMs: number): boolean => last === null || Math.abs(nowMs - last.atMs) >= heartbeatMs;
  return {
    report(what, accepted, when) {
      newest = { what, accepted };
      const nowMs = options.nowMs();
      const made = make(newest, nowMs);
      const trace = traceOf(made);
      const isQuiet = what.outcome === "applied" || what.outcome === "none";
      const isDue = isOld(nowMs) || (when === "interval" && !isQuiet);
      if (last?.trace !== trace || isDue) put(made, trace, nowMs);
    },
    beat() {
      const nowMs = options.nowMs();
      if (newest === null || last === null || !isOld(nowMs)) return;
      const repeats = last.sequence;
      put({ ...make(newest, nowMs), repeats }, last.trace, nowMs);
    },
    hearBehind(kept) {
      behind = kept;
      // Of the start whose number this one shares, or of another that could not be written down either.
      if (boot.problem !== null && kept.boot === boot.boot) sequence = Math.max(sequence, kept.sequence + 1);
    },
  };
}

interface Body {
  readonly what: ReportBody;
  readonly accepted: Accepted | null;
}

interface Making extends Body {
  readonly nowMs: number;
  readonly sequence: number;
  readonly behind?: ReportPlace;
}

function makeReport(options: ReporterOptions, { what, accepted, nowMs, sequence, behind }: Making): Report {
  const { boot } = options;
  const lastWordMs = options.lastWordMs();
  const disks = (options.tightDisks?.() ?? []).slice(0, disksLimit);
  // No news by itself: the report that tells it may be refused for the same reason.
  const unread = options.unread?.() ?? null;
  const agoMs = what.readAtMs == null ? null : Math.max(0, Math.round(nowMs - what.readAtMs));
  return {
    schema: 1,
    ...pickNames(options.identity),
    has: orderOf(accepted),
    digest: accepted?.declaration.digest ?? null,
    boot: boot.boot,
    bootId: boot.bootId,
    sequence,
    ...(boot.problem === null ? {} : { unwritten: true as const }),
    ...(behind === undefined ? {} : { behind }),
    readBack: { agoMs, everyMs: options.intervalMs },
    at: new Date(nowMs).toISOString(),
    lastWordAt: lastWordMs === null ? null : new Date(lastWordMs).toISOString(),
    outcome: what.outcome,
    resources: [...fitReport(what.resources)].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    refusals: [...options.inbox.refusals],
    ...(disks.length === 0 ? {} : { disks }),
    ...(unread === null ? {} : { unread }),
  };
}

function pickNames({ mesh, node, incarnation }: ReporterOptions["identity"]): ReporterOptions["identity"] {
  return { mesh, node, incarnation };
}
