import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { pushWorkflowId } from "../../src/decide/ids.ts";
import { openFlowMesh, type FlowMesh } from "./support/flow-mesh.ts";
import { seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const password = "a-password-of-this-test";

/** A person mends an address, a password or a database's name: until then a push waits, and is not lost (R33). */
describe("a push whose controller is let into the records no more", () => {
  let flow: FlowMesh;
  let admin: pg.Client;
  let user: string;

  beforeEach(async () => {
    user = `locked_${randomBytes(4).toString("hex")}`;
    admin = new pg.Client({ connectionString: inject("postgresAdminUrl") });
    await admin.connect();
    flow = await openFlowMesh({ user, password });
    await seedNodes(flow, ["node-a"]);
    await seedBuild(flow, "app", 1);
    await seedAssignment(flow, "node-a", "app");
  });

  afterEach(async () => {
    await flow.close();
    await admin.query(`drop role if exists ${user}`);
    await admin.end();
  });

  const database = (): string => new URL(flow.databaseUrl).pathname.slice(1);
  const cut = (where: string) => admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${where}`);

  const cases = [
    {
      what: "its password is another one (28P01)",
      breaks: async () => {
        await admin.query(`alter role ${user} password 'another'`);
        await cut(`usename = '${user}'`);
      },
      mends: () => admin.query(`alter role ${user} password '${password}'`),
      says: /refused the connection.*password authentication failed/,
    },
    {
      what: "its role may log in no more (28000)",
      breaks: async () => {
        await admin.query(`alter role ${user} nologin`);
        await cut(`usename = '${user}'`);
      },
      mends: () => admin.query(`alter role ${user} login`),
      says: /refused the connection.*not permitted to log in/,
    },
    {
      what: "its login is in the role no more (42501)",
      breaks: async () => {
        await admin.query(`revoke mesh_controller from ${user}`);
        await cut(`usename = '${user}'`);
      },
      mends: () => admin.query(`grant mesh_controller to ${user}`),
      says: /did not let this process take its role/,
    },
    {
      what: "the database has another name (3D000)",
      breaks: async () => {
        await admin.query(`alter database ${database()} allow_connections false`);
        await cut(`datname = '${database()}'`);
        await admin.query(`alter database ${database()} rename to ${database()}_moved`);
      },
      mends: async () => {
        await admin.query(`alter database ${database()}_moved rename to ${database()}`);
        await admin.query(`alter database ${database()} allow_connections true`);
      },
      says: /refused the connection.*database .* does not exist/,
    },
  ];

  it.each(cases)("waits where $what, and ends well when that is put right", async ({ breaks, mends, says }) => {
    await breaks();
    const order = { kind: "named", named: ["node-a"], requestedBy: "test", why: "", confirmRemoval: false } as const;
    const started = await flow.controller.startPush({ mesh: flow.mesh, ...order });
    const handle = flow.client.workflow.getHandle(pushWorkflowId(flow.mesh, started.pushId));
    const waiting = async () => (await handle.describe()).raw.pendingActivities?.[0];
    await waitUntil("it was refused, and tries again", async () => ((await waiting())?.attempt ?? 0) > 1);
    expect((await waiting())?.lastFailure?.message).toMatch(says);
    await mends();
    expect((await started.result()).outcome).toBe("settled");
  });
});
