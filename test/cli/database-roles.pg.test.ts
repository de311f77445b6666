import { chmodSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { commandTable } from "../../src/cli/command-table.ts";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { writePrivateFile } from "../../src/disk/private-file.ts";
import { dropLogins } from "../support/drop-logins.ts";
import { type CommandBed, connectionTo, openCommandBed } from "./command-bed.ts";
import { runMesh } from "./fake-context.ts";

let bed: CommandBed;
beforeAll(async () => {
  bed = await openCommandBed();
  await mkdir(paths().secrets, { mode: 0o700 });
  await writePrivateFile(paths().databaseUrl, bed.records.url);
});
afterAll(async () => {
  await dropLogins(bed.records.db, paths());
  await bed.close();
});

const paths = () => meshPaths(bed.state);

describe("mesh database roles", () => {
  it("says that the roles are in force", async () => {
    expect(await bed.documentOf("database", "roles")).toMatchObject({ enforced: true, why: null });
  });

  it("says that the controller goes in as the owner, what an administrator can run, and makes its logins", async () => {
    const before = await bed.run("database", "roles");
    expect(before).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/logs in as the owner of the tables: none were made\n {2}next: .*--apply/),
    });
    expect(
      (await bed.run("database", "roles", "--sql")).stdout.match(/^create role mesh_\w+ login .* in role/gm),
    ).toHaveLength(3);
    expect(await bed.run("database", "roles", "--apply")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/by logins of its own/),
    });
    expect(await bed.documentOf("database", "roles")).toMatchObject({
      enforced: true,
      logins: { own: true, why: null },
    });
    expect((await bed.run("database", "roles", "--sql")).stdout).toMatch(/^-- nothing to run/);
  });

  it("makes the logins again where records are read in on a server that does not have them", async () => {
    const file = join(bed.state, "backup");
    expect((await bed.run("backup", file)).code).toBe(0);
    await dropLogins(bed.records.db, paths());
    expect(await bed.run("database", "roles")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /cannot log in: the server does not have mesh_controller_\w+, .*\n {2}next: .*--apply/,
      ),
    });
    expect(await bed.documentOf("restore", file, "--replace")).toMatchObject({ asOwner: null });
    expect(await bed.documentOf("database", "roles")).toMatchObject({ logins: { own: true, why: null } });
  });

  it("leaves no doubt that records were read in, where the logins cannot be made after that (R35)", async () => {
    const file = join(bed.state, "backup-again");
    expect((await bed.run("backup", file)).code).toBe(0);
    expect((await bed.run("database", "roles", "--apply")).code).toBe(0);
    chmodSync(paths().databaseLogins, 0o644);
    onTestFinished(() => chmodSync(paths().databaseLogins, 0o600));
    const ran = await bed.run("restore", file, "--replace");
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(
      /^mesh: the records are restored, as of 2\S+Z, and the mesh is stopped; .* was not done: /,
    );
    expect(ran.stderr).toMatch(/\n {2}next: do not type this again: start the controller .*: mesh recover;/);
    expect((await bed.run("status")).stdout).toContain("STOPPED");
  });

  it("says what is wrong, ends with 1, and mends it where it may", async () => {
    await bed.records.db.query(`grant update on mesh to mesh_gateway`);
    const wrong = await bed.run("database", "roles");
    expect(wrong).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/0 rights are missing and 1 are too many\n.*--apply/),
    });
    expect((await bed.run("database", "roles", "--apply")).code).toBe(0);
    expect((await bed.run("database", "roles")).code).toBe(0);
  });

  it("has a mesh that did not use them use them from now on", async () => {
    const before = connectionTo({ state: bed.state, mesh: "home", db: bed.records.db });
    const openMesh = async () => ({ ...before, setup: { ...before.setup, databaseRoles: false } });
    const context = { env: { MESH_STATE: bed.state }, openMesh };
    expect(await runMesh(["database", "roles"], context)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/does not use them yet/),
    });
    expect((await runMesh(["database", "roles", "--apply"], context)).code).toBe(0);
    expect(JSON.parse(readFileSync(join(bed.state, "mesh.json"), "utf8"))).toMatchObject({
      schema: 1,
      databaseRoles: true,
    });
  });
});

describe("with whose rights a command reaches the records (R41)", () => {
  it("is the owner's for these alone", () => {
    const owners = commandTable.filter(({ as }) => as === "owner").map(({ words }) => words);
    expect(owners.toSorted()).toEqual(["backup", "database roles", "restore", "serve", "up"]);
  });

  it("refuses a write to a command that only looks", async () => {
    const { db } = await bed.connect(bed.state, "viewer");
    await expect(db.query(`update node set address = 'x'`)).rejects.toThrow(/permission denied for table node/);
  });
});
