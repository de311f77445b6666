import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HostKeys } from "../../src/core/node.ts";
import { createToken, useToken } from "../../src/store/enrolment.ts";
import { addNode, getNode, listNodes, moveNode, recordContact } from "../../src/store/nodes.ts";
import { addNodes, mesh, openRecords, type Records } from "./open-records.ts";

let records: Records;
const hashOf = (secret: string) => createHash("sha256").update(secret).digest("hex");
const keysOf = (host: string): HostKeys => ({
  sign: Buffer.from(host).toString("base64"),
  seal: `age1${host.padEnd(40, "q")}`,
});
const use = (secret: string, host: string, node = "node-a") =>
  useToken(records.db, mesh, { node, hash: hashOf(secret), keys: keysOf(host), incarnation: host });

beforeAll(async () => {
  records = await openRecords();
  await addNodes(records.db, "node-a", "node-b");
});
afterAll(() => records.close());
beforeEach(async () => {
  await records.db.query(`truncate enrolment_token`);
  await createToken(records.db, mesh, { node: "node-a", hash: hashOf("secret-1"), livesMs: 60_000 });
});

describe("a token of enrolment", () => {
  it("is used once, by one of 20 hosts that show it at the same moment", async () => {
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => use("secret-1", `host${index}`)));
    expect(results.toSorted()).toEqual(["enrolled", ...Array.from({ length: 19 }, () => "used")]);
    const winner = `host${results.indexOf("enrolled")}`;
    expect(await getNode(records.db, mesh, "node-a")).toMatchObject({ incarnation: winner, keys: keysOf(winner) });
  });

  it("answers the same keys again as before: the first answer may have been lost", async () => {
    expect(await use("secret-1", "host1")).toBe("enrolled");
    expect(await use("secret-1", "host1")).toBe("repeated");
    expect(await use("secret-1", "host2")).toBe("used");
  });

  it("is refused to its node's host with another key to be sealed to: as the same host it is given nothing anew (R46)", async () => {
    expect(await use("secret-1", "host1")).toBe("enrolled");
    await createToken(records.db, mesh, { node: "node-a", hash: hashOf("secret-2"), livesMs: 60_000 });
    const other = { ...keysOf("host1"), seal: keysOf("host2").seal };
    const as = (keys: HostKeys, incarnation: string) =>
      useToken(records.db, mesh, { node: "node-a", hash: hashOf("secret-2"), keys, incarnation });
    expect(await as(other, "host1")).toBe("other-seal");
    expect(await getNode(records.db, mesh, "node-a")).toMatchObject({ keys: keysOf("host1") });
    // It was not used up.
    expect(await as(keysOf("host2"), "host2")).toBe("enrolled");
  });

  it("says of its host which authority it pins, whenever it was used; one that did not say leaves none", async () => {
    const authorityEndsAt = "2036-11-28T10:00:00.000Z";
    const token = { node: "node-a", hash: hashOf("secret-3"), livesMs: 60_000, authorityEndsAt };
    await createToken(records.db, mesh, token);
    await use("secret-3", "host1");
    expect(await getNode(records.db, mesh, "node-a")).toMatchObject({ authorityEndsAt });
    expect(await use("secret-1", "host1")).toBe("enrolled");
    expect(await getNode(records.db, mesh, "node-a")).toMatchObject({ authorityEndsAt: null });
  });

  it("tells expired, unknown and another node's apart, and changes nothing", async () => {
    await createToken(records.db, mesh, { node: "node-b", hash: hashOf("old"), livesMs: -1 });
    expect(await use("old", "host1", "node-b")).toBe("expired");
    expect(await use("never made", "host1", "node-b")).toBe("unknown");
    expect(await use("secret-1", "host1", "node-b")).toBe("unknown");
    expect(await getNode(records.db, mesh, "node-b")).toMatchObject({
      incarnation: null,
      keys: null,
      enrolledAt: null,
    });
  });

  it("gives the node another incarnation when another host enrols under its name (case 22)", async () => {
    await use("secret-1", "host1");
    await createToken(records.db, mesh, { node: "node-a", hash: hashOf("secret-2"), livesMs: 60_000 });
    expect(await use("secret-2", "host2")).toBe("enrolled");
    expect(await getNode(records.db, mesh, "node-a")).toMatchObject({ incarnation: "host2", keys: keysOf("host2") });
    // The first token's host is not the node any more.
    expect(await use("secret-1", "host1")).toBe("used");
  });

  it("is used up and sets the keys together, or neither (R28)", async () => {
    await records.db.query(
      `create function refuse_keys() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`,
    );
    await records.db.query(
      `create trigger refuse_keys before update of sign_key on node for each row execute function refuse_keys()`,
    );
    await expect(use("secret-1", "host9")).rejects.toThrow("no room");
    await records.db.query(`drop trigger refuse_keys on node`);
    expect(await use("secret-1", "host9")).toBe("enrolled");
  });

  it("is kept as a hash only, and not for a node that is not there", async () => {
    await expect(
      createToken(records.db, mesh, { node: "node-a", hash: "secret-in-clear", livesMs: 1 }),
    ).rejects.toThrow("not a SHA-256");
    await expect(createToken(records.db, mesh, { node: "node-z", hash: hashOf("x"), livesMs: 1 })).rejects.toThrow(
      "foreign key",
    );
  });
});

