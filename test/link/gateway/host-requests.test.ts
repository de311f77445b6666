import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newEnrolmentSecret } from "../../../src/link/enrolment-token.ts";
import type { Stranger } from "../../../src/link/gateway/gateway-context.ts";
import { createHostClient, type HostClient } from "../../../src/link/host-client.ts";
import { incarnationOf } from "../../../src/link/keys.ts";
import { sealReport } from "../../../src/link/report-envelope.ts";
import { generateSealIdentity } from "../../../src/link/sealing.ts";
import { hostKey, makeReport, smallOrderRecipients, strangerKey } from "../support/fixtures.ts";
import { failureOf, raiseGateway, type Raised } from "../support/raise-gateway.ts";

let raised: Raised;
let client: HostClient;
beforeEach(async () => {
  raised = await raiseGateway();
  raised.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: "age1" });
  client = raised.client("node-a", hostKey);
});
afterEach(() => raised.close());

describe("enrolment", () => {
  it("shows the token and the keys, and gets the root to pin", async () => {
    const secret = newEnrolmentSecret();
    raised.records.tokens.set(secret, "node-b");
    const keys = { sign: strangerKey.publicKey, seal: (await generateSealIdentity()).recipient };
    const enrolled = await raised.client("node-b", strangerKey).enrol({ secret, keys });
    expect(enrolled).toEqual({
      mesh: "demo",
      node: "node-b",
      incarnation: incarnationOf(strangerKey.publicKey),
      root: Buffer.from("root"),
    });
    expect(raised.records.hosts.get("node-b")).toEqual(keys);
  });

  it("is refused with a wrong token, another node's token, and a key of small order", async () => {
    const secret = newEnrolmentSecret();
    raised.records.tokens.set(secret, "node-b");
    const { recipient: seal } = await generateSealIdentity();
    const keys = { sign: hostKey.publicKey, seal };
    expect(await failureOf(client.enrol({ secret: newEnrolmentSecret(), keys }))).toMatchObject({ status: 401 });
    expect(await failureOf(client.enrol({ secret, keys }))).toMatchObject({ status: 401 });
    const smallOrder = { sign: Buffer.alloc(32).toString("base64"), seal };
    const refused = await failureOf(raised.client("node-b", hostKey).enrol({ secret, keys: smallOrder }));
    expect(refused).toMatchObject({ status: 400, reason: expect.stringContaining("small order") });
    expect(raised.records.hosts.has("node-b")).toBe(false);
    expect(JSON.stringify(raised.logged)).not.toContain(secret);
  });

  it("is refused with a sealing key that nothing can be sealed to, and spends no token (R41, case 45)", async () => {
    const secret = newEnrolmentSecret();
    raised.records.tokens.set(secret, "node-b");
    const caller = raised.client("node-b", strangerKey);
    for (const seal of [`age1${"q".repeat(58)}`, ...smallOrderRecipients]) {
      const refused = await failureOf(caller.enrol({ secret, keys: { sign: strangerKey.publicKey, seal } }));
      expect(refused, seal).toMatchObject({ status: 400, reason: expect.stringContaining("sealing key") });
    }
    expect(raised.records.hosts.has("node-b")).toBe(false);
    const { recipient } = await generateSealIdentity();
    await caller.enrol({ secret, keys: { sign: strangerKey.publicKey, seal: recipient } });
    expect(raised.records.hosts.get("node-b")?.seal).toBe(recipient);
  });
});

