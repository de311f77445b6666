import { createHash } from "node:crypto";
import { describeArtifact } from "../build/artifact-manifest.ts";
import { sweepArtifact } from "../build/sweep-artifact.ts";
import { manifestSchema } from "../core/manifest.ts";
import type { Digest, Name } from "../core/names.ts";
import { planCollection, type ArtifactId, type CollectionPlan } from "../decide/plan-collection.ts";
import {
  dropCollectedProvenance,
  listCollected,
  loadCollectionFacts,
  markCollected,
  type CollectedArtifact,
} from "../store/collection.ts";
import type { Database } from "../store/database.ts";
import { gateLimits, lockGate } from "../store/gate.ts";
import { inTransaction } from "../store/transaction.ts";

export interface CollectArtifacts {
  readonly db: Database;
  readonly mesh: Name;
  /** Of the artifact store. */
  readonly dir: string;
  readonly graceMs: number;
  readonly now: () => Date;
}

export interface Collected {
  readonly marked: readonly ArtifactId[];
  readonly blobs: number;
  readonly bytes: number;
  /** Artifacts that were packed again while this ran: they stay. */
  readonly revived: readonly ArtifactId[];
}

/** What a collection now would take, and why the rest stays. Changes nothing. */
export async function planCollectionNow(options: Omit<CollectArtifacts, "dir">): Promise<CollectionPlan> {
  const { db, mesh, graceMs } = options;
  return await inTransaction(db, { isolation: "repeatable read", access: "read only" }, async (tx) =>
    planCollection({ ...(await loadCollectionFacts(tx, mesh)), now: options.now().toISOString(), graceMs }),
  );
}

/**
 * Collects: first the records are marked, in one transaction behind the gate's lock, by a plan made inside it; then the
 * files go, one artifact after the other. Cut off in between, the next run goes on with what is marked.
 */
export async function collectArtifacts(options: CollectArtifacts): Promise<Collected> {
  const { db, mesh, graceMs } = options;
  // A build that records an artifact meanwhile is in the way of the mark: the plan is made again with what it wrote.
  const limits = { isolation: "repeatable read", ...gateLimits, retryLimit: 5 } as const;
  const marked = await inTransaction(db, limits, async (tx) => {
    await lockGate(tx);
    const facts = await loadCollectionFacts(tx, mesh);
    const plan = planCollection({ ...facts, now: options.now().toISOString(), graceMs });
    if (plan.collect.length > 0) await markCollected(tx, mesh, plan.collect);
    return plan.collect;
  });
  let [blobs, bytes] = [0, 0];
  const revived: ArtifactId[] = [];
  for (const one of await listCollected(db, mesh)) {
    const swept = await sweepArtifact({ dir: options.dir, blobs: listBlobs(one), graceMs });
    const gone = new Set(swept.removed);
    const statements = one.statements.map(({ statement }) => statement).filter((statement) => gone.has(statement));
    if (statements.length > 0) await dropCollectedProvenance(db, mesh, one, statements);
    if (swept.fresh.length > 0) revived.push({ module: one.module, digest: one.digest });
    blobs += swept.removed.length;
    bytes += swept.bytes;
  }
  return { marked, blobs, bytes, revived };
}

/** Everything in the store that is there because of one artifact, what it shares with a kept one left out. */
function listBlobs(one: CollectedArtifact): Digest[] {
  const { module, digest, blob, files } = one;
  const parts = describeArtifact(
    { module, digest, blob, blobBytes: one.blobBytes, files },
    manifestSchema.parse(one.manifest),
  );
  const config: Digest = `sha256:${createHash("sha256").update(parts.config, "utf8").digest("hex")}`;
  return [
    ...one.statements.flatMap(({ statement, referrer }) => [referrer, statement]),
    parts.entry.digest,
    config,
    ...(one.shared ? [] : [blob]),
  ];
}
