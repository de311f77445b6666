import { z } from "zod";
import type { Name } from "../core/names.ts";
import { describeStop, sayStopped, type StopReason } from "../decide/judge-claim.ts";
import { timeColumn } from "./columns.ts";
import { listClaims } from "./claims.ts";
import { clearCondition, observeCondition } from "./conditions.ts";
import type { Queryable } from "./database.ts";
import { maybeOne, run } from "./rows.ts";

const stopRowSchema = z.object({ since: timeColumn, reason: z.enum(["hosts-ahead", "restored"]) });

const restoreRowSchema = z.object({ at: timeColumn, takenAt: timeColumn });

/** Nothing is numbered or sent until a person recovers (R35). */
export interface Stop {
  readonly since: string;
  readonly reason: StopReason;
  /** A sentence. */
  readonly why: string;
}

/** Null: the mesh is not stopped. */
export async function readStop(db: Queryable, mesh: Name): Promise<Stop | null> {
  const row = await maybeOne(
    db,
    stopRowSchema,
    `select stopped_at as since, stopped_for as reason from mesh where name = $1 and stopped_at is not null`,
    [mesh],
  );
  if (row === null) return null;
  const claims = (await listClaims(db, mesh)).filter((claim) => !claim.isLeftOut);
  return { ...row, why: describeStop({ ...row, restored: await readLastRestore(db, mesh), claims }) };
}

/**
 * Stops the mesh; done again it keeps its beginning. Waits for a composition in flight, as everything does that changes
 * the gate's row: once this is committed, nothing is numbered. `above`: an order that a recovery may have gone above
 * while this waited, and then nothing is stopped.
 */
export async function stopMesh(
  db: Queryable,
  mesh: Name,
  stop: { readonly reason: StopReason; readonly above: { readonly epoch: number; readonly number: number } },
): Promise<void> {
  const stopped = await run(
    db,
    `update mesh set stopped_at = coalesce(stopped_at, now()), stopped_for = coalesce(stopped_for, $2)
      where name = $1 and not exists (
        select from recovery r where r.mesh = $1 and (r.epoch, r.number) >= ($3::bigint, $4::bigint))`,
    [mesh, stop.reason, stop.above.epoch, stop.above.number],
  );
  if (stopped === 0) return;
  const now = await readStop(db, mesh);
  if (now !== null) await noteStopped(db, mesh, now);
}

/** The condition that a person sees, with the newest words of it. */
export async function noteStopped(db: Queryable, mesh: Name, stop: Stop): Promise<void> {
  await observeCondition(db, mesh, {
    ...stopCondition(mesh),
    message: sayStopped(mesh, stop.why),
    remedy: "mesh recover shows what each host has, and with --yes goes on above it",
    urgent: true,
  });
}

export async function unnoteStopped(db: Queryable, mesh: Name): Promise<void> {
  await clearCondition(db, mesh, stopCondition(mesh));
}

function stopCondition(mesh: Name): { readonly code: string; readonly subject: string } {
  return { code: "mesh-stopped", subject: `mesh/${mesh}` };
}

function readLastRestore(db: Queryable, mesh: Name): Promise<z.output<typeof restoreRowSchema> | null> {
  return maybeOne(
    db,
    restoreRowSchema,
    `select restored_at as at, taken_at as "takenAt" from restore where mesh = $1 order by restored_at desc limit 1`,
    [mesh],
  );
}
