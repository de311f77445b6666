import { connect as connectTls, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnavailableError } from "../../../src/core/errors.ts";
import { createBodyBudget } from "../../../src/link/gateway/body-budget.ts";
import { defaultGatewayLimits } from "../../../src/link/gateway/gateway-limits.ts";
import { bodyDigestHeader, digestBody } from "../../../src/link/proof.ts";
import { sealReport } from "../../../src/link/report-envelope.ts";
import { hostKey, makeReport, strangerKey } from "../support/fixtures.ts";
import { failureOf, raiseGateway, until, type Raised } from "../support/raise-gateway.ts";

const path = "/v1/nodes/node-a/report";
const bodyShares = { "proven-host": 20_000, unproven: 2_000, token: 600 };
let raised: Raised;
let strangers: object[];
let sockets: TLSSocket[];

beforeEach(async () => {
  [strangers, sockets] = [[], []];
  raised = await raiseGateway({
    webhookSecrets: { forge: ["s3cret"] },
    onStranger: (stranger) => strangers.push(stranger),
    limits: { reportBytes: 20_000, webhookBytes: 1_500, enrolBytes: 500, bodyShares, bodyBytesPerNode: 19_000 },
  });
  raised.records.hosts.set("node-a", { sign: hostKey.publicKey, seal: "age1" });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await raised.close();
});

/** A head and what of its body is given, and then nothing more; `answer`: all that came by the end of the connection. */
async function stall(head: readonly string[], body = ""): Promise<{ socket: TLSSocket; answer: Promise<string> }> {
  const socket = connectTls({ port: raised.port, host: "127.0.0.1", ca: raised.authority.certPem });
  sockets.push(socket);
  const answer = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    // A reset is an end too.
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
  socket.write(`${[...head, "host: x", "", ""].join("\r\n")}${body}`);
  return { socket, answer };
}

const lines = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
/** Well-formed, for a node that is enrolled: all that a stranger needs to have a body read, and hosts of before. */
const post = (length: number): string[] => [
  `POST ${path} HTTP/1.1`,
  ...lines(raised.prove("node-a", strangerKey, "POST", path, Buffer.from("other"))),
  `content-length: ${length}`,
];
/** Whether a body of so many bytes is read to its end now, and only then refused for its signature. */
const isRead = async (length: number): Promise<boolean> => {
  const { socket, answer } = await stall(post(length), "a".repeat(length));
  socket.end();
  const [status] = /\d{3}/.exec((await answer).slice(9)) ?? [];
  return status === "401";
};
const report = () => sealReport(makeReport(), hostKey);

