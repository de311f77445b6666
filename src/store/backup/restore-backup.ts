import pg from "pg";
import { z } from "zod";
import { InputError, RecordsRefusedError } from "../../core/errors.ts";
import { nameSchema, type Name } from "../../core/names.ts";
import { bigintColumn } from "../columns.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { expectNoStrangers, migrateAround } from "../migrate.ts";
import { many, maybeOne, run } from "../rows.ts";
import { stopMesh } from "../stop.ts";
import { storableText } from "../storable.ts";
import { inTransaction } from "../transaction.ts";
import { checkBackup, readRows, type CheckedBackup } from "./archive.ts";
import { listTables } from "./list-tables.ts";
import { readAllRoots, takeOverRoots, type TakenRoots } from "./take-over-roots.ts";

export interface RestoreRequest {
  readonly file: string;
  /** Must be in the backup. */
  readonly mesh: Name;
  readonly by: string;
  /** A person said that the records which are there may go. */
  readonly replace: boolean;
}

/** What was read in, and what became of the mesh's root documents that were published after the backup. */
export type RestoredBackup = CheckedBackup & { readonly roots: TakenRoots };

const timeoutMs = 600_000;
const batchBytes = 4 * 1024 * 1024;

/**
 * Reads a backup in, in one transaction: all of it, or the database is as it was. The meshes in it are stopped: what hosts
 * have may be newer (R35). Epoch and number never go below what the records had that it takes the place of, and no root
 * that was published since is lost: hosts walk over every one. Throws InputError where the file is damaged or of a newer
 * program, a controller holds the lease, or records would be lost that nobody said may go.
 */
export async function restoreBackup(db: Database, request: RestoreRequest): Promise<RestoredBackup> {
  const backup = await checkBackup(request.file);
  const { header } = backup;
  if (!header.meshes.includes(request.mesh))
    throw new InputError(
      `${request.file} is a backup of mesh ${header.meshes.join(", ")}, not of ${request.mesh}`,
      "give a backup of this mesh, or --state of the other one",
    );
  const limits = { lockTimeoutMs: 30_000, statementTimeoutMs: timeoutMs };
  const roots = await inTransaction(db, { isolation: "read committed", ...limits }, async (tx) => {
    const before = await clear(tx, request.replace, header.meshes);
    await migrateAround(tx, header.migrations, () => load(tx, request.file, backup.tables));
    for (const mesh of before.meshes) await keepAbove(tx, mesh);
    const taken = new Map<Name, TakenRoots>();
    for (const mesh of header.meshes) taken.set(mesh, await takeOverRoots(tx, mesh, before.roots));
    await endLeases(tx);
    for (const mesh of header.meshes) await noteRestore(tx, mesh, { ...request, ...backup });
    return taken.get(request.mesh) ?? { taken: [], differs: [] };
  });
  return { ...backup, roots };
}

const highestSchema = z.object({ name: nameSchema, number: bigintColumn, epoch: bigintColumn });
type Highest = z.output<typeof highestSchema>;

interface Before {
  readonly meshes: readonly Highest[];
  readonly roots: Awaited<ReturnType<typeof readAllRoots>>;
}

/** What was numbered last in the records that go, and their roots. Tables of a newer program would stay, in everybody's way. */
async function clear(tx: Transaction, replace: boolean, backedUp: readonly Name[]): Promise<Before> {
  await expectNoStrangers(tx, {
    next: "restore with the version of mesh that made them, or into a database of its own: set secrets/database-url of this mesh to it. Nothing was changed",
  });
  const tables = await listTables(tx);
  let meshes: Highest[] = [];
  if (tables.some(({ name }) => name === "mesh")) {
    await run(tx, `lock table mesh in access exclusive mode`);
    await expectNoHolder(tx);
    await expectBackedUp(tx, backedUp);
    if (!replace) await expectEmpty(tx);
    meshes = await many(
      tx,
      highestSchema,
      `select name, number, greatest(epoch, epoch_floor) as epoch from mesh order by name`,
    );
  }
  // Records from before there were roots in them have none.
  const roots = tables.some(({ name }) => name === "root_document") ? await readAllRoots(tx) : [];
  for (const { name } of tables) await run(tx, `drop table "${name}" cascade`);
  await run(tx, `drop table if exists schema_migration`);
  return { meshes, roots };
}

async function expectNoHolder(tx: Queryable): Promise<void> {
  const held = await maybeOne(
    tx,
    z.object({ holder: z.string() }),
    // One that is further to come was renewed while the clock was ahead: a holder that lives renews it within its age.
    `select holder from lease where holder is not null
        and clock_timestamp() - renewed_at between - age_ms * interval '1 ms' and age_ms * interval '1 ms' limit 1`,
  );
  if (held !== null)
    throw new InputError(
      `the controller ${held.holder} holds the lease`,
      "stop it first, then restore; nothing was changed",
    );
}

