import type { ResourceReport } from "../../core/report.ts";

/** Drifts that are still said, by resource. */
export type RecentDrifts = ReadonlyMap<string, RecentDrift>;

interface RecentDrift {
  readonly drift: ResourceReport["drift"];
  /** Unix milliseconds; null: the resource is not right yet. */
  readonly mendedMs: number | null;
}

/**
 * Says a drift in every report until a whole interval has passed since it was mended, pure. A service that ended is
 * back within a moment: said only once, the next report would take the word away before anybody had read it (R44).
 */
export function sayRecentDrifts(
  reports: readonly ResourceReport[],
  earlier: RecentDrifts,
  nowMs: number,
  intervalMs: number,
): { readonly reports: readonly ResourceReport[]; readonly recent: RecentDrifts } {
  const recent = new Map<string, RecentDrift>();
  const said = reports.map((report) => {
    const known = earlier.get(report.id);
    const drift = report.drift ?? known?.drift;
    // What fails now is said as it is now.
    if (drift === undefined || (report.drift === undefined && isFailing(report))) return report;
    const mendedBefore = report.drift === undefined ? (known?.mendedMs ?? null) : null;
    // Not later than now: the clock may have been set back since.
    const mendedMs = report.state === "applied" ? Math.min(mendedBefore ?? nowMs, nowMs) : null;
    if (mendedMs !== null && nowMs - mendedMs >= intervalMs) return report;
    recent.set(report.id, { drift, mendedMs });
    return { ...report, drift };
  });
  return { reports: said, recent };
}

function isFailing({ state }: ResourceReport): boolean {
  return state === "failed" || state === "un-ready";
}
