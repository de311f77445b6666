/**
 * The rules of the lease and of epochs (R34–R36), apart from clocks and records: the lease keeper and the records use
 * them, and so do the exhaustive search and the simulator.
 */

/** The record as a candidate saw it last; null: it saw that there was none. */
export type SeenLease = { readonly holder: string | null; readonly epoch: number; readonly beat: number } | null;

/** `beat` rises with every change: no times are compared. */
export function isSameLease(a: SeenLease, b: SeenLease): boolean {
  if (a === null || b === null) return a === b;
  return a.holder === b.holder && a.epoch === b.epoch && a.beat === b.beat;
}

/**
 * May a candidate ask for the lease? Where it is held, only after it has not moved for its whole age, by the candidate's
 * own monotonic clock; the age is the record's, not the reader's setting.
 */
export function mayTakeLease(
  seen: (NonNullable<SeenLease> & { readonly ageMs: number }) | null,
  unchangedMs: number,
): boolean {
  return seen === null || seen.holder === null || unchangedMs >= seen.ageMs;
}

/**
 * Which beats the record may have if nobody but this process renewed it: that of the last renewal that was answered, and one
 * more for each whose answer was lost. Another one is somebody else's, with this one's name and epoch: a copy of it.
 */
export interface ExpectedBeats {
  readonly least: number;
  readonly most: number;
}

export type Renewal =
  | { readonly kind: "renewed"; readonly beat: number }
  /** Somebody else has it, or nobody. */
  | { readonly kind: "lost" }
  /** It is this process's by name and epoch, and another one renewed it. */
  | { readonly kind: "copied" };

export interface ClockReading {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** The age of a lease, and how long before its end the holder stops acting. */
export const leaseAgeMs = 15_000;
export const leaseMarginMs = 3_000;

/** When the holder stops acting, by both clocks: counted from before the request was sent. */
export function leaseDeadline(askedAt: ClockReading): ClockReading {
  const forMs = leaseAgeMs - leaseMarginMs;
  return { monotonicMs: askedAt.monotonicMs + forMs, wallMs: askedAt.wallMs + forMs };
}

/** False as soon as either clock says that the lease may have run out. */
export function mayAct(deadline: ClockReading, now: ClockReading): boolean {
  return now.monotonicMs < deadline.monotonicMs && now.wallMs < deadline.wallMs;
}

/** What each place still knows of the epochs granted so far; null: it knows nothing. */
export interface KnownEpochs {
  readonly mesh: number;
  readonly floor: number;
  readonly lease: number | null;
  readonly grants: number | null;
}

/** Above everything that was ever granted, whichever of the places still knows it; `lost` names those that did not (R35). */
export function nextEpoch(known: KnownEpochs): { readonly epoch: number; readonly lost: string | null } {
  const before = Math.max(known.mesh, known.floor);
  const last = Math.max(before, known.lease ?? 0, known.grants ?? 0);
  const lost = [
    ...(before < last ? ["the mesh's own epoch"] : []),
    ...((known.lease ?? 0) < last ? ["the lease"] : []),
    ...((known.grants ?? 0) < last ? ["the list of grants"] : []),
  ];
  return { epoch: last + 1, lost: lost.length === 0 ? null : lost.join(" and ") };
}
