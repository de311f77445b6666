/** What builds leave behind, beside artifacts. */
export interface Leftover {
  /** `unnamed`: a blob of the artifact store that no record and no entry of its index names. */
  readonly kind: "log" | "unnamed" | "package" | "clone" | "work";
  /** Of a log and of what is unnamed the digest; else the path. */
  readonly name: string;
  readonly bytes: number;
  /** When it was last used, or written. */
  readonly usedAtMs: number;
  /** Why it is needed now, as a phrase; null: it is not. */
  readonly neededFor: string | null;
}

export interface LeftoverBounds {
  readonly logDays: number;
  /** Of all logs together. */
  readonly logBytes: number;
  readonly cacheDays: number;
  /** Of all third-party packages together. */
  readonly cacheBytes: number;
}

const gibibyte = 1024 ** 3;

export const leftoverBounds: LeftoverBounds = {
  logDays: 30,
  logBytes: gibibyte,
  cacheDays: 30,
  cacheBytes: 20 * gibibyte,
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A build has ended by then, whatever its limits: what it uses was used later than so long ago. */
export const leftoverGraceMs = 6 * hourMs;

export interface LeftoverPlan {
  readonly remove: readonly (Leftover & { readonly why: string })[];
  readonly keep: readonly Leftover[];
}

/** What may go, and why; by age first, then by bytes, what was used longest ago first. Each is in one of the two lists. */
export function planLeftovers(
  leftovers: readonly Leftover[],
  given: Partial<LeftoverBounds>,
  nowMs: number,
): LeftoverPlan {
  const bounds = { ...leftoverBounds, ...given };
  const why = new Map<Leftover, string>();
  const mayGo = (one: Leftover): boolean => one.neededFor === null && nowMs - one.usedAtMs >= leftoverGraceMs;
  for (const one of leftovers) {
    const reason = mayGo(one) ? sayAge(one, nowMs - one.usedAtMs, bounds) : null;
    if (reason !== null) why.set(one, reason);
  }
  for (const [kind, limit, what] of [
    ["log", bounds.logBytes, "logs"],
    ["package", bounds.cacheBytes, "third-party packages"],
  ] as const) {
    const left = leftovers.filter((one) => one.kind === kind && !why.has(one));
    let bytes = left.reduce((sum, one) => sum + one.bytes, 0);
    for (const one of left.filter(mayGo).toSorted((a, b) => a.usedAtMs - b.usedAtMs)) {
      if (bytes <= limit) break;
      why.set(one, `${what} take more than ${limit} bytes, and it was used longest ago`);
      bytes -= one.bytes;
    }
  }
  return {
    remove: leftovers.flatMap((one) => {
      const reason = why.get(one);
      return reason === undefined ? [] : [{ ...one, why: reason }];
    }),
    keep: leftovers.filter((one) => !why.has(one)),
  };
}

/** Null: it is not too old for what it is. */
function sayAge({ kind }: Leftover, ageMs: number, { logDays, cacheDays }: LeftoverBounds): string | null {
  switch (kind) {
    case "log":
      return ageMs >= logDays * dayMs ? `it is older than ${logDays} days, and a newer build is shown` : null;
    case "package":
      return ageMs >= cacheDays * dayMs ? `no build used it for ${cacheDays} days` : null;
    case "unnamed":
      return ageMs >= dayMs ? "no record names it" : null;
    case "clone":
      return ageMs >= dayMs ? "no repository is registered under its name and address" : null;
    case "work":
      return "the build that made it was killed";
  }
}
