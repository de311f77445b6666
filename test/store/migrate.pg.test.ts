import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { openDatabase, type Database } from "../../src/store/database.ts";
import { listMigrations, runMigrations } from "../../src/store/migrate.ts";
import { createFreshDatabase, type FreshDatabase } from "../support/fresh-database.ts";

const records = new URL("../../src/store/migrations/0001-records.sql", import.meta.url);

describe("migrations", () => {
  let fresh: FreshDatabase;
  let db: Database;
  let folder: string;
  const folderUrl = () => pathToFileURL(`${folder}/`);

  /** Opens all connections of the pool: without it, whoever connects first is ready before the others begin. */
  async function connectAll(count: number): Promise<void> {
    const clients = await Promise.all(Array.from({ length: count }, () => db.pool.connect()));
    for (const client of clients) client.release();
  }

  beforeEach(async () => {
    fresh = await createFreshDatabase();
    db = openDatabase({ url: fresh.url, maxConnections: 20, applicationName: "mesh test", statementTimeoutMs: 20_000 });
    await db.query(`drop schema public cascade`);
    await db.query(`create schema public`);
    folder = await mkdtemp(join(tmpdir(), "mesh-migrations-"));
    await copyFile(records, join(folder, "0001-records.sql"));
  });
  afterEach(async () => {
    await db.end();
    await fresh.drop();
    await rm(folder, { recursive: true });
  });

  it("makes an empty database what this program needs, and does nothing the second time", async () => {
    const first = await runMigrations(db);
    expect(first[0]).toBe("0001-records");
    expect(await runMigrations(db)).toEqual([]);
    expect((await listMigrations(db)).map(({ id }) => id)).toEqual(first);
  });

  it("is applied once when 20 start at the same moment", async () => {
    await connectAll(20);
    const results = await Promise.all(Array.from({ length: 20 }, () => runMigrations(db)));
    expect(results.flat().toSorted()).toEqual((await listMigrations(db)).map(({ id }) => id));
  });

  it("refuses a file that changed after it was applied", async () => {
    await runMigrations(db, folderUrl());
    await writeFile(join(folder, "0001-records.sql"), "select 1;");
    const failure = await runMigrations(db, folderUrl()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InputError);
    expect(String(failure)).toContain("0001-records changed");
  });

  it("refuses a database that is newer than the program", async () => {
    await writeFile(join(folder, "0002-later.sql"), "create table later (id integer);");
    await runMigrations(db, folderUrl());
    await rm(join(folder, "0002-later.sql"));
    const failure = await runMigrations(db, folderUrl()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InputError);
    expect(String(failure)).toContain("newer than this program: it has migration 0002-later");
  });

  it("keeps nothing of a file that fails half-way, and goes on when it is mended", async () => {
    await writeFile(join(folder, "0002-later.sql"), "create table later (id integer); select 1 / 0;");
    await expect(runMigrations(db, folderUrl())).rejects.toThrow("division by zero");
    expect((await db.query(`select to_regclass('later') as found`)).rows).toEqual([{ found: null }]);
    await writeFile(join(folder, "0002-later.sql"), "create table later (id integer);");
    expect(await runMigrations(db, folderUrl())).toEqual(["0002-later"]);
  });

  it("refuses a gap in the numbers and a file that is no migration", async () => {
    await writeFile(join(folder, "0003-gap.sql"), "select 1;");
    await expect(runMigrations(db, folderUrl())).rejects.toThrow("0003-gap is not number 2");
    await rm(join(folder, "0003-gap.sql"));
    await writeFile(join(folder, "notes.txt"), "");
    await expect(runMigrations(db, folderUrl())).rejects.toThrow("notes.txt");
  });
});
