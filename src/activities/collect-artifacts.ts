import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describeArtifact } from "../build/artifact-manifest.ts";
import { createLeftLook, sweepBlobs } from "../build/sweep-artifact.ts";
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
 * files go, some artifacts at a time. Cut off in between, the next run goes on with what is marked.
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
  return { marked, ...(await sweepCollected(options)) };
}

/** So many under one lock and by one write of the index, which is as long as the store is large. */
const sweptTogether = 100;
/** Writers wait for the lock meanwhile, and ask for it again within 30 ms. */
const betweenSweepsMs = 100;

async function sweepCollected({ db, mesh, dir, graceMs }: CollectArtifacts): Promise<Omit<Collected, "marked">> {
  let [blobs, bytes] = [0, 0];
  const revived: ArtifactId[] = [];
  const left = await listLeft(dir, await listCollected(db, mesh));
  for (let at = 0; at < left.length; at += sweptTogether) {
    if (at > 0) await sleep(betweenSweepsMs);
    const some = left.slice(at, at + sweptTogether);
    let collected: readonly CollectedArtifact[] = [];
    const list = async (): Promise<readonly Digest[]> => {
      // What was packed again since it was listed is fit again, however old its files look by now.
      collected = await listCollected(db, mesh, some);
      return collected.flatMap(listBlobs);
    };
    const swept = await sweepBlobs({ dir, list, graceMs });
    const gone = new Set([...swept.removed, ...swept.absent]);
    const fresh = new Set(swept.fresh);
    const isSwept = new Set<string>();
    for (const one of collected) {
      const statements = one.statements.map(({ statement }) => statement).filter((statement) => gone.has(statement));
      if (statements.length > 0) await dropCollectedProvenance(db, mesh, one, statements);
      if (!listBlobs(one).some((blob) => fresh.has(blob))) isSwept.add(`${one.module}@${one.digest}`);
    }
    for (const { module, digest } of some) if (!isSwept.has(`${module}@${digest}`)) revived.push({ module, digest });
    blobs += swept.removed.length;
    bytes += swept.bytes;
  }
  return { blobs, bytes, revived };
}

/** Records stay for months after their files: what was swept before is left alone. */
async function listLeft(dir: string, collected: readonly CollectedArtifact[]): Promise<readonly CollectedArtifact[]> {
  const isLeft = await createLeftLook(dir);
  const left: CollectedArtifact[] = [];
  for (const one of collected) if (one.statements.length > 0 || (await isLeft(listBlobs(one)))) left.push(one);
  return left;
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
