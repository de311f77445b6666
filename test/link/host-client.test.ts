import { createHash, randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { InputError, UnavailableError } from "../../src/core/errors.ts";
import type { Digest } from "../../src/core/names.ts";
import {
  createCertificateAuthority,
  issueServerCertificate,
  type Certificate,
} from "../../src/link/certificate-authority.ts";
import { createHostClient } from "../../src/link/host-client.ts";
import { RefusedError } from "../../src/link/refused-error.ts";
import { proofHeader } from "../../src/link/proof.ts";
import { hostKey } from "./support/fixtures.ts";
import { listenDeaf } from "./support/listen-deaf.ts";
import { failureOf, raiseGateway, until } from "./support/raise-gateway.ts";

const digestOf = (bytes: Uint8Array): Digest => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mesh-link-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a gateway that is not ours, or not well", () => {
  let authority: Certificate;
  let server: Server | null = null;
  beforeAll(async () => {
    authority = await createCertificateAuthority({ mesh: "demo", nowMs: Date.now() });
  });
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function serve(
    handle: (request: IncomingMessage, response: ServerResponse) => void,
    addresses = ["127.0.0.1"],
  ) {
    const tls = await issueServerCertificate(authority, { names: [], addresses, nowMs: Date.now() });
    const listening = createServer({ key: tls.keyPem, cert: tls.certPem }, handle);
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
    const { port } = listening.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}`;
    return createHostClient({ url, caPem: authority.certPem, node: "node-a", signKey: hostKey, idleMs: 300 });
  }

  it("is not spoken to when another authority signed its certificate, or it is for another address", async () => {
    const raised = await raiseGateway();
    const { url } = raised;
    const pinned = createHostClient({ url, caPem: authority.certPem, node: "node-a", signKey: hostKey });
    expect(await failureOf(pinned.fetchDeclaration(null, 0))).toBeInstanceOf(UnavailableError);
    expect(raised.records.contacts).toEqual([]);
    const elsewhere = await serve((_request, response) => response.writeHead(204).end(), ["10.9.9.9"]);
    expect(await failureOf(elsewhere.fetchDeclaration(null, 0))).toBeInstanceOf(UnavailableError);
    pinned.close();
    elsewhere.close();
    await raised.close();
  });

  it.each([
    ["says nothing", () => {}],
    ["answers 500", (_request: IncomingMessage, response: ServerResponse) => response.writeHead(500).end("x")],
    [
      "answers 502 with a long page around it, as proxies do",
      (_request: IncomingMessage, response: ServerResponse) => response.writeHead(502).end("<p>".repeat(10_000)),
    ],
    ["answers 429", (_request: IncomingMessage, response: ServerResponse) => response.writeHead(429).end()],
    [
      "sends elsewhere",
      (_request: IncomingMessage, response: ServerResponse) =>
        response.writeHead(302, { location: "https://x/" }).end(),
    ],
    ["hangs up", (request: IncomingMessage) => request.socket.destroy()],
    [
      "stops in the middle",
      (_request: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { "content-length": 10 });
        response.write("abc");
      },
    ],
  ])("is unavailable when it %s", async (_name, handle) => {
    const odd = await serve(handle);
    expect(await failureOf(odd.fetchDeclaration(null, 0))).toBeInstanceOf(UnavailableError);
    odd.close();
  });

  it("is asked again over another connection when it closes a kept one just then, with another proof", async () => {
    const [seen, proofs] = [new Set<unknown>(), new Set<unknown>()];
    const closing = await serve((request, response) => {
      proofs.add(request.headers[proofHeader]);
      if (seen.has(request.socket)) request.socket.destroy();
      else response.writeHead(204).end();
      seen.add(request.socket);
    });
    // Several are kept, and all of them are closed.
    await Promise.all([1, 2, 3].map(() => closing.fetchDeclaration(null, 0)));
    expect(seen.size).toBe(3);
    expect(await closing.fetchDeclaration(null, 0)).toBeNull();
    expect([seen.size, proofs.size]).toEqual([4, 7]);
    closing.close();
  });

  it("is away soon where not even a connection comes about: packets are dropped without a word", async () => {
    const deaf = await listenDeaf();
    const url = `https://127.0.0.1:${deaf.port}`;
    const client = createHostClient({ url, caPem: authority.certPem, node: "node-a", signKey: hostKey, idleMs: 300 });
    try {
      const failure = await failureOf(client.fetchDeclaration(null, 50_000));
      expect(failure).toBeInstanceOf(UnavailableError);
      expect(String(failure)).toContain("no connection came about in 300 ms");
    } finally {
      client.close();
      deaf.close();
    }
  });

  it("is refused when it answers 4xx, with a reason made harmless", async () => {
    const odd = await serve((_request, response) =>
      response.writeHead(403).end(JSON.stringify({ refused: "\u001b[31mno\nway" })),
    );
    const failure = await failureOf(odd.fetchDeclaration(null, 0));
    expect(failure).toBeInstanceOf(RefusedError);
    expect(failure).toMatchObject({ status: 403, reason: "?[31mno?way" });
    odd.close();
  });

  it("leaves what came of a blob that was cut off, to go on from", async () => {
    const blob = randomBytes(1000);
    const target = join(folder, "cut");
    const odd = await serve(async (_request, response) => {
      response.writeHead(200, { "content-length": 1000 });
      response.write(blob.subarray(0, 400));
      await until(() => statSync(target, { throwIfNoEntry: false })?.size === 400, "what was sent is in the file");
      response.destroy();
    });
    const failure = await failureOf(odd.downloadBlob(digestOf(blob), target, { maxBytes: 1000 }));
    expect(failure).toBeInstanceOf(UnavailableError);
    expect((await readFile(target)).equals(blob.subarray(0, 400))).toBe(true);
    odd.close();
  });

  it("whose address or authority is none is an input error", () => {
    const options = { node: "node-a", signKey: hostKey };
    expect(() => createHostClient({ ...options, url: "nonsense", caPem: authority.certPem })).toThrow(InputError);
    expect(() => createHostClient({ ...options, url: "https://x:1", caPem: "nonsense" })).toThrow(InputError);
  });
});
