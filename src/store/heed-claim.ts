import type { Name } from "../core/names.ts";
import { judgeClaim, type Claim, type ClaimJudgement } from "../decide/judge-claim.ts";
import { readClaimFacts, writeClaim } from "./claims.ts";
import type { Database, Queryable } from "./database.ts";
import { stopMesh } from "./stop.ts";
import { inTransaction } from "./transaction.ts";

/** Judges what a host says that it has. What these records never sent is kept, and stops the mesh where it counts (R35). */
export async function heedClaim(tx: Queryable, mesh: Name, claim: Claim): Promise<ClaimJudgement> {
  const first = judgeClaim(claim, await readClaimFacts(tx, mesh, claim));
  if (first.kind === "known") return first;
  await writeClaim(tx, mesh, claim, first.kind);
  // Judged again now that the row is ours: a recovery may have left this host out while that waited for it.
  const judged = judgeClaim(claim, await readClaimFacts(tx, mesh, claim));
  if (judged.kind !== "known" && judged.stops) await stopMesh(tx, mesh, { reason: "hosts-ahead", above: claim.order });
  return judged;
}

/** The same, in a transaction of its own. */
export function keepClaim(db: Database, mesh: Name, claim: Claim): Promise<ClaimJudgement> {
  return inTransaction(db, { isolation: "read committed" }, (tx) => heedClaim(tx, mesh, claim));
}