/** Several meshes may share a database: one that the file does not have would be gone, with its roots and what was numbered. */
async function expectBackedUp(tx: Queryable, backedUp: readonly Name[]): Promise<void> {
  const lost = await many(
    tx,
    z.object({ name: nameSchema }),
    `select name from mesh m where name <> all($1::text[])
       and (exists (select from node where mesh = m.name) or exists (select from repository where mesh = m.name)
            or exists (select from declaration where mesh = m.name)) order by name`,
    [backedUp],
  );
  if (lost.length === 0) return;
  throw new InputError(
    `the database has mesh ${lost.map(({ name }) => name).join(", ")} too, of which the backup knows nothing`,
    "restore into a database of its own: set secrets/database-url of this mesh to it. Nothing was changed",
  );
}

/** Registrations, builds and sends are what a person would miss. A mesh that was only just brought up has none. */
async function expectEmpty(tx: Queryable): Promise<void> {
  const found = await maybeOne(
    tx,
    z.object({ what: z.string() }),
    `select what from (
       select 'nodes' as what where exists (select from node)
       union all select 'repositories' where exists (select from repository)
       union all select 'declarations' where exists (select from declaration)) as there limit 1`,
  );
  if (found !== null)
    throw new InputError(
      `the database has records of its own (${found.what})`,
      "mesh backup first; then --replace puts the backup in their place. Nothing was changed",
    );
}

async function load(tx: Transaction, file: string, backedUp: ReadonlySet<string>): Promise<void> {
  const columns = new Map((await listTables(tx)).map((table) => [table.name, new Set(table.columns)]));
  const missing = [...columns.keys()].filter((table) => !backedUp.has(table));
  if (missing.length > 0)
    throw new InputError(
      `${file} has nothing of ${missing.join(", ")}, which its records had: an older program wrote it, that did not know them`,
      "take another backup; nothing was changed",
    );
  let batch: string[] = [];
  let bytes = 0;
  let current = "";
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await insert(tx, current, batch);
    [batch, bytes] = [[], 0];
  };
  for await (const { table, row } of readRows(file)) {
    const known = columns.get(table);
    if (known === undefined) throw new InputError(`${file} has rows of ${table}, which is no table of its own records`);
    if (table !== current || bytes > batchBytes) await flush();
    current = table;
    expectColumns(table, known, row);
    batch.push(row);
    bytes += row.length;
  }
  await flush();
}

/** What is not there would become null, and what is too much would be dropped: neither is what was backed up. */
function expectColumns(table: string, columns: ReadonlySet<string>, row: string): void {
  const value: unknown = JSON.parse(row);
  const names = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value) : [];
  if (names.length === columns.size && names.every((name) => columns.has(name))) return;
  throw new InputError(`a row of ${table} in the backup has other columns than the table`, "nothing was changed");
}

async function insert(tx: Transaction, table: string, rows: readonly string[]): Promise<void> {
  try {
    await run(tx, `insert into "${table}" select * from json_populate_recordset(null::"${table}", $1::json)`, [
      `[${rows.join(",")}]`,
    ]);
  } catch (error) {
    // What it says of our tables, it says of what the file would put into them.
    const said = error instanceof RecordsRefusedError ? error.cause : error;
    if (!(said instanceof pg.DatabaseError)) throw error;
    throw new InputError(`a row of ${table} in the backup is refused: ${said.message}`, "nothing was changed", {
      cause: error,
    });
  }
}

/** Where the records that went knew of more, what is numbered next is above that too. */
function keepAbove(tx: Transaction, { name, epoch, number }: Highest): Promise<number> {
  return run(
    tx,
    `update mesh set epoch = greatest(epoch, $2::bigint), epoch_floor = greatest(epoch_floor, $2::bigint),
       number = greatest(number, $3::bigint) where name = $1`,
    [name, epoch, number],
  );
}

/** Nobody holds a lease of these records: who did, did so when the backup was made. */
async function endLeases(tx: Transaction): Promise<void> {
  await run(tx, `update lease set holder = null, beat = beat + 1, renewed_at = now()`);
  await run(tx, `delete from standby`);
}

async function noteRestore(
  tx: Transaction,
  mesh: Name,
  { header, sha256, by }: CheckedBackup & RestoreRequest,
): Promise<void> {
  await run(tx, `insert into restore (mesh, taken_at, restored_by, sha256) values ($1, $2, $3, $4)`, [
    mesh,
    header.takenAt,
    storableText(by),
    sha256,
  ]);
  // A backup of a mesh that was stopped: it is now stopped for this, and hosts are to be heard again.
  await run(tx, `update mesh set stopped_at = null, stopped_for = null where name = $1`, [mesh]);
  await stopMesh(tx, mesh, { reason: "restored", above: { epoch: Number.MAX_SAFE_INTEGER, number: 0 } });
}
