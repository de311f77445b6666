import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { meshPaths } from "../../src/cli/mesh-setup.ts";
import { openEnvelope } from "../../src/link/envelope.ts";
import { loadRoleKeys } from "../../src/link/role-keys.ts";
import { listSends } from "../../src/store/declarations.ts";
import { listPastGrants, readLeaseStand } from "../../src/store/lease-history.ts";
import { listOpenPushes } from "../../src/store/pushes.ts";
import { inTransaction } from "../../src/store/transaction.ts";
import { databaseConsumer, databaseProvider, seedAssignment, seedBuild, seedNodes } from "./support/seed-mesh.ts";
import { openServedMesh, type ServedMesh } from "./support/served-mesh.ts";
import { waitUntil } from "./support/wait-until.ts";

const timeout = 300_000;
let served: ServedMesh;

beforeEach(async () => {
  served = await openServedMesh();
  await seedNodes(served, ["node-a", "node-b"]);
  await seedBuild(served, "app", 1);
  await seedAssignment(served, "node-a", "app");
  await seedAssignment(served, "node-b", "app");
});
afterEach(() => served.close());

/** Each grant as `role ended`, the newest first. */
async function grants(): Promise<string[]> {
  const past = await listPastGrants(served.db, served.mesh, 10);
  return past.map((one) => `${one.role} ${one.ended ?? "holds"}`);
}

async function sends(node: string): Promise<string[]> {
  const sent = await listSends(served.db, served.mesh, node, 10);
  return sent.map(({ order }) => `${order.epoch}.${order.number}`);
}

/** A send waits to be written, holding the gate: the push is in its middle for as long as a test likes. */
function holdSends(act: () => Promise<void>): Promise<void> {
  return hold("declaration in share mode", act);
}

function hold(what: string, act: () => Promise<void>): Promise<void> {
  return inTransaction(served.db, { isolation: "read committed" }, async (tx) => {
    await tx.query(`lock table ${what}`);
    const awake = setInterval(() => void tx.query("select 1"), 2_000);
    try {
      await act();
    } finally {
      clearInterval(awake);
    }
  });
}

function untilItWaits(): Promise<void> {
  return waitUntil("the push waits to be written", async () => (await listWaiting()).length > 0, 120_000);
}

async function listWaiting(forTable = ""): Promise<readonly unknown[]> {
  const { rows } = await served.db.query(
    `select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%' || $1 || '%'`,
    [forTable],
  );
  return rows;
}

async function listEnvelopes(): Promise<readonly Buffer[]> {
  const { rows } = await served.db.query("select envelope from declaration");
  return z
    .array(z.object({ envelope: z.instanceof(Buffer) }))
    .parse(rows)
    .map(({ envelope }) => envelope);
}

function draftOf(version: number): string {
  return join(dirname(meshPaths(served.state).rootDocument), `root-${version}.draft`);
}

function loseLease(): Promise<unknown> {
  return served.db.query("update lease set holder = 'another/1', beat = beat + 1, renewed_at = clock_timestamp()");
}

