import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.ts";
import { checkBackup } from "../../src/store/backup/archive.ts";
import { listTables } from "../../src/store/backup/list-tables.ts";
import { restoreBackup } from "../../src/store/backup/restore-backup.ts";
import { takeBackup } from "../../src/store/backup/take-backup.ts";
import { openDatabase, type Database } from "../../src/store/database.ts";
import { newestDeclaration } from "../../src/store/declarations.ts";
import { readLease, releaseLease } from "../../src/store/lease.ts";
import { getMesh } from "../../src/store/meshes.ts";
import { runMigrations } from "../../src/store/migrate.ts";
import { insertProvisions } from "../../src/store/provisions.ts";
import { readStop } from "../../src/store/stop.ts";
import { withGate } from "../../src/store/gate.ts";
import { ensureMesh } from "../../src/store/meshes.ts";
import { createFreshDatabase } from "../support/fresh-database.ts";
import { addModules, addNodes, grant, mesh, openRecords, provisionOf, type Records, sendOne } from "./open-records.ts";

let records: Records;
let folder: string;
let file: string;
let content: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-backup-"));
  file = join(folder, "backup");
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
  await addModules(records.db, "app");
  const epoch = await grant(records.db);
  for (let sent = 0; sent < 3; sent += 1) await sendOne(records.db, epoch, "node-a", { builds: {} });
  await withGate(records.db, { mesh, epoch, count: 1 }, (tx) =>
    insertProvisions(tx, mesh, { push: "p1", provisions: [provisionOf("node-a")] }),
  );
  await records.db.query(`update module set source_subject = $1`, [`Grüße 💥 "quoted" \\n \u2028`]);
  await releaseLease(records.db, { mesh, holder: "controller-1", epoch });
  await takeBackup(records.db, file);
  content = gunzipSync(await readFile(file)).toString("utf8");
});
afterAll(async () => {
  await records.close();
  await rm(folder, { recursive: true, force: true });
});

async function withFresh<T>(use: (db: Database) => Promise<T>): Promise<T> {
  const fresh = await createFreshDatabase();
  const db = openDatabase({
    url: fresh.url,
    maxConnections: 2,
    applicationName: "restore",
    statementTimeoutMs: 20_000,
  });
  try {
    return await use(db);
  } finally {
    await db.end();
    await fresh.drop();
  }
}

const request = { mesh, by: "ada", replace: false };

/** Every row of every table, but of those in which a restore notes itself. */
async function readAll(db: Database): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {};
  for (const { name } of await listTables(db)) {
    if (["restore", "condition", "lease"].includes(name)) continue;
    const sql = `select (row_to_json(t)::jsonb - 'stopped_at' - 'stopped_for')::text as row from "${name}" t order by 1`;
    all[name] = (await db.query(sql)).rows;
  }
  return all;
}

