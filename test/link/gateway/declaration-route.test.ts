import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import { createHostClient, type HostClient } from "../../../src/link/host-client.ts";
import { hostKey, strangerKey } from "../support/fixtures.ts";
import { failureOf, raiseGateway, until, type Raised } from "../support/raise-gateway.ts";

let raised: Raised;
let client: HostClient;
beforeEach(async () => {
  raised = await raiseGateway();
  raised.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: "age1" });
  client = raised.client("node-a", hostKey);
});
afterEach(() => raised.close());

describe("long poll", () => {
  const envelope = randomBytes(1000);

  it("gets the exact bytes of what is newer, at once", async () => {
    raised.records.send("node-a", { epoch: 1, number: 5 }, envelope);
    expect(await client.fetchDeclaration(null, 0)).toEqual(envelope);
    expect(await client.fetchDeclaration({ epoch: 1, number: 4 }, 0)).toEqual(envelope);
    expect(await client.fetchDeclaration({ epoch: 1, number: 5 }, 0)).toBeNull();
    expect(await client.fetchDeclaration({ epoch: 2, number: 1 }, 0)).toBeNull();
    expect(raised.records.contacts.length).toBe(4);
  });

  it("is woken by a send, and leaves nobody waiting", async () => {
    const answer = client.fetchDeclaration({ epoch: 1, number: 4 }, 50_000);
    await until(() => raised.gateway.countWaiters() === 1, "it waits");
    raised.records.send("node-b", { epoch: 1, number: 6 }, randomBytes(10));
    expect(raised.gateway.countWaiters()).toBe(1);
    raised.records.send("node-a", { epoch: 1, number: 5 }, envelope);
    expect(await answer).toEqual(envelope);
    expect([raised.gateway.countWaiters(), raised.records.countListeners()]).toEqual([0, 0]);
  });

  it("is not lost when the send comes between the read and the wait", async () => {
    const newestEnvelope = raised.records.newestEnvelope.bind(raised.records);
    let reads = 0;
    raised.records.newestEnvelope = async (node, after) => {
      const newest = await newestEnvelope(node, after);
      reads += 1;
      if (reads === 1) raised.records.send("node-a", { epoch: 1, number: 5 }, envelope);
      return newest;
    };
    expect(await client.fetchDeclaration(null, 50_000)).toEqual(envelope);
    expect(reads).toBe(2);
  });

  it("reads once more when its time is over: a lost NOTIFY costs a wait, not a declaration", async () => {
    const newestEnvelope = raised.records.newestEnvelope.bind(raised.records);
    raised.records.onDeclaration = () => () => {};
    raised.records.newestEnvelope = async (node, after) => {
      const newest = await newestEnvelope(node, after);
      raised.records.send("node-a", { epoch: 1, number: 5 }, envelope);
      return newest;
    };
    expect(await client.fetchDeclaration(null, 1_000)).toEqual(envelope);
  });

  it("gives nothing that came during the wait to a host that may no longer be told: the records were restored (R35)", async () => {
    const asked: (number | undefined)[] = [];
    raised.records.heedClaim = async (_node, has) => {
      asked.push(has?.number);
      return asked.length === 1;
    };
    const answer = client.fetchDeclaration({ epoch: 1, number: 4 }, 50_000);
    await until(() => raised.gateway.countWaiters() === 1, "it waits");
    raised.records.send("node-a", { epoch: 1, number: 5 }, envelope);
    expect(await answer).toBeNull();
    expect(asked).toEqual([4, 4]);
  });

  it("gives nothing to a host that has more than the records know, and asks nothing of one that has nothing (R35)", async () => {
    const asked: (number | undefined)[] = [];
    raised.records.heedClaim = async (_node, has) => {
      asked.push(has?.number);
      return false;
    };
    raised.records.send("node-a", { epoch: 1, number: 5 }, envelope);
    expect(await client.fetchDeclaration({ epoch: 1, number: 4 }, 0)).toBeNull();
    expect(await client.fetchDeclaration(null, 0)).toEqual(envelope);
    expect(asked).toEqual([4]);
  });

  it("gives what came during the wait to a host that still may be told", async () => {
    raised.records.heedClaim = async () => true;
    const answer = client.fetchDeclaration({ epoch: 1, number: 4 }, 50_000);
    await until(() => raised.gateway.countWaiters() === 1, "it waits");
    raised.records.send("node-a", { epoch: 1, number: 5 }, envelope);
    expect(await answer).toEqual(envelope);
  });

  it("is answered 204 when the gateway stops, so that the host asks again", async () => {
    const answer = client.fetchDeclaration(null, 50_000);
    await until(() => raised.gateway.countWaiters() === 1, "it waits");
    await raised.gateway.close();
    expect(await answer).toBeNull();
    expect(await failureOf(client.fetchDeclaration(null, 0))).toBeInstanceOf(UnavailableError);
  });

  it("of a host that is gone, or that asks again, is given up", async () => {
    const leaving = new AbortController();
    const first = failureOf(client.fetchDeclaration(null, 50_000, leaving.signal));
    await until(() => raised.gateway.countWaiters() === 1, "it waits");
    const second = client.fetchDeclaration(null, 50_000);
    await until(() => raised.records.contacts.length === 2, "it asks again");
    // The newer wait takes the older one's place, which is answered 204.
    expect(await first).toBe("no failure");
    leaving.abort();
    const third = new AbortController();
    const gone = failureOf(client.fetchDeclaration(null, 50_000, third.signal));
    expect(await second).toBeNull();
    third.abort(new Error("leaving"));
    expect(await gone).toMatchObject({ message: "leaving" });
    await until(() => raised.gateway.countWaiters() === 0, "nobody waits");
    expect(raised.records.countListeners()).toBe(0);
  });

  it("is bounded: too many waiters are told to come later", async () => {
    const small = await raiseGateway({ limits: { maxWaiters: 1 } });
    small.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: "age1" });
    small.records.hosts.set("node-b", { sign: strangerKey.publicKey, seal: "age1" });
    const waiting = small.client("node-a", hostKey).fetchDeclaration(null, 50_000);
    await until(() => small.gateway.countWaiters() === 1, "it waits");
    const failure = await failureOf(small.client("node-b", strangerKey).fetchDeclaration(null, 50_000));
    expect(failure).toBeInstanceOf(UnavailableError);
    await small.gateway.close();
    expect(await waiting).toBeNull();
    await small.close();
  });

  it.each([
    "",
    "?after=1.1",
    "?after=x&wait=1",
    "?after=1.1&wait=1e3",
    "?after=-1.0&wait=1",
    "?wait=1&after=1.1",
    "?after=01.1&wait=1",
  ])("is refused when its question is not one: %j", async (query) => {
    const path = `/v1/nodes/node-a/declaration${query}`;
    const answer = await raised.ask("GET", path, raised.prove("node-a", hostKey, "GET", path));
    expect(answer.status).toBe(400);
  });

  it("refuses an envelope longer than its limit while reading", async () => {
    raised.records.send("node-a", { epoch: 1, number: 5 }, randomBytes(2000));
    const { url, authority } = raised;
    const limits = { envelopeBytes: 1000, depth: 8 };
    const small = createHostClient({ url, caPem: authority.certPem, node: "node-a", signKey: hostKey, limits });
    expect(await failureOf(small.fetchDeclaration(null, 0))).toMatchObject({ name: "RefusedError", reason: "size" });
    small.close();
  });
});
