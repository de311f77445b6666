import { X509Certificate } from "node:crypto";
import { z } from "zod";
import type { Order } from "../core/declaration.ts";
import { InputError } from "../core/errors.ts";
import { nameSchema, type Digest } from "../core/names.ts";
import type { HostKeys } from "../core/node.ts";
import { orderedProtocol, protocolHeader } from "../core/protocol.ts";
import { reportPlaceSchema, type ReportPlace } from "../core/report.ts";
import { decodeBase64 } from "./base64.ts";
import { downloadBlob, type DownloadOptions } from "./download-blob.ts";
import type { SigningKey } from "./keys.ts";
import { defaultLinkLimits, rootBytesLimit, type LinkLimits } from "./limits.ts";
import { parseSignedJson } from "./parse-signed-json.ts";
import { connectPinned, readBody, sendPinned, unavailable, type PinnedRequest } from "./pinned-request.ts";
import { bodyDigestHeader, digestBody, makeProof, proofHeader } from "./proof.ts";
import { RefusedError } from "./refused-error.ts";

export type HostClientOptions = {
  /** https://host:port, from the enrolment token. */
  readonly url: string;
  /** The only authority that is believed. */
  readonly caPem: string;
  readonly node: string;
  readonly signKey: SigningKey;
  readonly limits?: LinkLimits;
  /** For the time in proofs. */
  readonly nowMs?: () => number;
  /** How long nothing may come, or no connection, before the gateway counts as away; a long poll adds its own wait. */
  readonly idleMs?: number;
};

export type Enrolled = {
  readonly mesh: string;
  readonly node: string;
  readonly incarnation: string;
  /** DSSE bytes; verify before pinning. */
  readonly root: Buffer;
};

export type ReportAnswer =
  | { readonly kept: true }
  | {
      readonly kept: false;
      readonly why: string;
      /** The later one, where it is said. */ readonly behind: ReportPlace | null;
    };

/**
 * The host's side of the link. Every call throws UnavailableError when nobody answered (or answered 5xx, 429),
 * RefusedError when the gateway said no, and the system's own error when a local file could not be written.
 * An aborted call throws; that it was aborted is for its signal to say.
 */
export type HostClient = {
  enrol(request: { readonly secret: string; readonly keys: HostKeys }): Promise<Enrolled>;
  /** The newest envelope after what the host has, exact bytes; null: nothing newer within `waitMs` (≤ 55,000). */
  fetchDeclaration(after: Order | null, waitMs: number, signal?: AbortSignal): Promise<Buffer | null>;
  /** DSSE bytes of the root of this version, to be verified by the one before; null: there is none. */
  fetchRoot(version: number, signal?: AbortSignal): Promise<Buffer | null>;
  /** `kept: false`: the gateway has a later one, or does not know this node (409). */
  sendReport(envelope: Uint8Array, signal?: AbortSignal): Promise<ReportAnswer>;
  /**
   * Writes the blob to `toFile`, going on at `fromByte` of what is there, and checks its digest over the whole file;
   * a file with another digest is removed and RefusedError (`digest`) thrown. A cut download leaves what came.
   */
  downloadBlob(digest: Digest, toFile: string, options: DownloadOptions): Promise<{ readonly bytes: number }>;
  /** Ends its connections. */
  close(): void;
};

const speaks = { [protocolHeader]: String(orderedProtocol) };

const laterSchema = z.object({ kept: reportPlaceSchema });

const enrolledSchema = z.object({
  mesh: nameSchema,
  node: nameSchema,
  incarnation: z.string().max(64),
  root: z.string(),
});

/** Throws InputError when the address or the authority cannot be used. */
export function createHostClient(options: HostClientOptions): HostClient {
  const { node, limits = defaultLinkLimits, nowMs = Date.now, idleMs = 20_000 } = options;
  const connection = connect(options.url, options.caPem);
  const send = (request: Omit<PinnedRequest, "headers" | "idleMs" | "connectMs">, headers = {}, waitMs = 0) => {
    const { method, path, body = Buffer.alloc(0) } = request;
    const prove = (): string => makeProof({ node, method, path, body, nowMs: nowMs() }, options.signKey);
    const digest = method === "POST" ? { [bodyDigestHeader]: digestBody(body) } : {};
    return sendPinned(connection, {
      ...request,
      headers: () => ({ ...headers, ...speaks, ...digest, [proofHeader]: prove() }),
      idleMs: idleMs + waitMs,
      connectMs: idleMs,
    });
  };
  return {
    async enrol({ secret, keys }) {
      const body = Buffer.from(JSON.stringify({ token: secret, node, keys }), "utf8");
      // Without a proof: the gateway does not know this key yet, the token is what counts.
      const request = {
        method: "POST",
        path: "/v1/enrol",
        body,
        headers: () => speaks,
        idleMs,
        connectMs: idleMs,
      } as const;
      const response = await sendPinned(connection, request);
      return readEnrolled(await readBody(response, limits.envelopeBytes), limits);
    },
    async fetchDeclaration(after, waitMs, signal) {
      const waitSeconds = Math.max(0, Math.min(55, Math.ceil(waitMs / 1000)));
      const path = `/v1/nodes/${node}/declaration?after=${after?.epoch ?? 0}.${after?.number ?? 0}&wait=${waitSeconds}`;
      const response = await send({ method: "GET", path, signal }, {}, waitSeconds * 1000);
      const bytes = await readBody(response, limits.envelopeBytes);
      return response.statusCode === 204 ? null : bytes;
    },
    async fetchRoot(version, signal) {
      try {
        const response = await send({ method: "GET", path: `/v1/roots/${version}`, signal });
        return await readBody(response, rootBytesLimit);
      } catch (error) {
        // absence is the answer: no such root, or a controller from before there were any to fetch.
        if (error instanceof RefusedError && error.status === 404) return null;
        throw error;
      }
    },
    async sendReport(envelope, signal) {
      try {
        const response = await send({ method: "POST", path: `/v1/nodes/${node}/report`, body: envelope, signal });
        await readBody(response, 0);
        return { kept: true };
      } catch (error) {
        if (error instanceof RefusedError && error.status === 409) {
          const later = laterSchema.safeParse(error.answer);
          return { kept: false, why: error.reason, behind: later.success ? later.data.kept : null };
        }
        throw error;
      }
    },
    downloadBlob(digest, toFile, download) {
      const path = `/v1/blobs/${digest}`;
      const get = (headers: Readonly<Record<string, string>>) =>
        send({ method: "GET", path, signal: download.signal }, headers);
      return downloadBlob(get, digest, toFile, download);
    },
    close: () => connection.agent.destroy(),
  };
}

function connect(url: string, caPem: string) {
  try {
    // Parsed here: a bad authority would else only be seen at the first request, as if nobody had answered.
    return connectPinned(url, new X509Certificate(caPem).toString());
  } catch (error) {
    throw new InputError(
      `the gateway's address ${url} or its certificate authority cannot be used`,
      "Both come with the enrolment token: enrol this node again.",
      { cause: error },
    );
  }
}

function readEnrolled(bytes: Buffer, limits: LinkLimits): Enrolled {
  const json = parseSignedJson(bytes, { bytes: limits.envelopeBytes * 2, depth: 2 });
  const parsed = json.ok ? enrolledSchema.safeParse(json.value) : null;
  const root = parsed?.success ? decodeBase64(parsed.data.root) : null;
  if (!parsed?.success || root === null) throw unavailable(new Error("what came is no answer to an enrolment"));
  return { ...parsed.data, root };
}