describe("a backup", () => {
  it("is for its owner's eyes, and is never written over", async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(takeBackup(records.db, file)).rejects.toThrow(/is there already/);
    await expect(takeBackup(records.db, join(folder, "no", "such"))).rejects.toThrow(InputError);
  });

  it("of two at once under one name is the one that says so, whole; the other is refused", async () => {
    const name = join(folder, "twice");
    const ended = await Promise.allSettled([1, 2, 3].map(() => takeBackup(records.db, name)));
    const taken = ended.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const refused = ended.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
    expect(refused).toEqual(Array(2).fill(expect.stringMatching(/twice is there already/)));
    expect([(await checkBackup(name)).sha256]).toEqual(taken.map(({ sha256 }) => sha256));
    expect((await readdir(folder)).filter((one) => one.startsWith("twice"))).toEqual(["twice"]);
  });

  it("is of one moment, whatever is written meanwhile", async () => {
    const name = join(folder, "moment");
    await Promise.all([takeBackup(records.db, name), addNodes(records.db, "node-late")]);
    await checkBackup(name);
    await records.db.query(`delete from node where name = 'node-late'`);
  });

  it("comes back as it was, byte by byte, and the mesh is stopped (R35)", async () => {
    await withFresh(async (db) => {
      await db.query(`drop schema public cascade; create schema public`);
      await restoreBackup(db, { ...request, file });
      expect(await readAll(db)).toEqual(await readAll(records.db));
      const [mail, before] = [
        await newestDeclaration(db, mesh, "node-a"),
        await newestDeclaration(records.db, mesh, "node-a"),
      ];
      expect(mail?.envelope.equals(before?.envelope ?? Buffer.alloc(0))).toBe(true);
      expect(await readStop(db, mesh)).toMatchObject({ reason: "restored" });
      expect(await readLease(db, mesh)).toMatchObject({ holder: null });
      expect(await runMigrations(db)).toEqual([]);
    });
  });

  it("of a newer program is refused", async () => {
    const [head = "", ...rest] = content.split("\n");
    const header = JSON.parse(head) as { migrations: { id: string; sha256: string }[] };
    const newer = { ...header, migrations: [...header.migrations, { id: "9999-later", sha256: "0".repeat(64) }] };
    await withFresh(async (db) => {
      const path = await write("newer", [JSON.stringify(newer), ...rest]);
      const restored = restoreBackup(db, { ...request, file: path });
      await expect(restored).rejects.toThrow(/the backup is newer than this program: .*9999-later/);
      expect(await getMesh(db, mesh)).toBeNull();
    });
  });

  it("with another first migration, or without it, is refused for what the file is", async () => {
    const [head = "", ...rest] = content.split("\n");
    const header = JSON.parse(head) as { migrations: { id: string; sha256: string }[] };
    const [first, ...later] = header.migrations;
    const other = { ...header, migrations: [{ ...first, sha256: "0".repeat(64) }, ...later] };
    await withFresh(async (db) => {
      const changed = await write("other", [JSON.stringify(other), ...rest]);
      const refused = restoreBackup(db, { ...request, file: changed });
      await expect(refused).rejects.toThrow(/^the backup's tables are not those of this program/);
      const without = await write("without", [JSON.stringify({ ...header, migrations: later }), ...rest]);
      await expect(restoreBackup(db, { ...request, file: without })).rejects.toThrow(/^the backup lists no migration/);
    });
  });

  it("of an older program is brought to what this one needs", async () => {
    const path = join(folder, "older");
    await withFresh(async (db) => {
      await db.query(`drop schema public cascade; create schema public`);
      await runMigrations(db, await firstMigrations(1));
      await db.query(`insert into mesh (name, number, epoch) values ('${mesh}', 7, 2)`);
      await takeBackup(db, path);
    });
    await withFresh(async (db) => {
      await restoreBackup(db, { ...request, file: path });
      expect(await getMesh(db, mesh)).toMatchObject({ number: 7, epoch: 2 });
      expect(await readStop(db, mesh)).not.toBeNull();
      expect(await runMigrations(db)).toEqual([]);
    });
  });
});

/** A folder with the first so many of the migrations. */
async function firstMigrations(count: number): Promise<URL> {
  const from = fileURLToPath(new URL("../../src/store/migrations/", import.meta.url));
  const to = join(folder, `first-${count}`);
  await mkdir(to);
  for (const name of (await readdir(from)).toSorted().slice(0, count)) await copyFile(join(from, name), join(to, name));
  return pathToFileURL(`${to}/`);
}

/** The lines as a whole backup: with the footer that fits them. */
async function write(name: string, lines: readonly string[]): Promise<string> {
  const body = lines.filter((line) => line !== "" && !line.startsWith(`{"rows":`));
  const rows = body.slice(1).filter((line) => !/^\{"table":"[a-z_]+"\}$/.test(line)).length;
  const sha256 = createHash("sha256")
    .update(body.map((line) => `${line}\n`).join(""))
    .digest("hex");
  const path = join(folder, name);
  await writeFile(path, gzipSync(`${body.join("\n")}\n${JSON.stringify({ rows, sha256 })}\n`));
  return path;
}

