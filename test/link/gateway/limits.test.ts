import { createHmac } from "node:crypto";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import { defaultGatewayLimits } from "../../../src/link/gateway/gateway-limits.ts";
import { hostKey } from "../support/fixtures.ts";
import { raiseGateway, until, type Raised } from "../support/raise-gateway.ts";

let raised: Raised;
beforeAll(async () => {
  raised = await raiseGateway({
    webhookSecrets: { forge: ["s3cret"] },
    limits: { headersTimeoutMs: 300, requestTimeoutMs: 600, webhookBytes: 1000, reportBytes: 2000, enrolBytes: 500 },
  });
  raised.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: "age1" });
});
afterAll(() => raised.close());

/** A connection of one's own, and all that came on it until it was closed. */
async function openSocket(to: Raised): Promise<{ socket: TLSSocket; ended: Promise<string> }> {
  const socket = connectTls({ port: to.port, host: "127.0.0.1", ca: to.authority.certPem });
  const ended = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    // A reset is an end too.
    socket.on("error", () => {});
    socket.on("close", () => {
      resolve(text);
    });
  });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  return { socket, ended };
}

describe("limits before reading (R43, case 56)", () => {
  it("refuses a gigabyte by its announced length: nothing of it is read, no signature is looked at", async () => {
    const { socket, ended } = await openSocket(raised);
    socket.write(
      `POST /v1/webhooks/forge HTTP/1.1\r\nhost: x\r\ncontent-length: 1073741824\r\nx-hub-signature-256: sha256=${"0".repeat(64)}\r\n\r\n`,
    );
    expect(await ended).toMatch(/^HTTP\/1\.1 413 [^]*\{"refused":"size"\}$/);
  });

  it("refuses a body without announced length as soon as it is over the limit", async () => {
    const { socket, ended } = await openSocket(raised);
    socket.write(
      `POST /v1/webhooks/forge HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nx-hub-signature-256: sha256=${"0".repeat(64)}\r\n\r\n`,
    );
    socket.write(`400\r\n${"a".repeat(1024)}\r\n`);
    expect(await ended).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("ends a request without identity at its head: its body is not waited for", async () => {
    for (const path of ["/v1/webhooks/forge", "/v1/nodes/node-a/report"]) {
      const { socket, ended } = await openSocket(raised);
      socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\n\r\n`);
      expect(await ended).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/);
    }
  });

  it("refuses too large an enrolment and report", async () => {
    const big = Buffer.alloc(3000, "a");
    expect((await raised.ask("POST", "/v1/enrol", {}, big)).status).toBe(413);
    const path = "/v1/nodes/node-a/report";
    const proof = raised.prove("node-a", hostKey, "POST", path, big);
    expect((await raised.ask("POST", path, proof, big)).status).toBe(413);
  });

  it("has room for a poll, a report and an artifact of as many hosts as may wait", () => {
    const { maxConnections, maxWaiters } = defaultGatewayLimits;
    expect(maxConnections).toBeGreaterThanOrEqual(3 * maxWaiters);
  });

  it("keeps a connection without a request only for a while, and the one of a long poll for as long as that takes", async () => {
    const short = await raiseGateway({ limits: { keepAliveMs: 100 } });
    try {
      short.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: "age1" });
      const { socket, ended } = await openSocket(short);
      socket.write("GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n");
      expect(await ended).toMatch(/^HTTP\/1\.1 200 /);
      const path = "/v1/nodes/node-a/declaration?after=0.0&wait=2";
      expect((await short.ask("GET", path, short.prove("node-a", hostKey, "GET", path))).status).toBe(204);
    } finally {
      await short.close();
    }
  });

  it("does not wait for headers that come a letter at a time", async () => {
    const { socket, ended } = await openSocket(raised);
    socket.write("GET /v1/health HTTP/1.1\r\nhost: x\r\n");
    const drip = setInterval(() => socket.write("x-a: b\r\n"), 50);
    const text = await ended;
    clearInterval(drip);
    expect(text).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it("does not wait for a body that comes a letter at a time", async () => {
    const { socket, ended } = await openSocket(raised);
    const signature = createHmac("sha256", "s3cret").update("a".repeat(900)).digest("hex");
    socket.write(
      `POST /v1/webhooks/forge HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\nx-gitea-signature: ${signature}\r\n\r\n`,
    );
    const drip = setInterval(() => socket.write("a"), 50);
    const text = await ended;
    clearInterval(drip);
    expect(text).not.toMatch(/^HTTP\/1\.1 2/);
    expect(raised.wakes).toEqual([]);
  });

  it("refuses headers that are too many", async () => {
    const { socket, ended } = await openSocket(raised);
    socket.write(`GET /v1/health HTTP/1.1\r\nhost: x\r\nx-a: ${"a".repeat(20_000)}\r\n\r\n`);
    expect(await ended).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("survives what is no TLS and no HTTP", async () => {
    const { socket, ended } = await openSocket(raised);
    socket.write("\0\r\n\r\n");
    await ended;
    expect((await raised.ask("GET", "/v1/health")).status).toBe(200);
  });

  it("counts requests by address, before it asks the records anything", async () => {
    const limited = await raiseGateway({ limits: { requestsPerAddress: 5 } });
    try {
      let asked = 0;
      limited.records.hostKeysOf = async () => {
        asked += 1;
        return null;
      };
      const path = "/v1/blobs/x";
      const statuses: number[] = [];
      for (let count = 0; count < 10; count += 1) {
        const answer = await limited.ask("GET", path, limited.prove("node-a", hostKey, "GET", path));
        statuses.push(answer.status);
      }
      expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
      expect(asked).toBe(statuses.filter((status) => status === 401).length);
    } finally {
      await limited.close();
    }
  });

  it("takes no more connections than it may", async () => {
    const limited = await raiseGateway({ limits: { maxConnections: 2 } });
    const held = [await openSocket(limited), await openSocket(limited)];
    const third = connectTls({ port: limited.port, host: "127.0.0.1", ca: limited.authority.certPem });
    const outcome = await new Promise((resolve) => {
      third.once("secureConnect", () => {
        resolve("connected");
      });
      third.once("error", () => {
        resolve("refused");
      });
    });
    expect(outcome).toBe("refused");
    for (const { socket } of held) socket.destroy();
    await limited.close();
  });
});

describe("records that do not answer (R42)", () => {
  it("are 503 on every route of hosts, never an empty answer, and say nothing of why to the outside", async () => {
    raised.records.failure = new UnavailableError("password=canary");
    const get = "/v1/nodes/node-a/declaration?after=0.0&wait=0";
    const answer = await raised.ask("GET", get, raised.prove("node-a", hostKey, "GET", get));
    expect([answer.status, answer.body.toString()]).toEqual([503, '{"refused":"the records do not answer"}']);
    raised.records.failure = new Error("a bug: canary");
    const bug = await raised.ask("GET", get, raised.prove("node-a", hostKey, "GET", get));
    expect([bug.status, bug.body.toString()]).toEqual([500, '{"refused":"internal"}']);
    raised.records.failure = null;
    await until(() => raised.logged.length >= 2, "both are logged");
  });
});
