import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import { errorCode, InputError } from "../../core/errors.ts";
import { nameSchema, timestampSchema } from "../../core/names.ts";

/**
 * The file: gzip over lines of JSON in UTF-8. First a header, then for each table a line `{"table"}` and its rows, each
 * as PostgreSQL writes it (`row_to_json`: bytea as hex, bigint in full, times with their microseconds); last a footer with the
 * number of rows and the digest of all bytes before it. Nothing of it is read in before all of it was checked.
 */
export const headerSchema = z.strictObject({
  format: z.literal("mesh-backup"),
  version: z.literal(1),
  takenAt: timestampSchema,
  meshes: z.array(nameSchema).min(1),
  /** What the tables are made by. */
  migrations: z
    .array(z.strictObject({ id: z.string().max(100), sha256: z.string().length(64) }))
    .min(1)
    .max(10_000),
});
export type BackupHeader = z.output<typeof headerSchema>;

export const tableSchema = z.strictObject({ table: z.string().regex(/^[a-z][a-z_]{0,62}$/) });

export const footerSchema = z.strictObject({ rows: z.int().nonnegative(), sha256: z.string().length(64) });

/** A row of the largest declaration is far below it. */
const lineBytesLimit = 64 * 1024 * 1024;

export interface CheckedBackup {
  readonly header: BackupHeader;
  /** Also those without a row. */
  readonly tables: ReadonlySet<string>;
  readonly rows: number;
  /** Of the lines before the footer: names this backup. */
  readonly sha256: string;
}

/** Reads all of it once. Throws InputError that says what is wrong with the file. */
export async function checkBackup(file: string): Promise<CheckedBackup> {
  const hash = createHash("sha256");
  let header: BackupHeader | null = null;
  let rows = 0;
  const tables = new Set<string>();
  let footer: z.output<typeof footerSchema> | null = null;
  for await (const line of readLines(file)) {
    if (footer !== null) throw damaged(file, "something follows its end");
    const value = parseLine(file, line);
    const begins = tableSchema.safeParse(value);
    if (header === null) header = parseHeader(file, value);
    else if (footerSchema.safeParse(value).success) {
      footer = footerSchema.parse(value);
      continue;
    } else if (begins.success) tables.add(begins.data.table);
    else if (tables.size === 0) throw damaged(file, "it has a row before the first table");
    else rows += 1;
    hash.update(line).update("\n");
  }
  if (header === null || footer === null) throw damaged(file, "it ends too early");
  const sha256 = hash.digest("hex");
  if (footer.rows !== rows) throw damaged(file, `it has ${rows} rows, and says ${footer.rows}`);
  if (footer.sha256 !== sha256) throw damaged(file, "its content has another digest than it says");
  return { header, tables, rows, sha256 };
}

/** Rows in the order of the file, by table; of a file that was checked. */
export async function* readRows(file: string): AsyncGenerator<{ readonly table: string; readonly row: string }> {
  let table: string | null = null;
  let isFirst = true;
  for await (const line of readLines(file)) {
    const text = line.toString("utf8");
    if (isFirst) {
      isFirst = false;
      continue;
    }
    const value: unknown = JSON.parse(text);
    const begins = tableSchema.safeParse(value);
    if (begins.success) table = begins.data.table;
    else if (footerSchema.safeParse(value).success) return;
    else if (table !== null) yield { table, row: text };
  }
}

async function* readLines(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file);
  const lines = source.pipe(createGunzip());
  // `pipe` does not hand errors on: without this one, a file that cannot be read would never end.
  source.on("error", (error) => lines.destroy(error));
  let parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of lines as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, at)]);
        [parts, bytes, from] = [[], 0, at + 1];
      }
      parts.push(chunk.subarray(from));
      bytes += chunk.length - from;
      if (bytes > lineBytesLimit) throw damaged(file, `a line of it is longer than ${lineBytesLimit} bytes`);
    }
  } catch (error) {
    throw explain(file, error);
  }
  if (bytes > 0) throw damaged(file, "it ends too early");
}

function explain(file: string, error: unknown): unknown {
  const code = errorCode(error) ?? "";
  if (code === "ENOENT") return new InputError(`there is no file ${file}`);
  if (code.startsWith("Z_")) return damaged(file, "it is not gzip as a whole", error);
  if (/^E[A-Z]+$/.test(code))
    return new InputError(`${file} cannot be read (${code})`, "nothing was changed", { cause: error });
  return error;
}

function parseLine(file: string, line: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch (error) {
    throw damaged(file, "a line of it is not JSON", error);
  }
}

function parseHeader(file: string, value: unknown): BackupHeader {
  const parsed = headerSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const known = z.object({ format: z.literal("mesh-backup"), version: z.number() }).safeParse(value);
  if (known.success && known.data.version > 1)
    throw new InputError(
      `${file} is written by a newer mesh (format ${known.data.version})`,
      "restore it with that one",
    );
  throw new InputError(`${file} is no backup of a mesh`, "mesh backup FILE makes one", { cause: parsed.error });
}

function damaged(file: string, why: string, cause?: unknown): InputError {
  return new InputError(`${file} is damaged: ${why}`, "take another copy of it; nothing was changed", { cause });
}
