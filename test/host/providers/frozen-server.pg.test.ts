import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import type { ResourceOf } from "../../../src/core/resource.ts";
import { removeResources } from "../../../src/host/cycle/remove-resources.ts";
import { NoAnswerError } from "../../../src/host/providers/no-answer.ts";
import { createPostgresqlProvider } from "../../../src/host/providers/postgresql.ts";
import type { ProviderAccess, WantedGrant } from "../../../src/host/providers/provider.ts";
import { makePostgresAccess } from "./support/postgres-access.ts";
import { raiseFreezer, type Freezer } from "./support/raise-freezer.ts";

const admin = new URL(inject("postgresAdminUrl"));
const provider = createPostgresqlProvider(Date.now);
let access: ProviderAccess;
let freezer: Freezer | null = null;
let names: string[] = [];

beforeEach(() => {
  access = makePostgresAccess(admin);
});

afterEach(async () => {
  await freezer?.close();
  freezer = null;
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  for (const name of names.splice(0)) {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`DROP ROLE IF EXISTS ${name}`);
  }
  await client.end();
});

function grantFor(consumer: string, version = 1): WantedGrant {
  const name = `${consumer}_${access.mesh}`;
  if (!names.includes(name)) names.push(name);
  const provision = `node-a.${consumer}.database.fedcba9876543210@node-b.postgres.0123456789abcdef`;
  return { provision, version, name, password: randomBytes(24).toString("base64url") };
}

describe("a PostgreSQL that freezes in the middle of a pass", { timeout: 60_000 }, () => {
  it("is asked for nothing more once it does not answer a login: the others wait for another pass (R44)", async () => {
    const grants = ["a", "b", "c", "d"].map((consumer) => grantFor(consumer));
    await provider.issueGrants(access, grants);
    // The administrator is answered, the first consumer is not.
    freezer = await raiseFreezer(admin, `user\0a_${access.mesh}\0`);
    const reading = provider.readGrants({ ...access, admin: freezer.admin }, grants);
    await expect(reading).rejects.toBeInstanceOf(NoAnswerError);
    // The look, one login, and whether anybody is answered at all.
    expect(freezer.connections()).toBe(3);
  });

  it("holds nobody up who has something newer to do: the signal ends what waits (case 31)", async () => {
    const [first, second] = [grantFor("a"), grantFor("b")];
    const newer = new Error("a newer declaration is there");
    const controller = new AbortController();
    freezer = await raiseFreezer(admin, `CREATE ROLE "${first.name}"`);
    const hanging = { ...access, admin: freezer.admin, signal: controller.signal };
    void freezer.frozen.then(() => controller.abort(newer));
    await expect(provider.issueGrants(hanging, [first, second])).rejects.toBe(newer);
    await expect(provider.readGrants(hanging, [])).rejects.toBe(newer);
    expect(freezer.connections()).toBe(1);
  });
});

describe("a consumer that holds a lock on what is its own (R20)", { timeout: 60_000 }, () => {
  it("holds up nobody else: the server itself ends the statement that waits for it", async () => {
    const web = grantFor("web");
    await provider.issueGrants(access, [web]);
    const { hostname: host, port } = admin;
    const consumer = new pg.Client({
      host,
      port: Number(port),
      user: web.name,
      password: web.password,
      database: web.name,
    });
    consumer.on("error", () => undefined);
    await consumer.connect();
    await consumer.query("BEGIN");
    await consumer.query(`ALTER ROLE ${web.name} SET search_path TO public`);
    await consumer.query(`ALTER ROLE ${web.name} PASSWORD 'its own'`);
    const [again, shop] = [grantFor("web", 2), grantFor("shop")];
    try {
      await expect(provider.issueGrants(access, [again, shop])).rejects.toThrow("cannot do it now");
      const observed = await provider.readGrants(access, [again, shop]);
      expect(observed.find(({ provision }) => provision === shop.provision)).toMatchObject({
        access: true,
        problems: [],
      });
    } finally {
      await consumer.end();
    }
    await provider.issueGrants(access, [again]);
    const mended = await provider.readGrants(access, [again, shop]);
    expect(mended.map(({ problems }) => problems)).toEqual([[], []]);
  });
});

describe("a PostgreSQL with no connection left for the host", { timeout: 60_000 }, () => {
  it("is there: what is removed with it is not taken for withdrawn while it lets others in (R20)", async () => {
    const [busy, web] = [grantFor("busy"), grantFor("web")];
    await provider.issueGrants(access, [busy, web]);
    const client = new pg.Client({ connectionString: admin.href });
    await client.connect();
    // As for an administrator while consumers hold them all.
    await client.query(`ALTER ROLE ${busy.name} CONNECTION LIMIT 0`);
    await client.end();
    const asBusy = { ...access, adminUser: busy.name, adminPassword: busy.password };
    const id = "grant/postgres/postgresql";
    const grant: ResourceOf<"grant"> = {
      id,
      module: "postgres",
      after: ["service/postgres/main"],
      kind: "grant",
      provider: "postgresql",
      endpoint: { host: "db", port: 5432 },
      admin: access.admin,
      adminUser: busy.name,
      adminPasswordFile: "${data}/admin",
      grants: [],
    };
    const { places, left } = await removeResources({
      gone: [grant],
      wanted: new Set(),
      async remove() {
        await provider.readGrants(asBusy, []);
        return { kind: "removed" };
      },
      redact: (text) => text,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    expect([places.size, left.map(({ report }) => report)]).toMatchObject([0, [{ id, state: "failed" }]]);
    expect(left[0]?.report.message).toContain("cannot do it now");
  });
});
