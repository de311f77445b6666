import { UnavailableError } from "../../../src/core/errors.ts";
import { isSameLease, leaseAgeMs, nextEpoch, type Renewal } from "../../../src/decide/lease.ts";
import type { LeaseStore } from "../../../src/worker/lease-keeper.ts";
import type { Backend } from "./backend.ts";
import type { Road } from "./road.ts";

export function createLeaseTwin(backend: Backend, road: Road, holder: string): LeaseStore {
  return {
    read: () => road.call(() => backend.records.lease),
    async take(seen) {
      const taken = await road.throughGate(async () => {
        const now = backend.records.lease;
        if (!isSameLease(now, seen)) return null;
        const last = backend.records.grants.map((grant) => grant.epoch);
        const { epoch } = nextEpoch({
          mesh: backend.records.epoch,
          floor: backend.records.floor,
          lease: now?.epoch ?? null,
          grants: last.length === 0 ? null : Math.max(...last),
        });
        const fault = road.faults.call();
        if (fault === "refused") throw new UnavailableError("the grant was refused");
        const at = backend.nowIso();
        backend.records = {
          ...backend.records,
          epoch,
          floor: epoch,
          grants: [...backend.records.grants, { epoch, holder, grantedAt: at }],
          lease: {
            mesh: backend.records.mesh,
            holder,
            epoch,
            ageMs: leaseAgeMs,
            beat: (now?.beat ?? 0) + 1,
            takenAt: at,
            renewedAt: at,
          },
        };
        backend.tick();
        backend.onGrant({ epoch, holder });
        return { epoch, beat: (now?.beat ?? 0) + 1, fault };
      });
      await road.back();
      if (taken?.fault === "answer-lost") throw new UnavailableError("the connection broke after the grant");
      return taken === null ? null : { epoch: taken.epoch, beat: taken.beat };
    },
    renew: (epoch, { least, most }) =>
      road.write((draft): Renewal => {
        const known = draft.lease;
        if (known?.holder !== holder || known.epoch !== epoch) return { kind: "lost" };
        if (known.beat < least || known.beat > most) return { kind: "copied" };
        draft.lease = { ...known, beat: known.beat + 1, renewedAt: backend.nowIso() };
        return { kind: "renewed", beat: known.beat + 1 };
      }),
    release: (epoch) =>
      road.write((draft) => {
        const known = draft.lease;
        if (known?.holder !== holder || known.epoch !== epoch) return false;
        draft.lease = { ...known, holder: null, beat: known.beat + 1, renewedAt: backend.nowIso() };
        return true;
      }),
  };
}