describe("bodies in flight (R43, case 56)", () => {
  it("are counted from their head: strangers who stall are 503 beyond their share, and keep no host out", async () => {
    const held = await stall(post(1_500), "a");
    const held2 = await stall(post(400));
    await until(async () => !(await isRead(200)), "their share is taken");
    const { answer } = await stall(post(200));
    expect(await answer).toMatch(
      /^HTTP\/1\.1 503 [^]*retry-after: 1[^]*connection: close[^]*\{"refused":"too much is being sent at once: send it again a little later"\}$/i,
    );
    expect(await raised.client("node-a", hostKey).sendReport(report())).toEqual({ kept: true });
    held.socket.destroy();
    held2.socket.destroy();
    await until(() => isRead(1_900), "what they had taken is free again");
    expect(raised.logged).toContainEqual(expect.objectContaining({ sender: "unproven", share: 2_000 }));
  });

  it("count as many bytes as may come where no length is said", async () => {
    const head = ["POST /v1/webhooks/forge HTTP/1.1", "x-gitlab-token: wrong", "transfer-encoding: chunked"];
    await stall(head, "1\r\na\r\n");
    await until(async () => !(await isRead(600)), "a webhook's 1,500 are taken");
    expect(await isRead(400)).toBe(true);
  });

  it("are free again with each answer, and with each sender that goes away", async () => {
    const client = raised.client("node-a", hostKey);
    const bytes = report();
    for (let sent = 0; sent * bytes.length < 3 * bodyShares["proven-host"]; sent += 1) await client.sendReport(bytes);
    for (let sent = 0; sent < 10; sent += 1) expect(await isRead(1_500)).toBe(true);
    for (let sent = 0; sent < 10; sent += 1) (await stall(post(1_500), "a")).socket.destroy();
    await until(() => isRead(2_000), "all of it is free");
  });

  it("are not read for an unknown source of webhooks, nor for what is no route", async () => {
    const signed = "x-gitlab-token: s3cret";
    for (const [route, status] of [
      ["/v1/webhooks/other", 401],
      ["/v1/nothing", 404],
    ] as const) {
      const { answer } = await stall([`POST ${route} HTTP/1.1`, signed, "content-length: 900"]);
      expect(await answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close`, "i"));
    }
  });

  it("are not read of who cannot sign the head, where it says its body's digest", async () => {
    const body = Buffer.from("a body");
    const digest = { [bodyDigestHeader]: digestBody(body) };
    const heads = [
      { ...raised.prove("node-a", strangerKey, "POST", path, body), ...digest },
      { ...raised.prove("node-a", hostKey, "POST", path, Buffer.from("another")), ...digest },
    ];
    for (const head of heads) {
      const { answer } = await stall([`POST ${path} HTTP/1.1`, ...lines(head), "content-length: 6"]);
      expect(await answer).toMatch(/^HTTP\/1\.1 401 [^]*connection: close[^]*proof-signature/i);
    }
    expect(strangers).toEqual([
      { node: "node-a", why: "other-key" },
      { node: "node-a", why: "other-key" },
    ]);
    const odd = { ...raised.prove("node-a", hostKey, "POST", path, body), [bodyDigestHeader]: "0" };
    expect((await raised.ask("POST", path, odd, body)).status).toBe(401);
  });

  it("are held to the digest that their head was signed for; the proof is good once, and only with its own body", async () => {
    const body = report();
    const head = {
      ...raised.prove("node-a", hostKey, "POST", path, body),
      [bodyDigestHeader]: digestBody(body),
    };
    const other = Buffer.from(body);
    other[0] = (other[0] ?? 0) ^ 1;
    const swapped = await raised.ask("POST", path, head, other);
    expect([swapped.status, swapped.body.toString()]).toEqual([401, '{"refused":"proof-signature"}']);
    expect(strangers).toEqual([]);
    expect((await raised.ask("POST", path, head, body)).status).toBe(204);
    expect((await raised.ask("POST", path, head, body)).body.toString()).toBe('{"refused":"proof-replayed"}');
  });

  it("of one host are 503 beyond its part, and those of another are taken", async () => {
    const big = Buffer.alloc(18_000, "a");
    const sealed = (node: string) => ({ ...raised.prove(node, hostKey, "POST", `/v1/nodes/${node}/report`, big) });
    raised.records.hosts.set("node-b", { sign: hostKey.publicKey, seal: "age1" });
    const head = (node: string) => [
      `POST /v1/nodes/${node}/report HTTP/1.1`,
      ...lines({ ...sealed(node), [bodyDigestHeader]: digestBody(big) }),
      `content-length: ${big.length}`,
    ];
    await stall(head("node-a"), "a");
    const client = raised.client("node-a", hostKey);
    await until(
      async () => (await failureOf(client.sendReport(Buffer.alloc(2_000, "a")))) instanceof UnavailableError,
      "it is not taken",
    );
    expect(raised.logged).toContainEqual(expect.objectContaining({ node: "node-a", taken: 18_000, share: 19_000 }));
    expect(
      await raised.client("node-b", hostKey).sendReport(sealReport({ ...makeReport(), node: "node-b" }, hostKey)),
    ).toEqual({ kept: true });
  });

  it("of a host beyond the share of hosts are answered in words that it can say, and taken later", async () => {
    const big = Buffer.alloc(19_000, "a");
    const proven = { ...raised.prove("node-a", hostKey, "POST", path, big), [bodyDigestHeader]: digestBody(big) };
    const held = await stall([`POST ${path} HTTP/1.1`, ...lines(proven), "content-length: 19000"], "a");
    const client = raised.client("node-a", hostKey);
    let failure: unknown = "no failure";
    await until(async () => {
      failure = await failureOf(client.sendReport(big));
      return failure instanceof UnavailableError;
    }, "it is not taken");
    expect(failure).toMatchObject({
      message:
        "the gateway could not answer POST /v1/nodes/node-a/report: too much is being sent at once: send it again a little later (503)",
      next: "Ask again a little later.",
    });
    held.socket.destroy();
    await until(async () => (await failureOf(client.sendReport(report()))) === "no failure", "it is taken");
  });
});

it("has room in each share for several of the longest bodies, and for 256 MiB in all", () => {
  const { bodyShares: shares, bodyBytesPerNode, reportBytes, webhookBytes, enrolBytes } = defaultGatewayLimits;
  expect(bodyBytesPerNode).toBeGreaterThanOrEqual(2 * reportBytes);
  expect(shares["proven-host"]).toBeGreaterThanOrEqual(8 * bodyBytesPerNode);
  expect(shares.unproven).toBeGreaterThanOrEqual(4 * Math.max(reportBytes, webhookBytes));
  expect(shares.token).toBeGreaterThanOrEqual(8 * enrolBytes);
  expect(Object.values(shares).reduce((sum, share) => sum + share)).toBe(256 * 1024 ** 2);
});

it("says once a minute that bodies are refused, and gives back a reservation once", () => {
  const said: object[] = [];
  const write = (fields: object): void => void said.push(fields);
  let nowMs = 1_000_000;
  const log = { info: write, warn: write, error: write };
  const shares = { "proven-host": 10, unproven: 10, token: 10 };
  const budget = createBodyBudget({ shares, perNode: 6, log, nowMs: () => nowMs });
  const whoever = { sender: "unproven" } as const;
  const release = budget.reserve(whoever, 10);
  for (let count = 0; count < 5; count += 1) expect(budget.reserve(whoever, 1)).toBeNull();
  expect(said).toHaveLength(1);
  nowMs += 60_000;
  expect(budget.reserve(whoever, 1)).toBeNull();
  expect(said).toHaveLength(2);
  release?.();
  release?.();
  expect(budget.reserve(whoever, 11)).toBeNull();
  expect(budget.reserve(whoever, 10)).not.toBeNull();
});

it("gives one host no more than its part of the share of hosts, so that the others are heard (R43)", () => {
  const said: object[] = [];
  const write = (fields: object): void => void said.push(fields);
  const shares = { "proven-host": 10, unproven: 10, token: 10 };
  const log = { info: write, warn: write, error: write };
  const budget = createBodyBudget({ shares, perNode: 6, log, nowMs: () => 0 });
  const of = (node: string) => ({ sender: "proven-host", node }) as const;
  const release = budget.reserve(of("node-a"), 6);
  expect(budget.reserve(of("node-a"), 1)).toBeNull();
  expect(said).toEqual([{ ...of("node-a"), bytes: 1, taken: 6, share: 6 }]);
  expect(budget.reserve(of("node-b"), 4)).not.toBeNull();
  expect(budget.reserve(of("node-c"), 1)).toBeNull();
  release?.();
  release?.();
  expect(budget.reserve(of("node-a"), 6)).not.toBeNull();
});
