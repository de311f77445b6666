import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { takeBackup } from "../../src/store/backup/take-backup.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { openRecords, type Records } from "./open-records.ts";

let records: Records;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-backup-"));
  records = await openRecords();
});
afterAll(async () => {
  await records.close();
  await rm(folder, { recursive: true, force: true });
});

describe("taking a backup", () => {
  it("by a program that is older than the tables is refused: it would leave out what it does not know", async () => {
    await records.db.query(`insert into schema_migration (id, sha256) values ('0999-later', 'x')`);
    const taken = takeBackup(records.db, join(folder, "older"));
    await expect(taken).rejects.toThrow(/the database is newer than this program: it has migration 0999-later/);
    expect(await readdir(folder)).toEqual([]);
    await records.db.query(`delete from schema_migration where id = '0999-later'`);
  });

  it("that is interrupted leaves nothing: no half copy of the records under a name that nobody knows", async () => {
    const interrupt = new AbortController();
    const ended = await inTransaction(records.db, { isolation: "read committed" }, async (tx) => {
      // It comes to this table, and waits.
      await tx.query("lock table node in access exclusive mode");
      const taking = takeBackup(records.db, join(folder, "cut"), interrupt.signal).then(
        () => "taken",
        (error: unknown) => (error instanceof Error ? error.name : error),
      );
      await vi.waitUntil(async () => (await readdir(folder)).length > 0);
      interrupt.abort();
      // In an object: it ends when the table is free again, after this transaction.
      return { taking };
    });
    expect(await ended.taking).toBe("AbortError");
    expect(await readdir(folder)).toEqual([]);
  });

  it("reads few rows at once where one may be of many MiB, and has time to write them to a slow disk", async () => {
    const query = vi.spyOn(pg.Client.prototype, "query");
    try {
      await takeBackup(records.db, join(folder, "watched"));
      const asked = query.mock.calls.map(([sql]: unknown[]) => {
        // Some of pg's own are objects with the text in them.
        return typeof sql === "string" ? sql : String((sql as { text?: unknown }).text);
      });
      const fetchOf = (table: string): string | undefined =>
        asked[asked.findIndex((sql) => sql.includes(`from "${table}" t`)) + 1];
      expect(fetchOf("declaration")).toBe("fetch 8 from backup_rows");
      expect(fetchOf("account")).toBe("fetch 8 from backup_rows");
      expect(fetchOf("epoch_grant")).toBe("fetch 500 from backup_rows");
      expect(asked.find((sql) => sql.startsWith("begin"))).toMatch(/idle_in_transaction_session_timeout = 600000/);
    } finally {
      query.mockRestore();
    }
  });
});
