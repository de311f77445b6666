import type { Report, ReportPlace } from "../../core/report.ts";
import type { TightDisk } from "../../core/tight-disk.ts";
import type { HostIdentity } from "../host-identity.ts";
import type { Boot } from "../state/boot.ts";
import type { ReportBody, ReportWhen } from "./apply-loop.ts";
import type { Accepted } from "./check-envelope.ts";
import { fitReport } from "./fit-report.ts";
import { orderOf, type Inbox } from "./inbox.ts";
import { traceOf } from "./report-outcome.ts";

/** A host that has nothing new to say says so, this often. */
const heartbeatMs = 60_000;
/** As many as a report may name. */
const disksLimit = 8;

export interface ReporterOptions {
  readonly identity: Pick<HostIdentity, "mesh" | "node" | "incarnation">;
  readonly boot: Boot;
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
  let last: { readonly trace: string; readonly atMs: number } | null = null;
  let behind: ReportPlace | null = null;
  const report: Reporter["report"] = (what, accepted, when) => {
    const nowMs = options.nowMs();
    const lastWordMs = options.lastWordMs();
    const disks = (options.tightDisks?.() ?? []).slice(0, disksLimit);
    // No news by itself: the report that tells it may be refused for the same reason.
    const unread = options.unread?.() ?? null;
    const made: Report = {
      schema: 1,
      ...pickNames(options.identity),
      has: orderOf(accepted),
      digest: accepted?.declaration.digest ?? null,
      boot: boot.boot,
      bootId: boot.bootId,
      sequence,
      ...(boot.problem === null ? {} : { unwritten: true as const }),
      ...(behind === null ? {} : { behind }),
      at: new Date(nowMs).toISOString(),
      lastWordAt: lastWordMs === null ? null : new Date(lastWordMs).toISOString(),
      outcome: what.outcome,
      resources: [...fitReport(what.resources)].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      refusals: [...options.inbox.refusals],
      ...(disks.length === 0 ? {} : { disks }),
      ...(unread === null ? {} : { unread }),
    };
    const trace = traceOf(made);
    const isQuiet = what.outcome === "applied" || what.outcome === "none";
    const isDue = last === null || Math.abs(nowMs - last.atMs) >= heartbeatMs || (when === "interval" && !isQuiet);
    if (last?.trace === trace && !isDue) return;
    last = { trace, atMs: nowMs };
    sequence += 1;
    options.put(made);
  };
  return {
    report,
    hearBehind(kept) {
      behind = kept;
      // Of the start whose number this one shares, or of another that could not be written down either.
      if (boot.problem !== null && kept.boot === boot.boot) sequence = Math.max(sequence, kept.sequence + 1);
    },
  };
}

function pickNames({ mesh, node, incarnation }: ReporterOptions["identity"]): ReporterOptions["identity"] {
  return { mesh, node, incarnation };
}
