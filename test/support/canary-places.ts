import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@temporalio/client";
import pg from "pg";
import { whenThere } from "../../src/core/errors.ts";
import type { Canary } from "./canary.ts";

/** One thing that was looked at: what it is, for a person, and all of its bytes. */
export interface Place {
  readonly what: string;
  readonly bytes: Uint8Array;
}

/** Where the marker was found, in which spelling; and how much was looked at, so that looking at nothing is seen. */
export interface CanarySearch {
  readonly hits: readonly string[];
  readonly looked: number;
}

export async function searchPlaces(canary: Canary, places: AsyncIterable<Place>): Promise<CanarySearch> {
  const hits: string[] = [];
  let looked = 0;
  for await (const { what, bytes } of places) {
    looked += 1;
    const how = canary.find(bytes);
    if (how !== null) hits.push(`${what} (${how})`);
  }
  return { hits, looked };
}

/** Every row of every table of the database: as text, and each value of bytes as it is. */
export async function* listRows(url: string): AsyncGenerator<Place> {
  const client = new pg.Client({ connectionString: url, query_timeout: 30_000 });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
    );
    for (const { name } of tables.rows) {
      const { rows } = await client.query<Record<string, unknown>>(`select to_jsonb(t) as row, t.* from ${name} t`);
      for (const [index, row] of rows.entries()) {
        yield { what: `row ${index} of table ${name}`, bytes: Buffer.from(JSON.stringify(row)) };
        for (const [column, value] of Object.entries(row))
          if (value instanceof Uint8Array) yield { what: `row ${index} of table ${name}, ${column}`, bytes: value };
      }
    }
  } finally {
    await client.end();
  }
}

/** The whole history of every workflow of the namespace, with what its payloads hold. */
export async function* listHistories(client: Client): AsyncGenerator<Place> {
  for await (const { workflowId, runId } of client.workflow.list()) {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    yield {
      what: `history of ${workflowId}`,
      bytes: Buffer.from([JSON.stringify(history), ...listTexts(history)].join("\n")),
    };
  }
}

/** What the payloads hold: they are bytes, which JSON shows as numbers or as base64. */
function* listTexts(value: unknown): Generator<string> {
  if (value instanceof Uint8Array) yield Buffer.from(value).toString("utf8");
  else if (typeof value === "object" && value !== null) for (const part of Object.values(value)) yield* listTexts(part);
}

/** Command line and environment of these processes. */
export async function* listProcessPlaces(pids: readonly number[]): AsyncGenerator<Place> {
  for (const pid of pids) {
    for (const part of ["cmdline", "environ"]) {
      // One that has ended meanwhile shows nothing to anybody.
      const bytes = await whenThere(readFile(`/proc/${pid}/${part}`), ["ENOENT", "ESRCH"]);
      if (bytes !== null) yield { what: `${part} of process ${pid}`, bytes };
    }
  }
}

/** Every file below the folder but those for which `leavesOut` says so (given the path from the folder on). */
export async function* listFiles(folder: string, leavesOut: (path: string) => boolean): AsyncGenerator<Place> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || leavesOut(path.slice(folder.length + 1))) continue;
    const bytes = await whenThere(readFile(path));
    if (bytes !== null) yield { what: `file ${path}`, bytes };
  }
}
