import { z } from "zod";
import { orderSchema } from "../core/declaration.ts";
import { digestSchema, nameSchema, timestampSchema, type Name } from "../core/names.ts";
import { reportSchema, type Report } from "../core/report.ts";
import { clean, type FailureTrack } from "../decide/track-failures.ts";
import { bigintColumn, timeColumn } from "./columns.ts";
import type { Queryable } from "./database.ts";
import { many, manySetAside, maybeOne, parseRow, readRow } from "./rows.ts";

const accountRowSchema = z.object({
  node: nameSchema,
  incarnation: z.string(),
  /** 0.0: the host had accepted nothing yet. */
  epoch: bigintColumn,
  number: bigintColumn,
  boot: bigintColumn,
  sequence: bigintColumn,
  digest: digestSchema.nullable(),
  outcome: reportSchema.shape.outcome,
  report: reportSchema,
  receivedAt: timeColumn,
  readBackAt: timeColumn,
  appliedSince: timeColumn.nullable(),
  failing: z.array(z.string()),
  failingSince: timeColumn.nullable(),
  failingCount: z.number().int(),
  noSuccessSince: timeColumn.nullable(),
  noSuccessCount: z.number().int(),
  reverted: z.strictObject({ to: orderSchema.nullable(), why: z.string(), since: timestampSchema }).nullable(),
  revertedHeardAt: timeColumn.nullable(),
});

const accountSchema = accountRowSchema.transform((row) => {
  const place = {
    has: row.epoch === 0 ? null : { epoch: row.epoch, number: row.number },
    boot: row.boot,
    sequence: row.sequence,
  };
  const { appliedSince, failing, failingSince, failingCount, noSuccessSince, noSuccessCount } = row;
  const repeats = { failing, failingSince, failingCount, noSuccessSince, noSuccessCount };
  const track: FailureTrack = { ...place, appliedSince, ...repeats };
  const { node, incarnation, digest, outcome, report, receivedAt, readBackAt } = row;
  const reverted =
    row.reverted === null ? null : { ...row.reverted, heardAt: row.revertedHeardAt ?? row.reverted.since };
  return { ...place, node, incarnation, digest, outcome, report, receivedAt, readBackAt, reverted, track };
});
/** The latest report kept from a node, its place in the order, and what repeats in it. */
export type AccountRecord = z.output<typeof accountSchema>;

const columns = `node, incarnation, epoch, number, boot, sequence, digest, outcome, report, received_at as "receivedAt",
  received_at - least(coalesce((report #>> '{readBack,agoMs}')::float8, 0), 1e12) * interval '1 millisecond' as "readBackAt",
  failing, failing_since as "failingSince", failing_count as "failingCount", no_success_since as "noSuccessSince",
  no_success_count as "noSuccessCount", applied_since as "appliedSince", reverted,
  reverted_heard_at as "revertedHeardAt"`;

const keySchema = z.object({ node: nameSchema, incarnation: z.string() });
/** A node's account that does not read as it should: what its host has and how it stands there is not known (R26). */
export interface UnreadAccount extends z.output<typeof keySchema> {
  /** A sentence, without values of the row. */
  readonly why: string;
}

/** One node's row that does not read hides no other node's. */
export interface AccountsRead {
  readonly accounts: readonly AccountRecord[];
  readonly unread: readonly UnreadAccount[];
}

export function getAccount(db: Queryable, mesh: Name, node: Name): Promise<AccountRecord | null> {
  return maybeOne(db, accountSchema, `select ${columns} from account where mesh = $1 and node = $2`, [mesh, node]);
}

export async function listAccounts(db: Queryable, mesh: Name): Promise<AccountsRead> {
  return toAccounts(
    await manySetAside(
      db,
      { row: accountSchema, key: keySchema },
      `select ${columns} from account where mesh = $1 order by node`,
      [mesh],
    ),
  );
}

/** Those kept from these nodes. */
export async function listAccountsOf(db: Queryable, mesh: Name, nodes: readonly Name[]): Promise<AccountsRead> {
  return toAccounts(
    await manySetAside(
      db,
      { row: accountSchema, key: keySchema },
      `select ${columns} from account where mesh = $1 and node = any($2::text[]) order by node`,
      [mesh, nodes],
    ),
  );
}

const atATime = 200;

/** All that do not read, of registered nodes and the host that is enrolled now; read a few at a time, for reports are large. */
export async function listUnreadAccounts(db: Queryable, mesh: Name): Promise<UnreadAccount[]> {
  const names = await many(
    db,
    z.object({ name: nameSchema }),
    `select n.name from node n join account a on a.mesh = n.mesh and a.node = n.name and a.incarnation = n.incarnation
      where n.mesh = $1 order by n.name`,
    [mesh],
  );
  const unread: UnreadAccount[] = [];
  for (let from = 0; from < names.length; from += atATime) {
    const some = names.slice(from, from + atATime).map(({ name }) => name);
    unread.push(...(await listAccountsOf(db, mesh, some)).unread);
  }
  return unread;
}

function toAccounts({
  rows,
  aside,
}: {
  readonly rows: readonly AccountRecord[];
  readonly aside: readonly { readonly key: z.output<typeof keySchema>; readonly why: string }[];
}): AccountsRead {
  return {
    accounts: rows,
    unread: aside.map(({ key, why }) => ({
      ...key,
      why: `the records of its host's latest report do not read: ${why}`,
    })),
  };
}

const placeSchema = accountRowSchema.pick({ incarnation: true, epoch: true, number: true, boot: true, sequence: true });

/** What a report is judged by: of an account that does not read, its place alone. */
export type AccountToJudge = Pick<AccountRecord, "incarnation" | "has" | "boot" | "sequence" | "track"> & {
  readonly report?: Report;
};

/**
 * For the transaction that keeps the next report. One that does not read is replaced by the next in its host's order, and
 * nothing that repeated in it is known any more: were it an error here, no report of this host would ever be kept again.
 */
export async function getAccountToJudge(tx: Queryable, mesh: Name, node: Name): Promise<AccountToJudge | null> {
  const sql = `select ${columns} from account where mesh = $1 and node = $2`;
  const { rows } = await tx.query(sql, [mesh, node]);
  const [found] = rows;
  if (found === undefined) return null;
  const account = readRow(accountSchema, found);
  if (account.ok) return account.data;
  const { incarnation, epoch, number, boot, sequence } = parseRow(placeSchema, found, sql);
  const place = { has: epoch === 0 ? null : { epoch, number }, boot, sequence };
  return { ...place, incarnation, track: clean(place) };
}
