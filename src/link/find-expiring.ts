import { keyIdOf } from "./keys.ts";
import { rootRoleSchema, type Root, type RootKey, type RootRole } from "./root.ts";

const dayMs = 86_400_000;
/** Long enough to bring the holders of root keys together. */
export const warnDays = 30;
const urgentDays = 7;

/** Something that ends soon, and with it what the mesh can do. */
export interface Expiring {
  /** Stable as long as it is the same thing: `declaration keys of root 3`. */
  readonly subject: string;
  readonly message: string;
  readonly remedy: string;
  readonly urgent: boolean;
  /** Below zero: over. */
  readonly daysLeft: number;
}

/** What gives a root a later end and leaves everything else as it is. */
export const renewRoot = "mesh keys rotate root --keep all --root-keys 0 --expires-days 365";

const consequences: Readonly<Record<RootRole, string>> = {
  declaration: "hosts accept no new declaration",
  provenance: "nothing says any more how an artifact was built",
  root: "they sign no document that puts a host's mark back (the next root they still sign)",
};

/** As many root keys as there are: their threshold goes on. */
function remedyOf(role: RootRole, count: number): string {
  return role === "root" ? `mesh keys rotate root --root-keys ${count}` : `mesh keys rotate ${role}`;
}

/**
 * The roles for which, within the bound, not enough keys are good any more (one; of root keys the threshold), and the
 * root's own end. A key that ends while another of its role goes on is no trouble: that is what rotating does.
 */
export function findExpiring(root: Root, nowMs: number): Expiring[] {
  const found: Expiring[] = [];
  for (const role of rootRoleSchema.options) {
    const keys = root.keys.filter(({ roles }) => roles.includes(role));
    if (keys.length === 0) continue;
    const last = lastEnd(keys, role === "root" ? root.threshold : 1);
    const what = consequences[role];
    const remedy = remedyOf(role, keys.length);
    const ids = keys.map(({ publicKey }) => keyIdOf(publicKey)).join(", ");
    const subject = `${role} keys of root ${root.version}`;
    found.push(...sayEnd({ subject, atMs: last, nowMs, remedy, what, which: `the last ${role} key (of ${ids})` }));
  }
  if (root.expiresAt !== undefined) {
    const atMs = Date.parse(root.expiresAt);
    const what = "hosts accept nothing but its successor";
    const subject = `root ${root.version}`;
    found.push(...sayEnd({ subject, atMs, nowMs, remedy: renewRoot, what, which: subject }));
  }
  return found;
}

/** When fewer than `needed` of these keys are left. */
function lastEnd(keys: readonly RootKey[], needed: number): number {
  const ends = keys.map(({ notAfter }) => Date.parse(notAfter)).toSorted((a, b) => b - a);
  return ends[needed - 1] ?? Number.NEGATIVE_INFINITY;
}

function sayEnd(end: {
  readonly subject: string;
  readonly atMs: number;
  readonly nowMs: number;
  readonly remedy: string;
  readonly what: string;
  readonly which: string;
}): Expiring[] {
  const leftMs = end.atMs - end.nowMs;
  if (leftMs > warnDays * dayMs) return [];
  const daysLeft = Math.floor(leftMs / dayMs);
  const when = leftMs < 0 ? "has ended" : `ends at ${new Date(end.atMs).toISOString()}`;
  const message = `${end.which} ${when}: from then on ${end.what}`;
  return [{ subject: end.subject, message, remedy: end.remedy, urgent: daysLeft < urgentDays, daysLeft }];
}
