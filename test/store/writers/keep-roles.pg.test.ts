import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RecordsRefusedError } from "../../../src/core/errors.ts";
import { openDatabase, type Database } from "../../../src/store/database.ts";
import { runMigrations } from "../../../src/store/migrate.ts";
import { listNodes } from "../../../src/store/nodes.ts";
import { keepRoles, readRolesInForce, writeRolesScript } from "../../../src/store/writers/keep-roles.ts";
import type { DatabaseRole } from "../../../src/store/writers/database-role.ts";
import { mesh, openRecords, type Records } from "../open-records.ts";

const pools: Database[] = [];
function open(url: string, role?: DatabaseRole): Database {
  const db = openDatabase({ url, role, maxConnections: 2, applicationName: "mesh test", statementTimeoutMs: 20_000 });
  pools.push(db);
  return db;
}

let records: Records;
const suffix = randomBytes(6).toString("hex");
const [owner, alice, given] = [`owner_${suffix}`, `alice_${suffix}`, `given_${suffix}`];
let admin: Database;

beforeAll(async () => {
  records = await openRecords();
  admin = open(inject("postgresAdminUrl"));
});
afterAll(async () => {
  await records.close();
  await Promise.all(pools.filter((pool) => pool !== admin).map((pool) => pool.end()));
  await admin.query(`drop database if exists ${given} with (force)`);
  for (const name of [owner, alice]) await admin.query(`drop role if exists ${name}`);
  await admin.end();
});

function addressOf(user: string, database?: string): string {
  const url = new URL(records.url);
  url.username = user;
  if (database !== undefined) url.pathname = `/${database}`;
  return url.href;
}

async function makeLogin(name: string, more = ""): Promise<void> {
  await admin.query(`create role ${name} login password '${new URL(records.url).password}' ${more}`);
}

async function whoIs(db: Database): Promise<unknown> {
  return (await db.query(`select current_user as me, session_user = current_user as same`)).rows;
}

describe("roles of a database", () => {
  it("are made once, whoever starts at the same moment", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => keepRoles(records.db)));
    expect(new Set(all.map(({ enforced }) => enforced))).toEqual(new Set([true]));
    expect(await readRolesInForce(records.db)).toEqual({ enforced: true });
  });

  it("are taken with the connection, also where the address has options of its own", async () => {
    expect(await whoIs(open(records.url, "viewer"))).toEqual([{ me: "mesh_viewer", same: false }]);
    const url = `${records.url}?options=${encodeURIComponent("-c role=none -c work_mem=1MB")}`;
    const db = open(url, "gateway");
    expect(await whoIs(db)).toEqual([{ me: "mesh_gateway", same: false }]);
    expect((await db.query("show work_mem")).rows).toEqual([{ work_mem: "1MB" }]);
  });

  it("are not in force while the database's user may not make or take them, until an administrator did", async () => {
    await makeLogin(owner);
    await admin.query(`create database ${given} owner ${owner}`);
    const db = open(addressOf(owner, given));
    await runMigrations(db);
    const before = await keepRoles(db);
    expect(before).toEqual({ enforced: false, why: expect.stringMatching(/permission denied|must have admin option/) });
    expect(await readRolesInForce(db)).toMatchObject({
      enforced: false,
      why: expect.stringMatching(/mesh_viewer is not/),
    });
    await expect(open(addressOf(owner, given), "viewer").query("select 1")).rejects.toThrow(RecordsRefusedError);

    const script = await writeRolesScript(db);
    expect(script).toContain(`grant mesh_controller to ${owner};`);
    await admin.query(script);
    expect(await writeRolesScript(db)).toBe("");
    expect(await readRolesInForce(db)).toMatchObject({
      enforced: false,
      why: expect.stringMatching(/rights are missing/),
    });
    expect(await keepRoles(db)).toEqual({ enforced: true });
    expect(await listNodes(open(addressOf(owner, given), "viewer"), mesh)).toEqual([]);
  });

  it("let a person who was given one look and no more, and say which role was refused (R41)", async () => {
    await makeLogin(alice, "in role mesh_viewer");
    expect(await listNodes(open(addressOf(alice), "viewer"), mesh)).toEqual([]);
    const asOperator = open(addressOf(alice), "operator").query("select 1");
    await expect(asOperator).rejects.toThrow(/did not let this process take its role: .*mesh_operator/);
    await expect(asOperator).rejects.toMatchObject({ next: "see what is missing: mesh database roles" });
    // Her own session has no way back to more than she has.
    const plain = open(addressOf(alice));
    await expect(plain.query(`update mesh set number = 0`)).rejects.toThrow(/permission denied/);
    await expect(plain.query(`set role mesh_controller`)).rejects.toThrow(/permission denied/);
  });
});
