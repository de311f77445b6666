import { createPushRecords, type PushRecords } from "../../src/activities/push-records.ts";
import { tellBatch, type TellDependencies } from "../../src/activities/tell.ts";
import { DeadEpochError } from "../../src/core/errors.ts";
import { sealDeclaration } from "../../src/link/declaration-envelope.ts";
import { generateSigningKey } from "../../src/link/keys.ts";
import { sealSecret } from "../../src/link/sealing.ts";
import { assign } from "../../src/store/assignments.ts";
import type { Database } from "../../src/store/database.ts";
import { readLease, takeLease } from "../../src/store/lease.ts";
import { inTransaction } from "../../src/store/transaction.ts";

/** One batch: until the activity's work was over, and how long of it everybody else waited at the gate. */
export interface TellSample {
  readonly ms: number;
  readonly gateMs: number;
}

/** A push that is open, whose nodes are to be told something else than they were. */
export interface Prepared {
  readonly push: string;
  readonly count: number;
}

/** One controller's `tell` in this process, under an epoch of its own or of another's. */
export interface Teller {
  /** Another content for each, and a push that names them: so that nothing but the telling is left. */
  prepare(nodes: readonly string[]): Promise<Prepared>;
  /** Rejects where not all of them were sent. */
  tell(prepared: Prepared): Promise<TellSample>;
  /** Asks for the gate under its epoch until told to stop; how often it was refused. */
  knock(stop: AbortSignal): Promise<number>;
}

/** A new grant: whatever is told under the epoch before it is refused from here on. */
export async function grantEpoch(db: Database, mesh: string): Promise<number> {
  const seen = await readLease(db, mesh);
  const taken = await takeLease(db, { mesh, holder: `bench/${process.pid}`, ageMs: 15_000, seen });
  if (taken === null) throw new Error("the lease moved under the benchmark");
  return taken.epoch;
}

export function createTeller(db: Database, mesh: string, epoch: number, name: string): Teller {
  const key = generateSigningKey();
  const gate = { ms: 0 };
  const records = timeGate(createPushRecords(db, mesh), gate);
  const deps: TellDependencies = {
    records,
    mesh,
    epoch,
    mayAct: () => true,
    signDeclaration: (declaration) => sealDeclaration(declaration, [key]),
    sealSecret,
    staleAfterMs: 86_400_000,
    nowMs: Date.now,
    makePassword: () => "no provider is in this mesh",
  };
  let pushes = 0;
  const nextPush = async (nodes: readonly string[]): Promise<string> => {
    const push = `${name}-${(pushes += 1)}`;
    await records.openPush({ id: push, kind: "named", named: [...nodes], requestedBy: "bench", why: "" });
    await records.recordTargets(
      { push, round: 0 },
      nodes.map((node) => ({ node, why: "named" })),
    );
    return push;
  };
  const requestOf = (push: string, count: number) => ({ mesh, push, round: 0, from: 0, count, confirmRemoval: false });
  return {
    async prepare(nodes) {
      const push = await nextPush(nodes);
      for (const node of nodes)
        await assign(db, mesh, { node, module: "notes", config: { text: push }, providers: {} });
      return { push, count: nodes.length };
    },
    async tell({ push, count }) {
      const from = performance.now();
      const { sent } = await tellBatch(deps, requestOf(push, count), new AbortController().signal);
      if (sent !== count) throw new Error(`${sent} of ${count} nodes were told`);
      return { ms: performance.now() - from, gateMs: gate.ms };
    },
    async knock(stop) {
      let refused = 0;
      while (!stop.aborted) {
        try {
          await records.passGate({ epoch, count: 1 }, () => Promise.reject(new Error("a dead epoch passed the gate")));
        } catch (error) {
          if (!(error instanceof DeadEpochError)) throw error;
          refused += 1;
        }
      }
      return refused;
    },
  };
}

/** From when the numbers are taken to when the commit was answered: so long nobody else passes. */
function timeGate(records: PushRecords, gate: { ms: number }): PushRecords {
  return {
    ...records,
    async passGate(request, fn) {
      let from = performance.now();
      const result = await records.passGate(request, (inside, numbers) => {
        from = performance.now();
        return fn(inside, numbers);
      });
      gate.ms = performance.now() - from;
      return result;
    },
  };
}

/** The floor: the rows of the last pushes again, by bare SQL in one transaction, into tables made alike. In ms. */
export async function insertSameRows(db: Database, push: string): Promise<number> {
  await db.query("create table if not exists floor_declaration (like declaration including all)");
  await db.query("create table if not exists floor_told (like told including all)");
  await db.query("truncate floor_declaration, floor_told");
  const from = performance.now();
  await inTransaction(db, { isolation: "read committed" }, async (tx) => {
    await tx.query("insert into floor_declaration select * from declaration where push = $1", [push]);
    await tx.query("insert into floor_told select * from told where push = $1", [push]);
  });
  return performance.now() - from;
}
