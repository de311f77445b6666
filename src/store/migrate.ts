import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { z } from "zod";
import { InputError, RecordsRefusedError } from "../core/errors.ts";
import { timeColumn } from "./columns.ts";
import type { Database, Queryable, Transaction } from "./database.ts";
import { many, maybeOne, one, run } from "./rows.ts";
import { inTransaction } from "./transaction.ts";

interface Migration {
  /** File name without `.sql`. */
  readonly id: string;
  readonly sql: string;
  readonly sha256: string;
}

const appliedSchema = z.object({ id: z.string(), sha256: z.string(), at: timeColumn });
export type AppliedMigration = z.output<typeof appliedSchema>;

/** Beside this file, both in src and in dist (the build copies them). */
const ownFolder = new URL("./migrations/", import.meta.url);
const filePattern = /^\d{4}-[a-z0-9-]+\.sql$/;
/** `mesh` in ASCII: one runner at a time in one database. */
const lockKey = 0x6d657368;
const migrationTimeoutMs = 600_000;

/**
 * Brings the database to what this code needs; forward only, each file in one transaction. Safe twice, at once, and
 * after a kill half-way. Refuses with InputError a file that changed after it was applied, and a database that is
 * newer than the code. Answers the ids applied now.
 */
export async function runMigrations(db: Database, folder: URL = ownFolder): Promise<string[]> {
  const migrations = await readMigrations(folder);
  await underLock(db, createTable);
  refuseStrangers(migrations, await listMigrations(db));
  const applied: string[] = [];
  for (const migration of migrations) {
    if (await underLock(db, (tx) => applyOnce(tx, migration))) applied.push(migration.id);
  }
  // Once more: a newer program may have gone on while we worked.
  refuseStrangers(migrations, await listMigrations(db));
  return applied;
}

/** In the order of their numbers. */
export function listMigrations(db: Queryable): Promise<AppliedMigration[]> {
  return many(db, appliedSchema, `select id, sha256, at from schema_migration order by id`);
}

/** For who may not make tables: throws RecordsRefusedError where they are not yet those of this program, InputError as above. */
export async function expectMigrated(db: Queryable, folder: URL = ownFolder): Promise<void> {
  const [migrations, applied] = [await readMigrations(folder), await listMigrations(db)];
  refuseStrangers(migrations, applied);
  const there = new Set(applied.map(({ id }) => id));
  const missing = migrations.find(({ id }) => !there.has(id));
  if (missing !== undefined)
    throw new RecordsRefusedError(
      `the tables are older than this program: they lack ${missing.id}`,
      "bring them up as their owner: mesh database roles --apply, or mesh up",
    );
}

/**
 * Throws InputError where a newer program made the tables: what this one does not know it would leave out. Older ones, or none at
 * all, are no strangers. `next`: what a person does then.
 */
export async function expectNoStrangers(tx: Transaction, { next }: { readonly next: string }): Promise<void> {
  const { there } = await one(
    tx,
    z.object({ there: z.boolean() }),
    `select to_regclass('schema_migration') is not null as there`,
  );
  if (!there) return;
  const known = new Set((await readMigrations(ownFolder)).map(({ id }) => id));
  const stranger = (await listMigrations(tx)).find(({ id }) => !known.has(id));
  if (stranger !== undefined)
    throw new InputError(`the database is newer than this program: it has migration ${stranger.id}`, next);
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).toSorted();
  const stray = names.find((name) => !filePattern.test(name));
  if (stray !== undefined) throw new Error(`${stray} in ${folder.pathname} is not named like 0001-what.sql`);
  const migrations = await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      return { id: name.replace(/\.sql$/, ""), sql, sha256: createHash("sha256").update(sql).digest("hex") };
    }),
  );
  const gap = migrations.findIndex(({ id }, index) => Number(id.slice(0, 4)) !== index + 1);
  if (gap !== -1)
    throw new Error(`${migrations[gap]?.id} is not number ${gap + 1}: numbers are used once, without gaps`);
  if (migrations.length === 0) throw new Error(`no migrations in ${folder.pathname}`);
  return migrations;
}

export interface KnownMigration {
  readonly id: string;
  readonly sha256: string;
}

/**
 * Migrates inside the caller's transaction, which holds nothing of ours yet: makes the tables as `known` made them, runs
 * `load`, and then what is newer. InputError where `known` is not how this program began: another program made them.
 */
export async function migrateAround(
  tx: Transaction,
  known: readonly KnownMigration[],
  load: () => Promise<void>,
): Promise<void> {
  const migrations = await readMigrations(ownFolder);
  await run(tx, `select pg_advisory_xact_lock($1)`, [lockKey]);
  await createTable(tx);
  refuseStrangers(migrations, known, "backup");
  const ids = new Set(known.map(({ id }) => id));
  const gap = migrations.findIndex(({ id }) => !ids.has(id));
  if (gap !== -1 && gap < ids.size)
    throw new InputError(
      `the backup lists no migration ${migrations[gap]?.id}, and later ones: it is not as a mesh wrote it`,
      "take another copy of it; nothing was changed",
    );
  for (const migration of migrations.slice(0, ids.size)) await applyOnce(tx, migration);
  await load();
  for (const migration of migrations.slice(ids.size)) await applyOnce(tx, migration);
}

function underLock<T>(db: Database, fn: (tx: Transaction) => Promise<T>): Promise<T> {
  const limits = { statementTimeoutMs: migrationTimeoutMs, lockTimeoutMs: migrationTimeoutMs };
  return inTransaction(db, { isolation: "read committed", ...limits }, async (tx) => {
    await run(tx, `select pg_advisory_xact_lock($1)`, [lockKey]);
    return fn(tx);
  });
}

async function createTable(tx: Transaction): Promise<void> {
  await run(
    tx,
    `create table if not exists schema_migration (id text primary key, sha256 text not null, at timestamptz not null default now())`,
  );
}

/** The id goes in first: where a rival was faster, there is nothing to do. */
async function applyOnce(tx: Transaction, migration: Migration): Promise<boolean> {
  const inserted = await maybeOne(
    tx,
    z.object({ id: z.string() }),
    `insert into schema_migration (id, sha256) values ($1, $2) on conflict (id) do nothing returning id`,
    [migration.id, migration.sha256],
  );
  if (inserted === null) return false;
  await run(tx, migration.sql);
  return true;
}

/** `of`: what was made by them, for a person. */
function refuseStrangers(
  migrations: readonly Migration[],
  applied: readonly KnownMigration[],
  of: "database" | "backup" = "database",
): void {
  const known = new Map(migrations.map((migration) => [migration.id, migration.sha256]));
  for (const { id, sha256 } of applied) {
    const ours = known.get(id);
    if (ours === undefined) {
      throw new InputError(
        `the ${of} is newer than this program: it has migration ${id}`,
        "run the version of mesh that made it, or a later one",
      );
    }
    if (ours !== sha256 && of === "backup") {
      throw new InputError(
        `the backup's tables are not those of this program: its migration ${id} is another one`,
        "restore it with the version of mesh that wrote it; nothing was changed",
      );
    }
    if (ours !== sha256) {
      throw new InputError(
        `migration ${id} changed after it was applied to this database`,
        "put the file back as it was and write a new migration",
      );
    }
  }
}
