/**
 * Milliseconds since 1970 of an ISO 8601 time in UTC, as `Date#toISOString` prints it. By arithmetic, because there is
 * no `Date` in these folders; however fine, as a host may write it. Throws on anything else: a time that cannot be read is not an age of zero.
 */
export function timeMs(iso: string): number {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?Z$/.exec(iso);
  if (match === null) throw new TypeError(`not a time in UTC: ${JSON.stringify(iso)}`);
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const fraction = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  return (((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction;
}

/** How long ago `then` was at `now`, in milliseconds; never negative, because clocks of two machines differ. */
export function ageMs(now: string, then: string): number {
  return Math.max(0, timeMs(now) - timeMs(then));
}

/** `4 s`, `12 min`, `3 h 20 min`, `5 d`. */
export function describeAge(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}

/** Days from 1970-01-01 of a date of our calendar: years that begin in March, so that leap days come last. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}
