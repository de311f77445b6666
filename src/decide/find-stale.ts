import { heartbeatMs, type Report } from "../core/report.ts";
import { ageMs, describeAge, timeMs } from "./ages.ts";

export interface KnownReport {
  readonly receivedAt: string;
  readonly readBack?: Report["readBack"];
  readonly readBackAt?: string;
  readonly reverted?: { readonly heardAt: string } | null | undefined;
}

/** Why what an account says is no knowledge of how it is now, and since when that is so (ISO; null: not known). */
export interface Stale {
  readonly since: string | null;
  readonly why: string;
}

/** When what the host said was so. */
export function saidAt({ receivedAt, readBackAt, reverted }: KnownReport): string {
  return reverted?.heardAt ?? readBackAt ?? receivedAt;
}

/**
 * A host that asks for what is newer may still say nothing of what it has: no pass of it ends (a disk that hangs), or its
 * controller cannot read its reports. A heartbeat comes whatever a pass is at, and says how old the last look at everything
 * is. Null also for a host of before, whose heartbeat waits for its passes: it is known by being heard alone.
 */
export function findStale(account: KnownReport, now: string, silentAfterMs: number): Stale | null {
  const { readBack, readBackAt, receivedAt, reverted } = account;
  if (readBack === undefined) return null;
  const limitMs = heartbeatMs + silentAfterMs;
  const heardAt = reverted?.heardAt ?? receivedAt;
  if (timeMs(heardAt) - timeMs(now) > limitMs) {
    const why = `the last report of its host is of ${heardAt}, which is still to come: the records' clock was set back since`;
    return { since: null, why };
  }
  const unheardMs = ageMs(now, heardAt);
  if (unheardMs > limitMs) {
    const why = `its host is heard, and no report of it was kept for ${describeAge(unheardMs)}: see the log of the host`;
    return { since: heardAt, why };
  }
  if (reverted || readBack.agoMs === null || readBackAt === undefined) return null;
  const unreadMs = ageMs(now, readBackAt);
  if (unreadMs <= limitMs + readBack.everyMs) return null;
  const why = `its host has not read back what it has for ${describeAge(unreadMs)}: a look at it does not end, see the log of the host`;
  return { since: readBackAt, why };
}
