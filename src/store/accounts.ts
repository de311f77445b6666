import { z } from "zod";
import { digestSchema, nameSchema, timestampSchema, type Digest, type Name } from "../core/names.ts";
import type { Order } from "../core/declaration.ts";
import { reportSchema, type Report, type UnorderedReport } from "../core/report.ts";
import type { ReportDecision, ReportFacts } from "../decide/judge-report.ts";
import type { Reversion } from "../decide/judge-reversion.ts";
import type { UnorderedDecision, UnorderedFacts } from "../decide/judge-unordered.ts";
import type { FailureTrack } from "../decide/track-failures.ts";
import { settleClaim } from "./claims.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Database, Queryable, Transaction } from "./database.ts";
import { heedClaim } from "./heed-claim.ts";
import { newestDeclaration } from "./declarations.ts";
import { readPruned } from "./prune/read-pruned.ts";
import { getAccountToJudge } from "./read-accounts.ts";
import type { ReadRows } from "./row-memory.ts";
import { many, maybeOne, one, run } from "./rows.ts";
import { noteSecondWriter } from "./second-writer.ts";
import { storableJson } from "./storable.ts";
import { inTransaction } from "./transaction.ts";

/**
 * Reads, decides and writes about one report in one transaction that holds the node's row (R38, case 39). What is
 * neither kept nor a duplicate is counted as refused. `decide` must be pure.
 */
export function keepAccount(
  db: Database,
  mesh: Name,
  report: Report,
  decide: (facts: ReportFacts) => ReportDecision,
): Promise<ReportDecision> {
  const kept = reportSchema.parse(report);
  return inTransaction(db, { isolation: "read committed" }, async (tx) => {
    const node = await lockNode(tx, mesh, kept.node);
    const sentDigest = await findSentDigest(tx, mesh, kept);
    const account = await getAccountToJudge(tx, mesh, kept.node);
    const facts: ReportFacts = {
      account,
      incarnation: node?.incarnation ?? null,
      sentDigest,
      // Nearly always the declaration is there, and nobody needs to know.
      pruned: sentDigest === null ? await readPruned(tx, mesh, kept.node) : null,
      receivedAt: node?.now ?? kept.at,
    };
    const decision = decide(facts);
    if (decision.kind === "kept") {
      await writeAccount(tx, mesh, kept, decision.track, facts.receivedAt);
      const isSameHost = account?.incarnation === kept.incarnation;
      await noteSecondWriter(tx, mesh, kept, isSameHost ? (account.report?.refusals ?? null) : null);
    } else if (decision.kind !== "duplicate") await countRefused(tx, mesh, kept.node);
    if (decision.kind === "older" && decision.reversion)
      await noteReversion(tx, mesh, kept.node, decision.reversion, facts.receivedAt);
    if (kept.has !== null) await heedWhatItHas(tx, mesh, kept, kept.has, decision);
    return decision;
  });
}

/** What these records never sent is refused as an account, and kept as a claim: the mesh stops on it (R35). */
async function heedWhatItHas(
  tx: Transaction,
  mesh: Name,
  { node, incarnation, digest }: Report,
  has: Order,
  decision: ReportDecision,
): Promise<void> {
  if (decision.kind === "kept") await settleClaim(tx, mesh, node, has);
  if (decision.kind === "unknown-declaration") await heedClaim(tx, mesh, { node, incarnation, order: has, digest });
}

/** The same for the report of a host that does not speak ordering (R37): it is judged by what the node was last sent. */
export function keepUnorderedAccount(
  db: Database,
  mesh: Name,
  report: UnorderedReport,
  decide: (facts: UnorderedFacts) => UnorderedDecision,
): Promise<UnorderedDecision> {
  return inTransaction(db, { isolation: "read committed" }, async (tx) => {
    const node = await lockNode(tx, mesh, report.node);
    const facts: UnorderedFacts = {
      account: await getAccountToJudge(tx, mesh, report.node),
      incarnation: node?.incarnation ?? null,
      lastSent: await newestDeclaration(tx, mesh, report.node),
      receivedAt: node?.now ?? report.at,
    };
    const decision = decide(facts);
    if (decision.kind === "kept") await writeAccount(tx, mesh, decision.report, decision.track, facts.receivedAt);
    else await countRefused(tx, mesh, report.node);
    return decision;
  });
}

