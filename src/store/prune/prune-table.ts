import { z } from "zod";
import type { Name } from "../../core/names.ts";
import type { PastRecord, PruneBounds, PrunedKind } from "../../decide/plan-prune.ts";
import type { Queryable, Transaction } from "../database.ts";
import { many, run } from "../rows.ts";
import { storableJson } from "../storable.ts";

/** Names one record; where the reading goes on, when it is the last of a batch. Opaque to everybody else. */
export type PruneKey = Readonly<Record<string, string | number | null>>;
export const pruneKeySchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

export interface PruneBatch {
  readonly records: readonly { readonly key: PruneKey; readonly record: PastRecord }[];
  /** Where the next batch begins; null: this was the last. */
  readonly next: PruneKey | null;
}

export interface PruneFrom {
  /** Null: from the beginning. */
  readonly after: PruneKey | null;
  readonly bounds: PruneBounds;
  /** How many of the oldest of each node or push are looked at, or how many builds; at least one. */
  readonly ofEach: number;
}

export interface PruneTable {
  readonly kind: PrunedKind;
  /** A part of the table by its keys, old ones only where that can be asked for: a few thousand rows. */
  readonly read: (db: Queryable, mesh: Name, from: PruneFrom) => Promise<PruneBatch>;
  /** Answers how many went. */
  readonly remove: (tx: Transaction, mesh: Name, keys: readonly PruneKey[]) => Promise<number>;
}

interface TableTexts<S extends z.ZodType> {
  readonly kind: PrunedKind;
  readonly row: S;
  /**
   * `$1` the mesh, `$2` the key after which it goes on (jsonb or null), `$3` milliseconds for which records are kept, `$4`
   * how many of the last ones, `$5` how many of each. Each row has its `key`; the keys rise.
   */
  readonly read: string;
  /** Null: the row only says how far was read. */
  readonly toRecord: (row: z.output<S>) => PastRecord | null;
  /** `$1` the mesh, `$2` the keys. Tests again what may have changed beside the gate since it was read. */
  readonly remove: string;
}

/** Milliseconds since a moment, by the clock of the records. */
export function sinceMs(moment: string): string {
  return `(extract(epoch from now() - ${moment})::float8 * 1000)`;
}

/** Before this nothing is young any more. */
export const keptSince = `(now() - $3::float8 * interval '1 millisecond')`;

/** The moment of the last of those that stay however old they are; all, where there are fewer. */
export function fromTheLast(column: string, rows: string): string {
  return `coalesce((select ${column} from ${rows} order by ${column} desc offset $4::integer - 1 limit 1), '-infinity')`;
}

export function createPruneTable<S extends z.ZodType>(texts: TableTexts<S>): PruneTable {
  const rowSchema = z.looseObject({ key: pruneKeySchema });
  return {
    kind: texts.kind,
    async read(db, mesh, { after, bounds, ofEach }) {
      const values = [mesh, after === null ? null : storableJson(after), bounds.keepMs, bounds.last, ofEach];
      const rows = await many(db, rowSchema, texts.read, values);
      const last = rows.at(-1)?.key ?? null;
      return {
        records: rows.flatMap((row) => {
          const record = texts.toRecord(texts.row.parse(row));
          return record === null ? [] : [{ key: row.key, record }];
        }),
        next: storableJson(last) === storableJson(after) ? null : last,
      };
    },
    remove: (tx, mesh, keys) => run(tx, texts.remove, [mesh, storableJson(keys)]),
  };
}
