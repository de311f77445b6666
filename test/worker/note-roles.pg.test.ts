import { afterAll, beforeAll, expect, it } from "vitest";
import { listConditions } from "../../src/store/conditions.ts";
import { noteOwner, noteRoles } from "../../src/worker/note-roles.ts";
import { prepareDatabase } from "../../src/worker/prepare-database.ts";
import { mesh, openRecords, type Records } from "../store/open-records.ts";

let records: Records;
beforeAll(async () => {
  records = await openRecords();
});
afterAll(() => records.close());

it("a mesh whose processes have all rights says so in status, until they have not (R33, R41)", async () => {
  await noteRoles(records.db, mesh, { enforced: false, why: "permission denied to create role" });
  expect(await listConditions(records.db, mesh)).toMatchObject([
    {
      code: "database-roles-missing",
      message: expect.stringMatching(/all rights of its database user: permission denied to create role/),
      remedy: expect.stringMatching(/mesh database roles --sql/),
    },
  ]);
  await noteRoles(records.as("controller"), mesh, { enforced: true });
  expect(await listConditions(records.db, mesh)).toEqual([]);
});

it("a controller that goes in as the owner says so in status, until it has logins of its own (R33, R41)", async () => {
  await noteOwner(records.as("controller"), mesh, "owner");
  expect(await listConditions(records.db, mesh)).toMatchObject([
    { code: "controller-as-owner", remedy: expect.stringMatching(/mesh database roles --apply/) },
  ]);
  await noteOwner(records.as("controller"), mesh, "logins");
  expect(await listConditions(records.db, mesh)).toEqual([]);
});

it("a controller's start gives back what somebody changed by hand", async () => {
  await records.db.query(`grant insert on declaration to mesh_operator`);
  expect(await prepareDatabase({ databaseUrl: records.url, mesh })).toMatchObject({ enforced: true });
  await expect(records.as("operator").query(`insert into declaration (mesh) select null where false`)).rejects.toThrow(
    /permission denied for table declaration/,
  );
});