describe("a restore is refused, and the database is as it was,", () => {
  async function refuse(why: RegExp, more: Partial<Parameters<typeof restoreBackup>[1]> = {}): Promise<void> {
    const before = await readAll(records.db);
    const refused = restoreBackup(records.db, { ...request, file, replace: true, ...more });
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.toThrow(InputError);
    expect(await readAll(records.db)).toEqual(before);
    expect(await readStop(records.db, mesh)).toBeNull();
  }

  it("where there are records of its own and nobody said that they may go", () =>
    refuse(/has records of its own/, { replace: false }));

  it("where a controller holds the lease", async () => {
    const epoch = await grant(records.db);
    await refuse(/controller controller-1 holds the lease/);
    const renewed = (at: string) => records.db.query(`update lease set renewed_at = now() + $1::interval`, [at]);
    await renewed("5 seconds");
    await refuse(/controller controller-1 holds the lease/);
    // Renewed while the clock was ahead, and gone since: it may not keep everybody out until then.
    await renewed("90 days");
    await refuse(/has records of its own/, { replace: false });
    await renewed("0 seconds");
    await releaseLease(records.db, { mesh, holder: "controller-1", epoch });
  });

  it("where another mesh shares the database, and the file lacks it: its records would be gone", async () => {
    await ensureMesh(records.db, "other");
    await records.db.query(`insert into node (mesh, name, address) values ('other', 'node-z', '10.0.0.9')`);
    await refuse(/the database has mesh other too, of which the backup knows nothing/);
    await records.db.query(`delete from node where mesh = 'other'`);
    await records.db.query(`delete from mesh where name = 'other'`);
  });

  it("where a newer program made its tables: those that this one does not know would stay (R35)", async () => {
    await records.db.query(`insert into schema_migration (id, sha256) values ('0999-later', 'x')`);
    await refuse(/the database is newer than this program: it has migration 0999-later/);
    await records.db.query(`delete from schema_migration where id = '0999-later'`);
  });

  it("where the file has nothing of a table that its records had", async () => {
    const lines = content.split("\n").filter((line) => line !== `{"table":"artifact"}`);
    await refuse(/has nothing of artifact, which its records had/, { file: await write("less", lines) });
  });

  it("where it is a backup of another mesh", () =>
    refuse(/is a backup of mesh home, not of elsewhere/, { mesh: "elsewhere" }));

  it.each([
    ["a table that is none of ours", [`{"table":"pg_class"}`, `{"oid":1}`], /no table of its own records/],
    ["a row with other columns", [`{"table":"wave"}`, `{"mesh":"home"}`], /other columns than the table/],
    ["a row that is twice there", [`{"table":"mesh"}`, `MESH`], /a row of mesh in the backup is refused/],
    ["a row that is no object", [`{"table":"wave"}`, `[1]`], /other columns than the table/],
  ])("where it has %s", async (_what, extra, why) => {
    const lines = content.split("\n");
    const row = lines[lines.indexOf(`{"table":"mesh"}`) + 1] ?? "";
    await refuse(why, {
      file: await write("extra", [...lines, ...extra.map((line) => (line === "MESH" ? row : line))]),
    });
  });

  it.each([
    ["nothing in it", Buffer.alloc(0)],
    ["no gzip", Buffer.from("hello")],
    ["no backup in it", gzipSync(`{"a":1}\n`)],
    ["no JSON in it", gzipSync("\u0000\n")],
    ["an endless first line", gzipSync(Buffer.alloc(70 * 1024 * 1024, "x"))],
  ])("where the file has %s", async (_what, bytes) => {
    const path = join(folder, "hostile");
    await writeFile(path, bytes);
    await refuse(/is damaged|is no backup/, { file: path });
  });

  it("where the file is cut anywhere, or any bit of it is flipped", { timeout: 120_000 }, async () => {
    const bytes = await readFile(file);
    const path = join(folder, "fuzzed");
    const before = await readAll(records.db);
    for (let at = 0; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 150))) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      for (const hostile of [bytes.subarray(0, at), flipped]) {
        await writeFile(path, hostile);
        // What gzip itself does not look at (its time, its system, a name) is not part of the content.
        const { sha256 } = await checkBackup(path).catch((error: unknown) => {
          expect(error).toBeInstanceOf(InputError);
          return { sha256: null };
        });
        if (sha256 !== null) expect(sha256).toBe((await checkBackup(file)).sha256);
      }
    }
    expect(await readAll(records.db)).toEqual(before);
  });

  it("and so is one whose content was changed with gzip whole", async () => {
    const path = join(folder, "changed");
    await writeFile(path, gzipSync(content.replace("node-b", "node-x")));
    await refuse(/another digest/, { file: path });
  });
});

describe("a restore over newer records", () => {
  it("never numbers below what they had numbered (R35)", async () => {
    const epoch = await grant(records.db);
    const { number } = await sendOne(records.db, epoch, "node-a");
    await releaseLease(records.db, { mesh, holder: "controller-1", epoch });
    await restoreBackup(records.db, { ...request, file, replace: true });
    expect(await getMesh(records.db, mesh)).toMatchObject({ number, epoch, epochFloor: epoch });
    expect(await newestDeclaration(records.db, mesh, "node-a")).toMatchObject({ order: { epoch: 1, number: 3 } });
  });
});
