import { createHash, randomBytes } from "node:crypto";
import { open, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { z } from "zod";
import { errorCode, InputError, whenThere } from "../../core/errors.ts";
import { nameSchema } from "../../core/names.ts";
import { timeColumn } from "../columns.ts";
import type { Database, Transaction } from "../database.ts";
import { expectNoStrangers, listMigrations } from "../migrate.ts";
import { many, one, run } from "../rows.ts";
import { inTransaction } from "../transaction.ts";
import type { BackupHeader } from "./archive.ts";
import { placeNew } from "./place-new.ts";
import { listTables, type TableRow } from "./list-tables.ts";

const rowsPerFetch = 500;
/** An envelope may be of 8 MiB, and its bytes travel as twice as many digits. */
const wideRowsPerFetch = 8;
/** What was fetched is packed and written before the next: to a slow disk that takes longer than a gate may stand. */
const backupOptions = {
  isolation: "repeatable read",
  access: "read only",
  statementTimeoutMs: 600_000,
  idleTimeoutMs: 600_000,
} as const;

export interface TakenBackup {
  readonly takenAt: string;
  readonly rows: number;
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * All records at one moment, in one file (0600) that is there whole or not at all. Throws InputError where it is there
 * already or the tables are of a newer program, and what `signal` was aborted with. Work goes on meanwhile: nothing is locked.
 */
export async function takeBackup(db: Database, file: string, signal?: AbortSignal): Promise<TakenBackup> {
  if ((await whenThere(stat(file))) !== null) throw isThere(file);
  // Of two at once each has its own: the one that ends later finds the name taken.
  const temporary = `${file}.${randomBytes(6).toString("hex")}.part`;
  const handle = await create(temporary);
  try {
    const taken = await inTransaction(db, backupOptions, (tx) => write(tx, handle, signal));
    await handle.sync();
    const { size: bytes } = await handle.stat();
    if (!(await placeNew(temporary, file))) throw isThere(file);
    await syncFolder(dirname(file));
    return { ...taken, bytes };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

function isThere(file: string): InputError {
  return new InputError(`${file} is there already`, "give another name: a backup is never written over");
}

async function create(temporary: string): Promise<FileHandle> {
  try {
    return await open(temporary, "wx", 0o600);
  } catch (error) {
    throw new InputError(`${temporary} cannot be made (${errorCode(error) ?? "?"})`, "see the folder and its rights", {
      cause: error,
    });
  }
}

async function write(
  tx: Transaction,
  handle: FileHandle,
  signal: AbortSignal | undefined,
): Promise<Omit<TakenBackup, "bytes">> {
  const hash = createHash("sha256");
  let rows = 0;
  await expectNoStrangers(tx, { next: "make the backup with the version of mesh that made them, or a later one" });
  const header = await readHeader(tx);
  async function* lines(): AsyncGenerator<string> {
    const say = (line: string): string => {
      hash.update(`${line}\n`);
      return `${line}\n`;
    };
    yield say(JSON.stringify(header));
    for (const table of await listTables(tx)) {
      yield say(JSON.stringify({ table: table.name }));
      for await (const row of readTable(tx, table)) {
        rows += 1;
        yield say(row);
      }
    }
    yield `${JSON.stringify({ rows, sha256: hash.copy().digest("hex") })}\n`;
  }
  const keep = async (zipped: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of zipped) await handle.writeFile(chunk);
  };
  await pipeline(Readable.from(lines()), createGzip(), keep, { signal });
  return { takenAt: header.takenAt, rows, sha256: hash.digest("hex") };
}

async function readHeader(tx: Transaction): Promise<BackupHeader> {
  const { takenAt } = await one(tx, z.object({ takenAt: timeColumn }), `select now() as "takenAt"`);
  const meshes = await many(tx, z.object({ name: nameSchema }), `select name from mesh order by name`);
  const migrations = (await listMigrations(tx)).map(({ id, sha256 }) => ({ id, sha256 }));
  return { format: "mesh-backup", version: 1, takenAt, meshes: meshes.map(({ name }) => name), migrations };
}

const rowSchema = z.object({ row: z.string() });

/** Its name is one that the catalogue gave. */
async function* readTable(tx: Transaction, { name, isWide }: TableRow): AsyncGenerator<string> {
  const count = isWide ? wideRowsPerFetch : rowsPerFetch;
  await run(tx, `declare backup_rows no scroll cursor for select row_to_json(t)::text as row from "${name}" t`);
  for (;;) {
    const found = await many(tx, rowSchema, `fetch ${count} from backup_rows`);
    for (const { row } of found) yield row;
    if (found.length < count) break;
  }
  await run(tx, `close backup_rows`);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
