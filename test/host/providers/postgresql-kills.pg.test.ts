import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { createPostgresqlProvider } from "../../../src/host/providers/postgresql.ts";
import type { ProviderAccess, WantedGrant } from "../../../src/host/providers/provider.ts";
import { diffGrants } from "../../../src/host/resources/grant.ts";
import { makePostgresAccess } from "./support/postgres-access.ts";

const admin = new URL(inject("postgresAdminUrl"));
const provider = createPostgresqlProvider(Date.now);
const access: ProviderAccess = makePostgresAccess(admin);
const name = `kills_${access.mesh}`;
let server: pg.Client;

beforeAll(async () => {
  server = new pg.Client({ connectionString: admin.href });
  await server.connect();
});

afterAll(async () => {
  await dropAll();
  await server.end();
});

function grantFor(version: number): WantedGrant {
  const provision = "node-a.web.database@node-b.postgres.0123456789abcdef";
  return { provision, version, name, password: randomBytes(24).toString("base64url") };
}

async function login(grant: WantedGrant): Promise<pg.Client> {
  const { hostname: host, port } = admin;
  const options = { host, port: Number(port), user: name, password: grant.password, database: name };
  const client = new pg.Client(options);
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** The host is killed before the nth statement that it sends; its connection ends with it. */
function cutBefore(nth: number) {
  const query = Reflect.get(pg.Client.prototype, "query") as (...given: never[]) => unknown;
  let sent = 0;
  return vi.spyOn(pg.Client.prototype, "query").mockImplementation(function cut(this: pg.Client, ...words: never[]) {
    sent += 1;
    if (sent >= nth) throw new Error("killed");
    return query.apply(this, words) as never;
  } as never);
}

async function dropAll(): Promise<void> {
  await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await server.query(`DROP ROLE IF EXISTS ${name}`);
}

/** What the next pass of the host does: reads, and does what differs. Then nothing differs any more. */
async function passAgain(wanted: readonly WantedGrant[], act: () => Promise<void>): Promise<void> {
  const difference = async () => diffGrants({ access, grants: wanted }, await provider.readGrants(access, wanted));
  if ((await difference()) !== null) await act();
  expect(await difference()).toBeNull();
}

const [first, second] = [grantFor(1), grantFor(2)];

describe("PostgreSQL as a provider, killed before each statement (R20, R44)", () => {
  it.each([
    { what: "a mint", begin: dropAll, wanted: [first] },
    { what: "a new version", begin: () => provider.issueGrants(access, [first]), wanted: [second] },
    { what: "a withdrawal", begin: () => provider.issueGrants(access, [second]), wanted: [] },
  ])(
    "comes to the same at the next pass: $what",
    async ({ begin, wanted }) => {
      const act = async (): Promise<void> =>
        wanted.length > 0
          ? provider.issueGrants(access, wanted)
          : provider.withdrawGrants(access, await provider.readGrants(access, []));
      for (let cutAt = 1; ; cutAt += 1) {
        await begin();
        // Open while it is withdrawn.
        if (wanted.length === 0) await login(second);
        const cut = cutBefore(cutAt);
        const isCut = await act().then(
          () => false,
          () => true,
        );
        cut.mockRestore();
        await passAgain(wanted, act);
        for (const grant of wanted) {
          const client = await login(grant);
          await client.query("CREATE TABLE IF NOT EXISTS rows (id integer)");
          await client.end();
        }
        if (wanted.length === 0) {
          const sessions = await server.query("SELECT pid FROM pg_stat_activity WHERE usename = $1", [name]);
          expect(sessions.rows).toEqual([]);
          await expect(login(second)).rejects.toThrow();
        }
        if (!isCut) break;
      }
    },
    180_000,
  );
});
