import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { describeArtifact } from "../build/artifact-manifest.ts";
import { createLeftLook, sweepBlobs } from "../build/sweep-artifact.ts";
import { manifestSchema } from "../core/manifest.ts";
import type { Digest, Name } from "../core/names.ts";
import {
  planCollection,
  planCollectionAgain,
  type ArtifactId,
  type CollectionPlan,
} from "../decide/plan-collection.ts";
import {
  dropCollectedProvenance,
  listCollected,
  loadCollectionChanges,
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
  return planCollection(await readFacts(options));
}

async function readFacts({ db, mesh, graceMs, now }: Omit<CollectArtifacts, "dir">) {
  const facts = await inTransaction(db, { isolation: "repeatable read", access: "read only" }, (tx) =>
    loadCollectionFacts(tx, mesh),
  );
  return { ...facts, now: now().toISOString(), graceMs };
}

/**
 * Collects: first the records are marked, then the files go, some artifacts at a time. Cut off in between, the next run goes
 * on with what is marked. The plan reads every fit build that was ever kept, and is made while pushes go on; what it would take
 * is looked at again in the transaction that marks it, behind the gate's lock, and stays where something needs it by then.
 */
export async function collectArtifacts(options: CollectArtifacts): Promise<Collected> {
  const facts = await readFacts(options);
  const plan = planCollection(facts);
  const marked = plan.collect.length === 0 ? [] : await markUnneeded(options, facts, plan);
  return { marked, ...(await sweepCollected(options)) };
}

async function markUnneeded(
  { db, mesh, now }: CollectArtifacts,
  facts: Awaited<ReturnType<typeof readFacts>>,
  plan: CollectionPlan,
): Promise<readonly ArtifactId[]> {
  // A build that records an artifact meanwhile is in the way of the mark: it is looked at again with what that wrote.
  const limits = { isolation: "repeatable read", ...gateLimits, retryLimit: 5 } as const;
  return await inTransaction(db, limits, async (tx) => {
    await lockGate(tx);
    const later = await loadCollectionChanges(tx, mesh, { ids: plan.collect, since: facts.readAt });
    const collect = planCollectionAgain(facts, plan, { ...later, now: now().toISOString() });
    if (collect.length > 0) await markCollected(tx, mesh, collect);
    return collect;
  });
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