describe("proofs and reports", () => {
  it("tells of who calls with a key that the records do not know, and of nobody else (R33)", async () => {
    const strangers: object[] = [];
    const telling = await raiseGateway({ onStranger: (stranger) => strangers.push(stranger) });
    telling.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: "age1" });
    const call = (node: string, key: typeof hostKey) => failureOf(telling.client(node, key).fetchDeclaration(null, 0));
    await call("node-a", hostKey);
    await telling.ask("GET", "/v1/nodes/node-c/declaration?after=0.0&wait=0");
    await failureOf(
      telling.ask("GET", "/v1/nodes/node-b/declaration", telling.prove("node-a", hostKey, "GET", "/other")),
    );
    expect(strangers).toEqual([]);
    expect(await call("node-a", strangerKey)).toMatchObject({ status: 401, reason: "proof-signature" });
    expect(await call("node-c", strangerKey)).toMatchObject({ status: 401, reason: "unknown-node" });
    telling.records.removed.add("node-d").add("node-a");
    expect(await call("node-d", strangerKey)).toMatchObject({ status: 401, reason: "removed-node" });
    expect(strangers).toEqual([
      { node: "node-a", why: "other-key" },
      { node: "node-c", why: "not-enrolled" },
      { node: "node-d", why: "removed" },
    ]);
    await telling.close();
  });

  it("refuses a proof that was used before", async () => {
    const path = "/v1/nodes/node-a/declaration?after=0.0&wait=0";
    const proof = raised.prove("node-a", hostKey, "GET", path);
    expect((await raised.ask("GET", path, proof)).status).toBe(204);
    const again = await raised.ask("GET", path, proof);
    expect([again.status, again.body.toString()]).toEqual([401, '{"refused":"proof-replayed"}']);
  });

  it("tells a host whose clock is wrong so", async () => {
    const { url, authority } = raised;
    const late = { url, caPem: authority.certPem, node: "node-a", signKey: hostKey, nowMs: () => Date.now() - 120_000 };
    const behind = createHostClient(late);
    expect(await failureOf(behind.fetchDeclaration(null, 0))).toMatchObject({ status: 401, reason: "clock" });
    behind.close();
  });

  it("says of a host by its own key how far its clock is off, and of nobody else (R33)", async () => {
    const strangers: Stranger[] = [];
    const telling = await raiseGateway({ onStranger: (stranger) => strangers.push(stranger) });
    telling.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: "age1" });
    const { url, authority } = telling;
    const call = (signKey: typeof hostKey, offMs: number) => {
      const one = createHostClient({
        url,
        caPem: authority.certPem,
        node: "node-a",
        signKey,
        nowMs: () => Date.now() - offMs,
      });
      return failureOf(one.fetchDeclaration(null, 0)).finally(() => one.close());
    };
    expect(await call(strangerKey, 120_000)).toMatchObject({ reason: "clock" });
    expect(strangers).toEqual([]);
    expect(await call(hostKey, -3_600_000)).toMatchObject({ reason: "clock" });
    expect(strangers).toMatchObject([{ node: "node-a", why: "clock" }]);
    const [one] = strangers;
    expect(one?.why === "clock" && Math.round(one.behindMs / 100_000)).toBe(-36);
    await telling.close();
  });

  it("keeps a report, and says why an older one is not kept (R38)", async () => {
    const report = (sequence: number) => sealReport(makeReport({ sequence }), hostKey);
    expect(await client.sendReport(report(2))).toEqual({ kept: true });
    expect(await client.sendReport(report(1))).toEqual({
      kept: false,
      why: "older: sequence 2 is here",
      behind: { has: { epoch: 3, number: 7 }, boot: 1, sequence: 2 },
    });
    expect(raised.records.reports.map(({ sequence }) => sequence)).toEqual([2]);
  });

  it.each([
    ["signed by another host's key", () => sealReport(makeReport(), strangerKey), 403],
    ["of another node", () => sealReport(makeReport({ node: "node-b" }), hostKey), 403],
    ["of another life of the node", () => sealReport(makeReport({ incarnation: "0" }), hostKey), 403],
    ["that is none", () => Buffer.from("{}"), 400],
    ["that is empty", () => Buffer.alloc(0), 400],
  ])("refuses a report %s, although the proof is good (R38, case 39)", async (_name, make, status) => {
    expect(await failureOf(client.sendReport(make()))).toMatchObject({ name: "RefusedError", status });
    expect(raised.records.reports).toEqual([]);
  });
});
