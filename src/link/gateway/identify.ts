import type { FastifyRequest } from "fastify";
import {
  admitProof,
  bodyDigestHeader,
  checkProof,
  checkProofHead,
  digestBody,
  isInProofWindow,
  isSigned,
  type Proof,
  proofHeader,
  type ProofRefusal,
  readProof,
} from "../proof.ts";
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
    /** Of the body that a host's proof is good for, where that was checked before the body; else empty. */
    bodyDigest: string;
  }
}

const digestPattern = /^[0-9a-f]{64}$/;

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
  const refuseProof = (node: string, reason: ProofRefusal): Refusal => {
    if (reason === "signature") onStranger({ node, why: "other-key" });
    return { status: 401, reason: reason === "clock" ? "clock" : `proof-${reason}` };
  };
  /** That a host's clock is wrong is said of hosts: anybody can send an old proof, and only the host can sign one. */
  const sayClock = async (request: FastifyRequest, proof: Proof): Promise<void> => {
    // Without it there is no body, or the host is of before the header.
    const bodyDigest = readText(request.headers[bodyDigestHeader]) ?? digestBody(Buffer.alloc(0));
    const publicKey = (await records.hostKeysOf(proof.node))?.sign;
    if (publicKey === undefined || !digestPattern.test(bodyDigest)) return;
    if (isSigned(proof, { method: request.method, path: request.url, bodyDigest, publicKey }))
      onStranger({ node: proof.node, why: "clock", behindMs: nowMs() - proof.atMs });
  };
  return {
    async before(request, writer) {
      const read = readProof(readText(request.headers[proofHeader]));
      if (!read.ok) return { status: 401, reason: `proof-${read.reason}` };
      // Before the signature: a host whose clock is wrong must be told so, whatever else.
      if (!isInProofWindow(read.proof, nowMs())) {
        await sayClock(request, read.proof);
        return { status: 401, reason: "clock" };
      }
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
      // Hosts from before this header are proven once their body is there.
      const bodyDigest = readText(request.headers[bodyDigestHeader]);
      if (bodyDigest === undefined) return null;
      if (!digestPattern.test(bodyDigest)) return { status: 401, reason: "proof-malformed" };
      const { method, url: path, signKey: publicKey } = request;
      const checked = checkProofHead(read.proof, { method, path, bodyDigest, publicKey, nowMs: nowMs() });
      if (!checked.ok) return refuseProof(read.proof.node, checked.reason);
      request.bodyDigest = bodyDigest;
      return null;
    },
    async withBody(request) {
      const read = readProof(readText(request.headers[proofHeader]));
      if (!read.ok) return { status: 401, reason: `proof-${read.reason}` };
      const { method, url: path, signKey: publicKey } = request;
      const body = readBytes(request);
      if (request.bodyDigest === "") {
        const checked = checkProof(read.proof, { method, path, body, publicKey, nowMs: nowMs() }, guard);
        return checked.ok ? null : refuseProof(read.proof.node, checked.reason);
      }
      // The host's own key is good, whatever became of the body on its way.
      if (digestBody(body) !== request.bodyDigest) return { status: 401, reason: "proof-signature" };
      const admitted = admitProof(read.proof, nowMs(), guard);
      return admitted.ok ? null : refuseProof(read.proof.node, admitted.reason);
    },
  };
}

/**
 * An unknown source is answered as a wrong signature is, but at its head: what nobody can sign is not read. So who looks
 * closely learns which sources there are; that lets nobody in.
 */
function identifyWebhookSource({ webhookSecrets, nowMs }: GatewayContext): Identify {
  const refusal = { status: 401, reason: "signature" };
  const secretsOf = (source: string) => (Object.hasOwn(webhookSecrets, source) ? (webhookSecrets[source] ?? []) : []);
  return {
    before: async (request) => {
      const isKnown = secretsOf(readParam(request, "source")).some((secret) => secret !== "");
      return isKnown && hasWebhookSignature(request.headers) ? null : refusal;
    },
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