describe("a push from a shell without a controller (R40)", () => {
  it("is delivered by the shell under a lease of its own, which is given back", { timeout }, async () => {
    await served.db.query("update module set standing = 'out-of-date'");
    const shell = served.startShell("push", "node-a");
    expect(await shell.ended(), shell.output()).toBe(3); // no host was ever heard
    expect(shell.output()).toContain("this shell delivers under epoch 1");
    expect(shell.output()).toMatch(/settled.*applied on 0 of 1/);
    expect(shell.output()).toContain("hosts fetch it when a controller runs");
    expect(shell.output()).toContain("not built from this shell, and not at their newest source by the records: app");
    expect(await sends("node-a")).toEqual(["1.1"]);
    expect(await grants()).toEqual(["shell given-back"]);
  });

  it("goes under the first shell where two push at once, and both end", { timeout }, async () => {
    const shells = [served.startShell("push", "node-a"), served.startShell("declare", "node-b")];
    for (const shell of shells) expect(await shell.ended(), shell.output()).toBe(3);
    for (const shell of shells) expect(shell.output()).toContain("settled");
    expect(await sends("node-a")).toHaveLength(1);
    expect(await sends("node-b")).toHaveLength(1);
    expect((await readLeaseStand(served.db, served.mesh))?.holder).toBeNull();
    for (const grant of await grants()) expect(grant).toBe("shell given-back");
  });

  it("names whom a declaration by hand changed, tells nobody else, and says what does (R19)", { timeout }, async () => {
    await seedBuild(served, "postgres", 1, databaseProvider);
    await seedBuild(served, "consumer", 1, databaseConsumer);
    await seedAssignment(served, "node-b", "postgres");
    const provider = served.startShell("declare", "node-b");
    expect(await provider.ended(), provider.output()).toBe(3);
    await seedAssignment(served, "node-a", "consumer");
    const shell = served.startShell("declare", "node-a");
    expect(await shell.ended(), shell.output()).toBe(3); // no host was ever heard
    expect(shell.output()).toMatch(/changed by it, and not told: node-b \(.*database/);
    expect(shell.output()).toMatch(/next: mesh push node-b\n/);
    expect(await sends("node-b")).toHaveLength(1);
  });

  it("signs by the newest root, also where its folder knows an older one only (R46)", { timeout }, async () => {
    const { rootDocument, declarationKey } = meshPaths(served.state);
    const [first] = await loadRoleKeys(declarationKey);
    const before = await readFile(rootDocument);
    for (const words of [
      ["rotate", "declaration", "--revoke", first?.key.keyId ?? ""],
      ["root", "publish", draftOf(2)],
    ]) {
      const shell = served.startShell("keys", ...words);
      expect(await shell.ended(), shell.output()).toBe(0);
    }
    const newest = (await loadRoleKeys(declarationKey)).filter(({ file }) => file !== first?.file);
    // As in a folder that has the keys while another one published: the records know the new root, and no file here does.
    await writeFile(rootDocument, before);
    await rm(join(dirname(rootDocument), "roots"), { recursive: true, force: true });
    const shell = served.startShell("push", "node-a");
    expect(await shell.ended(), shell.output()).toBe(3); // no host was ever heard
    const envelopes = await listEnvelopes();
    const keys = newest.map(({ key }) => key.publicKey);
    expect(envelopes.map((envelope) => openEnvelope(envelope, { kind: "declaration", keys }).ok)).toEqual([true]);
  });

  it("acts under the holder's epoch where a controller runs", { timeout }, async () => {
    const controller = served.startController();
    await controller.hears("this controller acts for the mesh", 90_000);
    const shell = served.startShell("push", "node-a", "--timeout", "20");
    await waitUntil("it was sent", async () => (await sends("node-a")).length > 0, 60_000);
    expect(await shell.ended(), shell.output()).toBe(3);
    expect(shell.output()).not.toContain("this shell");
    expect(await sends("node-a")).toEqual(["1.1"]);
    expect(await grants()).toEqual(["controller holds"]);
  });
});

describe("a shell whose lease is lost (R34, R48)", () => {
  it("ends with 3 and a document that says so", { timeout }, async () => {
    const shell = served.startShell("push", "node-a", "--json", "--timeout", "200");
    await holdSends(async () => {
      await untilItWaits();
      await loseLease();
      expect(await shell.ended(), shell.output()).toBe(3);
    });
    const said = /\{"schema":"mesh\.push\.v1","error":.*\}/.exec(shell.output())?.[0] ?? shell.output();
    expect(JSON.parse(said)).toMatchObject({
      error: { kind: "unavailable", message: expect.stringContaining("the lease of this shell is lost") as string },
    });
  });
});

describe("a shell whose lease is lost while the records keep it waiting (R34)", () => {
  it("says so, and ends without their answer", { timeout }, async () => {
    const shell = served.startShell("push", "node-a", "--timeout", "200");
    await holdSends(async () => {
      await untilItWaits();
      await hold("push_target in access exclusive mode", async () => {
        const asks = async (): Promise<boolean> => (await listWaiting("from push_target")).length > 0;
        await waitUntil("the shell asks how far it is", asks, 60_000);
        await loseLease();
        expect(await shell.ended(), shell.output()).toBe(3);
        expect(shell.output()).toContain("the lease of this shell is lost");
        // The server has not noticed yet that nobody listens: the question was not waited out.
        expect(await asks()).toBe(true);
      });
    });
  });
});

describe("a shell that ends in the middle of its push (R40, R50)", () => {
  it("lets what was begun end at Ctrl-C, and the controller that stands by ends the push", { timeout }, async () => {
    const shell = served.startShell("push", "node-a", "--timeout", "200");
    await holdSends(async () => {
      await untilItWaits();
      const controller = served.startController();
      await controller.hears(new RegExp(`/${shell.pid}/[0-9a-f]{8} holds the lease since`), 120_000);
      await untilItWaits();
      shell.child.kill("SIGINT");
      await shell.hears("what was begun ends first");
    });
    expect(await shell.ended(), shell.output()).not.toBe(0);
    expect(shell.output()).toContain("gave its lease back; the push goes on when a controller runs");
    await expectOneSend();
    expect(await grants()).toEqual(["controller holds", "shell given-back"]);
  });

  it("is killed with -9: the push ends when a controller starts, and nothing is sent twice", { timeout }, async () => {
    const shell = served.startShell("push", "node-a", "--timeout", "200");
    await holdSends(async () => {
      await untilItWaits();
      await shell.end("SIGKILL");
    });
    served.startController();
    await expectOneSend();
    expect(await grants()).toEqual(["controller holds", "shell taken-over"]);
  });
});

/** The push that was left comes to its end, with one declaration for the node in all. */
async function expectOneSend(): Promise<void> {
  await waitUntil("the push ended", async () => (await listOpenPushes(served.db, served.mesh)).length === 0, 200_000);
  expect(await sends("node-a")).toHaveLength(1);
}
