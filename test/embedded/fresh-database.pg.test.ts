import pg from "pg";
import { expect, it } from "vitest";
import { createFreshDatabase } from "../support/fresh-database.ts";

it("gives each test a database of its own, and removes it", async () => {
  const [one, two] = await Promise.all([createFreshDatabase(), createFreshDatabase()]);
  const client = new pg.Client({ connectionString: one.url });
  client.on("error", () => undefined);
  await client.connect();
  await expect(client.query("SELECT * FROM mesh")).resolves.toMatchObject({ rows: [] });
  await client.query("CREATE TABLE only_here (x int)");
  const other = new pg.Client({ connectionString: two.url });
  await other.connect();
  await expect(other.query("SELECT * FROM only_here")).rejects.toThrow(/does not exist/);
  await other.end();
  await one.drop();
  await two.drop();
  await expect(new pg.Client({ connectionString: one.url }).connect()).rejects.toThrow(/does not exist/);
});