function lockNode(
  tx: Transaction,
  mesh: Name,
  node: Name,
): Promise<{ incarnation: string | null; now: string } | null> {
  return maybeOne(
    tx,
    z.object({ incarnation: z.string().nullable(), now: timeColumn.pipe(timestampSchema) }),
    // clock_timestamp(): now() is when the transaction began, before it waited for the row.
    `select incarnation, clock_timestamp() as now from node where mesh = $1 and name = $2 for no key update`,
    [mesh, node],
  );
}

async function findSentDigest(tx: Transaction, mesh: Name, report: Report): Promise<Digest | null> {
  if (report.has === null) return null;
  const sent = await maybeOne(
    tx,
    z.object({ digest: digestSchema }),
    `select digest from declaration where mesh = $1 and node = $2 and epoch = $3 and number = $4`,
    [mesh, report.node, report.has.epoch, report.has.number],
  );
  return sent?.digest ?? null;
}

async function writeAccount(
  tx: Transaction,
  mesh: Name,
  report: Report,
  track: FailureTrack,
  receivedAt: string,
): Promise<void> {
  await one(
    tx,
    z.object({ node: nameSchema }),
    `insert into account (mesh, node, incarnation, epoch, number, boot, sequence, digest, outcome, report, received_at,
                          failing, failing_since, failing_count, no_success_since, no_success_count, applied_since)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     on conflict (mesh, node) do update set incarnation = excluded.incarnation, epoch = excluded.epoch,
       number = excluded.number, boot = excluded.boot, sequence = excluded.sequence, digest = excluded.digest,
       outcome = excluded.outcome, report = excluded.report, received_at = excluded.received_at,
       failing = excluded.failing, failing_since = excluded.failing_since, failing_count = excluded.failing_count,
       no_success_since = excluded.no_success_since, no_success_count = excluded.no_success_count,
       applied_since = excluded.applied_since, reverted = null, reverted_heard_at = null
     returning node`,
    [
      mesh,
      report.node,
      report.incarnation,
      report.has?.epoch ?? 0,
      report.has?.number ?? 0,
      report.boot,
      report.sequence,
      report.digest,
      report.outcome,
      storableJson(report),
      receivedAt,
      storableJson(track.failing),
      track.failingSince,
      track.failingCount,
      track.noSuccessSince,
      track.noSuccessCount,
      track.appliedSince,
    ],
  );
}

/** Beside the account, which keeps its order. Said since the first such report, in the words of the newest. */
function noteReversion(
  tx: Transaction,
  mesh: Name,
  node: Name,
  reversion: Reversion,
  receivedAt: string,
): Promise<number> {
  return run(
    tx,
    `update account set reverted = $3::jsonb || jsonb_build_object('since', coalesce(reverted->>'since', $4)),
       reverted_heard_at = $4::timestamptz where mesh = $1 and node = $2`,
    [mesh, node, storableJson(reversion), receivedAt],
  );
}

/** By node: what the host that is enrolled now had, and went back from. One that had accepted nothing is not in it. */
export async function listReverted(db: Queryable, mesh: Name, read: ReadRows = many): Promise<Map<Name, Order>> {
  const rows = await read(
    db,
    z.object({ node: nameSchema, epoch: bigintColumn, number: bigintColumn }),
    `select a.node, a.epoch, a.number
       from account a join node n on n.mesh = a.mesh and n.name = a.node and n.incarnation = a.incarnation
      where a.mesh = $1 and a.reverted is not null and a.epoch > 0 order by a.node`,
    [mesh],
  );
  return new Map(rows.map(({ node, epoch, number }) => [node, { epoch, number }]));
}

function countRefused(tx: Transaction, mesh: Name, node: Name): Promise<number> {
  return run(tx, `update node set refused_reports = refused_reports + 1 where mesh = $1 and name = $2`, [mesh, node]);
}
