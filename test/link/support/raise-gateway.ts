import { request as httpsRequest, Agent } from "node:https";
import type { IncomingHttpHeaders } from "node:http";
import {
  createCertificateAuthority,
  issueServerCertificate,
  type Certificate,
} from "../../../src/link/certificate-authority.ts";
import type { GatewayRecords } from "../../../src/link/gateway/gateway-records.ts";
import { createGateway, type Gateway, type GatewayOptions } from "../../../src/link/gateway/create-gateway.ts";
import { createHostClient, type HostClient } from "../../../src/link/host-client.ts";
import type { SigningKey } from "../../../src/link/keys.ts";
import { makeProof, proofHeader } from "../../../src/link/proof.ts";
import { createMemoryRecords, type MemoryRecords } from "./memory-records.ts";

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer };
export type Raised = {
  readonly gateway: Gateway;
  readonly records: MemoryRecords;
  readonly authority: Certificate;
  readonly port: number;
  readonly url: string;
  readonly wakes: string[];
  readonly logged: object[];
  ask(method: string, path: string, headers?: Record<string, string>, body?: Uint8Array): Promise<Answer>;
  /** A proof by this key, as this node, for this request. */
  prove(node: string, key: SigningKey, method: string, path: string, body?: Uint8Array): Record<string, string>;
  client(node: string, key: SigningKey): HostClient;
  close(): Promise<void>;
};

/** The real gateway over real TLS on loopback, with records in memory. */
export async function raiseGateway(options: Partial<GatewayOptions> = {}): Promise<Raised> {
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ mesh: "demo", nowMs });
  const tls = await issueServerCertificate(authority, { names: ["localhost"], addresses: ["127.0.0.1"], nowMs });
  const records = createMemoryRecords();
  const wakes: string[] = [];
  const logged: object[] = [];
  const write = (fields: object, message: string) => {
    logged.push({ ...fields, message });
  };
  const gateway = await createGateway({
    mesh: "demo",
    records: asTheyAreNow(records),
    tls,
    log: { info: write, warn: write, error: write },
    webhookSecrets: {},
    wake: async (source) => {
      wakes.push(source);
    },
    ...options,
  });
  const { port } = await gateway.listen({ host: "127.0.0.1", port: 0 });
  const agent = new Agent({ ca: authority.certPem, keepAlive: true });
  const clients: HostClient[] = [];
  const url = `https://127.0.0.1:${port}`;
  return {
    gateway,
    records,
    authority,
    port,
    url,
    wakes,
    logged,
    ask: (method, path, headers = {}, body) => ask(agent, port, method, path, headers, body),
    prove: (node, key, method, path, body = Buffer.alloc(0)) => ({
      [proofHeader]: makeProof({ node, method, path, body, nowMs: Date.now() }, key),
    }),
    client(node, signKey) {
      const client = createHostClient({ url, caPem: authority.certPem, node, signKey, idleMs: 5_000 });
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) client.close();
      agent.destroy();
      await gateway.close();
    },
  };
}

/** A test may replace a method after the gateway took them. */
function asTheyAreNow(records: MemoryRecords): GatewayRecords {
  return {
    enrolHost: (request) => records.enrolHost(request),
    hostKeysOf: (node) => records.hostKeysOf(node),
    wasRemoved: (node) => records.wasRemoved(node),
    newestEnvelope: (node, after) => records.newestEnvelope(node, after),
    newestUnordered: (node, have) => records.newestUnordered(node, have),
    keepUnordered: (node, report) => records.keepUnordered(node, report),
    rootAt: (version) => records.rootAt(version),
    heedClaim: (node, has) => records.heedClaim(node, has),
    onDeclaration: (node, wake) => records.onDeclaration(node, wake),
    keepReport: (node, report, bytes) => records.keepReport(node, report, bytes),
    statBlob: (digest) => records.statBlob(digest),
    openBlob: (digest, range) => records.openBlob(digest, range),
    mayFetchBlob: async (node, digest) => (await records.mayFetchBlob?.(node, digest)) ?? true,
    recordContact: (node, protocol) => records.recordContact(node, protocol),
    recordWebhookDelivery: (source, delivery) => records.recordWebhookDelivery(source, delivery),
  };
}

/** What a call was refused with; "no failure" when it was not. */
export function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "no failure",
    (error: unknown) => error,
  );
}

function ask(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: Uint8Array,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Looks until it is so; a bound instead of a sleep. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string, withinMs = 5_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
