import pg from "pg";
import { z } from "zod";
import type { Account, Grant, LeaseSeen } from "./history.ts";
import { grantsInOrder } from "./read-records.ts";

export interface Recorder {
  /** Also those that somebody has deleted since. */
  readonly grants: readonly Grant[];
  readonly leases: readonly LeaseSeen[];
  readonly accounts: readonly Account[];
  stop(): Promise<void>;
}

/** Seen often enough that no renewal (every 5 s) and no grant (15 s apart) is missed. */
const lookEveryMs = 200;

const leaseSchema = z.object({ holder: z.string().nullable(), epoch: z.number(), beat: z.number() });
const accountSchema = z.object({
  node: z.string(),
  incarnation: z.string(),
  epoch: z.number(),
  number: z.number(),
  boot: z.number(),
  sequence: z.number(),
  outcome: z.string(),
});

/** Watches what the records only keep the last of, from a process that is under no fault. */
export function startRecorder(url: () => string): Recorder {
  const grants = new Map<string, Grant>();
  const leases: LeaseSeen[] = [];
  const accounts: Account[] = [];
  let client: pg.Client | null = null;
  const stopped = new AbortController();

  async function look(open: pg.Client): Promise<void> {
    for (const grant of (await open.query<Grant>(grantsInOrder)).rows) {
      const key = `${grant.epoch} ${grant.holder}`;
      // A row that is changed later says when that was committed: the first look counts.
      if (!grants.has(key)) grants.set(key, grant);
    }
    const found = await open.query("select holder, epoch::int, beat::int from lease");
    const lease = z.array(leaseSchema).parse(found.rows)[0];
    const last = leases.at(-1);
    if (lease !== undefined && (last === undefined || last.epoch !== lease.epoch || last.beat !== lease.beat))
      leases.push({ ...lease, atMs: Date.now() });
    const rows = await open.query(
      `select node, incarnation, coalesce(epoch, 0)::int as epoch, coalesce(number, 0)::int as number, boot::int,
              sequence::int, outcome from account`,
    );
    for (const account of z.array(accountSchema).parse(rows.rows)) {
      const known = accounts.findLast(({ node }) => node === account.node);
      if (JSON.stringify(known) !== JSON.stringify(account)) accounts.push(account);
    }
  }

  const running = (async () => {
    while (!stopped.signal.aborted) {
      try {
        if (client === null) {
          const fresh = new pg.Client({
            connectionString: url(),
            connectionTimeoutMillis: 2_000,
            query_timeout: 5_000,
          });
          fresh.on("error", () => undefined);
          await fresh.connect();
          client = fresh;
        }
        await look(client);
      } catch {
        // absence is the answer: the records are away, by a fault of this very run; they are looked at again.
        await client?.end().catch(() => undefined);
        client = null;
      }
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  })();

  return {
    get grants() {
      return [...grants.values()].toSorted((a, b) => a.committedAt - b.committedAt);
    },
    leases,
    accounts,
    async stop() {
      stopped.abort();
      await running;
      await client?.end().catch(() => undefined);
    },
  };
}

/** The longest time in which no beat of any holder was seen, and the sum of those beyond the age of a lease. */
export function measureWithoutHolder(
  leases: readonly LeaseSeen[],
  ageMs: number,
): { longestMs: number; sumMs: number } {
  let longestMs = 0;
  let sumMs = 0;
  leases.forEach((lease, at) => {
    const next = leases[at + 1];
    if (next === undefined || next.epoch === lease.epoch) return;
    // What was given back is without a holder at once; else until its age is over somebody holds it.
    const from = lease.atMs + (lease.holder === null ? 0 : ageMs);
    const withoutMs = Math.max(0, next.atMs - from);
    longestMs = Math.max(longestMs, withoutMs);
    sumMs += withoutMs;
  });
  return { longestMs, sumMs };
}
