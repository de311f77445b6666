import type { FastifyRequest } from "fastify";
import { checkProof, isInProofWindow, proofHeader, readProof } from "../proof.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { hasWebhookSignature, isWebhookSigned } from "./webhook-signature.ts";
import type { IdentityClass, Writer } from "./writers.ts";

export type Refusal = { readonly status: number; readonly reason: string };

/** Two looks at a request: at its head before anything more is read, and with its body. Null: let through. */
export type Identify = {
  readonly before: (request: FastifyRequest, writer: Writer) => Promise<Refusal | null>;
  readonly withBody: (request: FastifyRequest) => Promise<Refusal | null>;
};

declare module "fastify" {
  interface FastifyRequest {
    /** The host's raw public key (base64), for requests of hosts. */
    signKey: string;
    /** The host that proves itself; empty for other identities. */
    node: string;
  }
}

export function createIdentify(context: GatewayContext): Readonly<Record<IdentityClass, Identify>> {
  const pass = { before: async () => null, withBody: async () => null };
  return {
    open: pass,
    // The token is in the body and is used up where it is checked, in one transaction of the records.
    "enrolment-token": pass,
    host: identifyHost(context),
    "webhook-source": identifyWebhookSource(context),
  };
}

function identifyHost({ records, guard, onStranger, nowMs }: GatewayContext): Identify {
  return {
    async before(request, writer) {
      const read = readProof(readText(request.headers[proofHeader]));
      if (!read.ok) return { status: 401, reason: `proof-${read.reason}` };
      // Before the signature: a host whose clock is wrong must be told so, whatever else.
      if (!isInProofWindow(read.proof, nowMs())) return { status: 401, reason: "clock" };
      if (writer.scope === "own-node" && readParam(request, "node") !== read.proof.node)
        return { status: 403, reason: "not-your-node" };
      const keys = await records.hostKeysOf(read.proof.node);
      if (keys === null) {
        const wasRemoved = await records.wasRemoved(read.proof.node);
        onStranger({ node: read.proof.node, why: wasRemoved ? "removed" : "not-enrolled" });
        return { status: 401, reason: wasRemoved ? "removed-node" : "unknown-node" };
      }
      request.signKey = keys.sign;
      request.node = read.proof.node;
      return null;
    },
    async withBody(request) {
      const read = readProof(readText(request.headers[proofHeader]));
      if (!read.ok) return { status: 401, reason: `proof-${read.reason}` };
      const { method, url: path, signKey: publicKey } = request;
      const checked = checkProof(
        read.proof,
        { method, path, body: readBytes(request), publicKey, nowMs: nowMs() },
        guard,
      );
      if (checked.ok) return null;
      if (checked.reason === "signature") onStranger({ node: read.proof.node, why: "other-key" });
      return { status: 401, reason: checked.reason === "clock" ? "clock" : `proof-${checked.reason}` };
    },
  };
}

/** An unknown source is answered as a wrong signature is: nobody learns which sources there are. */
function identifyWebhookSource({ webhookSecrets, nowMs }: GatewayContext): Identify {
  const refusal = { status: 401, reason: "signature" };
  const secretsOf = (source: string) => (Object.hasOwn(webhookSecrets, source) ? (webhookSecrets[source] ?? []) : []);
  return {
    before: async (request) => (hasWebhookSignature(request.headers) ? null : refusal),
    withBody: async (request) => {
      const signed = { headers: request.headers, nowMs: nowMs() };
      return isWebhookSigned(signed, readBytes(request), secretsOf(readParam(request, "source"))) ? null : refusal;
    },
  };
}

/** The exact bytes that came; bodies are never parsed by the server. */
export function readBytes(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

export function readParam(request: FastifyRequest, name: string): string {
  const { params } = request;
  if (typeof params !== "object" || params === null) return "";
  const value: unknown = Reflect.get(params, name);
  return typeof value === "string" ? value : "";
}

function readText(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
