import { isSameLease, mayTakeLease, nextEpoch, type SeenLease } from "../../src/decide/lease.ts";

/** What the records hold of the lease and of numbers. */
export interface ModelStore {
  readonly epoch: number;
  readonly floor: number;
  readonly number: number;
  readonly lease: SeenLease;
  /** The highest epoch in the list of grants; null: the list is empty. */
  readonly grants: number | null;
}

export const emptyStore: ModelStore = { epoch: 0, floor: 0, number: 0, lease: null, grants: null };

/** `takeLease`: null where the record is no longer what the candidate saw. `keepsFloor` is false in a wrong design only. */
export function takeLease(
  store: ModelStore,
  holder: string,
  seen: SeenLease,
  keepsFloor: boolean,
): { readonly store: ModelStore; readonly epoch: number } | null {
  if (!isSameLease(store.lease, seen)) return null;
  const known = keepsFloor
    ? { mesh: store.epoch, floor: store.floor }
    : // Without a floor, only the lease and the list of grants know what was granted.
      { mesh: 0, floor: 0 };
  const { epoch } = nextEpoch({ ...known, lease: store.lease?.epoch ?? null, grants: store.grants });
  const lease = { holder, epoch, beat: (store.lease?.beat ?? 0) + 1 };
  return { store: { ...store, epoch, floor: epoch, lease, grants: Math.max(epoch, store.grants ?? 0) }, epoch };
}

/** May this candidate ask: nobody holds it as far as it sees, or the holder was silent for the whole age. */
export function mayAsk(store: ModelStore, hasBeenSilent: boolean): boolean {
  const record = store.lease === null ? null : { ...store.lease, ageMs: 1 };
  return mayTakeLease(record, hasBeenSilent ? 1 : 0);
}

/** The gate: the number is taken, or nothing is where the epoch is over. `testsEpoch` is false in a wrong design only. */
export function passGate(
  store: ModelStore,
  epoch: number,
  testsEpoch: boolean,
): { readonly store: ModelStore; readonly number: number } | null {
  if (testsEpoch && (store.epoch !== epoch || epoch === 0)) return null;
  return { store: { ...store, number: store.number + 1 }, number: store.number + 1 };
}

export function emptyLease(store: ModelStore): ModelStore {
  return { ...store, lease: null };
}

export function emptyGrants(store: ModelStore): ModelStore {
  return { ...store, grants: null };
}
