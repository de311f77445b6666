import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { afterEach, describe, expect, inject, it } from "vitest";
import type { Secret } from "../../src/core/declaration.ts";
import type { Resource } from "../../src/core/resource.ts";
import { raiseHostBed, resourceOf, type HostBed } from "../support/host-bed.ts";

const admin = new URL(inject("postgresAdminUrl"));
let bed: HostBed | null = null;
let names: string[] = [];

afterEach(async () => {
  await bed?.close();
  bed = null;
  for (const name of names)
    await asAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, `DROP ROLE IF EXISTS ${name}`);
  names = [];
});

async function asAdmin(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}

function secretFor(consumer: string): Secret {
  const user = `${consumer}_${randomBytes(4).toString("hex")}`;
  names.push(user);
  const provision = `node-c.${consumer}.database@node-a.postgres.0123456789abcdef`;
  return { node: "node-a", provision, version: 1, user, password: randomBytes(24).toString("base64url") };
}

function grantList(adminPasswordFile: string, secrets: readonly Secret[]): Resource {
  return {
    id: "grant/postgres/postgresql",
    module: "postgres",
    after: [],
    kind: "grant",
    provider: "postgresql",
    endpoint: { host: admin.hostname, port: Number(admin.port) },
    admin: admin.host,
    adminUser: decodeURIComponent(admin.username),
    adminPasswordFile,
    grants: secrets.map(({ provision, version, user }) => {
      const [, module = ""] = provision.split(".");
      return { provision, version, name: user, consumer: { node: "node-c", module, requirement: "database" } };
    }),
  };
}

describe("a provider's host", { timeout: 60_000 }, () => {
  it("mints, mends and withdraws what its grant list says, and reports what is there (R17, R20, R44)", async () => {
    bed = await raiseHostBed();
    const file = path.join(path.dirname(bed.dir), "admin-password");
    const [web, shop] = [secretFor("web"), secretFor("shop")];
    await bed.send(1, [grantList(file, [web, shop])], [web, shop]);
    bed.start("--interval", "1", "--admin-password-file", file);
    // The server's password is not there yet: that is waited for.
    const early = await bed.report(({ outcome }) => outcome === "half", "waiting");
    expect(resourceOf(early, "grant/postgres/postgresql")?.message).toContain("is not there yet");
    expect(resourceOf(early, "grant/postgres/postgresql")?.provisions).toBeUndefined();
    await writeFile(file, `${decodeURIComponent(admin.password)}\n`, { mode: 0o600 });
    const minted = await bed.report(({ outcome }) => outcome === "applied", "applied");
    const ids = [web, shop].map(({ provision, version }) => ({ provision, version }));
    expect(resourceOf(minted, "grant/postgres/postgresql")?.provisions).toEqual(expect.arrayContaining(ids));

    await asAdmin(`ALTER ROLE ${web.user} NOLOGIN`);
    const drifted = await bed.report((report) => report.resources.some(({ drift }) => drift !== undefined), "drift");
    expect(resourceOf(drifted, "grant/postgres/postgresql")).toMatchObject({
      state: "applied",
      drift: { wanted: `${web.provision} v1`, found: `${web.provision} v1 without access` },
    });

    await bed.send(2, [grantList(file, [shop])], [shop]);
    const one = await bed.report((report) => report.has?.number === 2 && report.outcome === "applied", "one");
    expect(resourceOf(one, "grant/postgres/postgresql")?.provisions).toEqual([
      { provision: shop.provision, version: 1 },
    ]);

    // The whole provider is unassigned: nothing is granted any more, and that is said too.
    await bed.send(3, []);
    const none = await bed.report((report) => report.has?.number === 3 && report.outcome === "applied", "none");
    expect(resourceOf(none, "grant/postgres/postgresql")?.provisions).toEqual([]);
    const { hostname: host, port } = admin;
    const client = new pg.Client({
      host,
      port: Number(port),
      user: shop.user,
      password: shop.password,
      database: shop.user,
    });
    await expect(client.connect()).rejects.toThrow();

    // A debt may be told to a later declaration than the one that removed it, and the host may have come back since.
    await bed.end("SIGKILL");
    bed.start("--interval", "1", "--admin-password-file", file);
    await bed.send(4, []);
    const later = await bed.report((report) => report.has?.number === 4 && report.outcome === "applied", "later");
    expect(resourceOf(later, "grant/postgres/postgresql")?.provisions).toEqual([]);
    await bed.send(5, [grantList(file, [shop])], [shop]);
    const again = await bed.report((report) => report.has?.number === 5 && report.outcome === "applied", "again");
    expect(resourceOf(again, "grant/postgres/postgresql")?.provisions).toHaveLength(1);
    expect(JSON.stringify(bed.reports) + bed.log()).not.toContain(web.password);
  });
});