describe("nodes", () => {
  it("are registered once, and not silently at another address", async () => {
    expect(await addNode(records.db, mesh, { name: "node-a", address: "127.0.0.1" })).toBe("known");
    await expect(addNode(records.db, mesh, { name: "node-a", address: "10.0.0.9" })).rejects.toThrow(
      "node node-a is registered at 127.0.0.1 already; nothing was changed",
    );
    expect(await moveNode(records.db, mesh, { name: "node-a", address: "10.0.0.9" })).toBe(true);
    expect((await listNodes(records.db, mesh)).map(({ name, address }) => [name, address])).toEqual([
      ["node-a", "10.0.0.9"],
      ["node-b", "127.0.0.1"],
    ]);
    expect(await moveNode(records.db, mesh, { name: "node-z", address: "10.0.0.9" })).toBe(false);
  });

  it("are refused with a hostile name or address (case 52)", async () => {
    for (const name of ["../x", "a/b", "con", "Node", "", "a".repeat(64), "a\0b", "\u202Ea"]) {
      await expect(addNode(records.db, mesh, { name, address: "127.0.0.1" }), name).rejects.toThrow();
    }
    await expect(addNode(records.db, mesh, { name: "node-c", address: "$(id)" })).rejects.toThrow();
    expect(await listNodes(records.db, mesh)).toHaveLength(2);
  });

  it("keep the time of the last contact, written at most every 5 s", async () => {
    await recordContact(records.db, mesh, "node-b");
    const first = await getNode(records.db, mesh, "node-b");
    await recordContact(records.db, mesh, "node-b");
    expect((await getNode(records.db, mesh, "node-b"))?.lastContactAt).toBe(first?.lastContactAt);
    await records.db.query(`update node set last_contact_at = now() - interval '6 seconds' where name = 'node-b'`);
    expect((await getNode(records.db, mesh, "node-b"))?.silentMs).toBeGreaterThanOrEqual(6000);
    await recordContact(records.db, mesh, "node-b");
    expect((await getNode(records.db, mesh, "node-b"))?.silentMs).toBeLessThan(6000);
  });

  it("are not heard by a time to come, of a clock that was ahead, and the next word of their host takes it away (R31)", async () => {
    await records.db.query(`update node set last_contact_at = now() + interval '90 days' where name = 'node-b'`);
    expect((await getNode(records.db, mesh, "node-b"))?.silentMs).toBeGreaterThan(86_400_000);
    await recordContact(records.db, mesh, "node-b");
    expect((await getNode(records.db, mesh, "node-b"))?.silentMs).toBeLessThan(6000);
  });
});
