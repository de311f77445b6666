import { Agent, request as httpsRequest } from "node:https";
import type { ClientRequest, IncomingMessage } from "node:http";
import { errorCode, hasErrorCode, UnavailableError } from "../core/errors.ts";
import { RefusedError } from "./refused-error.ts";

/** Requests to one gateway over TLS that believes one authority only. */
export type PinnedConnection = { readonly url: URL; readonly agent: Agent };

export type PinnedRequest = {
  readonly method: "GET" | "POST";
  /** With the query. */
  readonly path: string;
  /** Made for each try: the proof in them is good once. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Nothing came or went for so long: nobody is there. */
  readonly idleMs: number;
  /** So long a connection may take to be there, however long its answer may then be waited for. */
  readonly connectMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** Answers are short words but for documents and blobs, which have limits of their own. */
const refusalBytes = 4096;

const maxSockets = 8;

export function connectPinned(url: string, caPem: string): PinnedConnection {
  // No proxy, no other authority, no older TLS: whoever answers must hold a key that the mesh's authority signed.
  const agent = new Agent({
    ca: caPem,
    rejectUnauthorized: true,
    minVersion: "TLSv1.3",
    keepAlive: true,
    maxSockets,
  });
  return { url: new URL(url), agent };
}

/**
 * The answer's head, with its body unread, for a status below 300; redirects are not followed.
 * Throws RefusedError for 4xx, UnavailableError for no answer, 5xx, 429 and everything unexpected.
 */
export async function sendPinned(connection: PinnedConnection, request: PinnedRequest): Promise<IncomingMessage> {
  const response = await openRequest(connection, request);
  const status = response.statusCode ?? 0;
  if (status >= 200 && status < 300) return response;
  const answer = parseAnswer(await readRefusal(response));
  const reason = readReason(answer);
  const what = `${request.method} ${request.path.split("?")[0]}`;
  if (status >= 400 && status < 500 && status !== 429 && status !== 408)
    throw new RefusedError(`the gateway refused ${what}: ${reason} (${status})`, status, reason, answer);
  throw new UnavailableError(
    `the gateway could not answer ${what}: ${reason} (${status})`,
    "Ask again a little later.",
  );
}

/** Reads to the end. Throws RefusedError (`size`) for more than `limit` bytes. */
export async function readBody(response: IncomingMessage, limit: number): Promise<Buffer> {
  const body = await readUpTo(response, limit);
  if (body !== null) return body;
  throw new RefusedError(`the gateway's answer is longer than ${limit} bytes`, response.statusCode ?? 0, "size");
}

/** The status decides, not the body: a page that a proxy puts around its 502 makes no refusal of it. */
async function readRefusal(response: IncomingMessage): Promise<Buffer> {
  return (await readUpTo(response, refusalBytes)) ?? Buffer.alloc(0);
}

/** Null: it is longer, and the rest was not read. */
async function readUpTo(response: IncomingMessage, limit: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      total += chunk.length;
      // Leaving the loop ends the connection.
      if (total > limit) return null;
      chunks.push(chunk);
    }
  } catch (error) {
    throw unavailable(error);
  }
  return Buffer.concat(chunks);
}

export function unavailable(cause: unknown): UnavailableError {
  const why = sayCause(cause);
  return new UnavailableError(
    `the gateway does not answer: ${why}`,
    "Is `mesh serve` running, and reachable from here?",
    {
      cause,
    },
  );
}

/** A name with several addresses fails with one error around theirs, and no words of its own. */
function sayCause(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === "" ? (errorCode(cause) ?? cause.name) : cause.message;
}

/**
 * A kept connection that the gateway closes just when it is used gives no answer: the same is asked again over another one.
 * Whatever is asked here may be asked twice, also where the first was heard: reads, reports in their order, an enrolment
 * with the same keys.
 */
async function openRequest(connection: PinnedConnection, request: PinnedRequest): Promise<IncomingMessage> {
  for (let tries = 0; tries <= maxSockets; tries += 1) {
    const response = await openOnce(connection, request);
    if (response !== "stale") return response;
  }
  throw unavailable(new Error("it closed each of the connections that were kept"));
}

function openOnce(connection: PinnedConnection, request: PinnedRequest): Promise<IncomingMessage | "stale"> {
  const body = request.body ?? Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest({
      agent: connection.agent,
      hostname: connection.url.hostname.replace(/^\[|\]$/g, ""),
      port: connection.url.port === "" ? 443 : Number(connection.url.port),
      method: request.method,
      path: request.path,
      headers: { ...request.headers(), ...(request.method === "POST" ? { "content-length": body.length } : {}) },
      signal: request.signal,
    });
    outgoing.setTimeout(request.idleMs, () => outgoing.destroy(new Error(`nothing came for ${request.idleMs} ms`)));
    boundConnecting(outgoing, request.connectMs);
    outgoing.once("response", resolve);
    outgoing.on("error", (error) => {
      if (request.signal?.aborted === true) reject(request.signal.reason);
      else if (outgoing.reusedSocket && hasErrorCode(error, "ECONNRESET", "EPIPE")) resolve("stale");
      else reject(unavailable(error));
    });
    outgoing.end(body);
  });
}

/**
 * A request's own timeout begins once it is connected: where packets are dropped without a word, the kernel alone would
 * say so, after two minutes.
 */
function boundConnecting(outgoing: ClientRequest, connectMs: number): void {
  outgoing.once("socket", (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      outgoing.destroy(new Error(`no connection came about in ${connectMs} ms`));
    }, connectMs);
    const clear = (): void => clearTimeout(timer);
    socket.once("connect", clear);
    socket.once("close", clear);
  });
}

/** Null: it is none of the gateway's, a proxy's page perhaps. */
function parseAnswer(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    // absence is the answer: the status has said no already, and nobody said why.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The gateway's one word for why, made harmless for a log. */
function readReason(value: unknown): string {
  if (typeof value === "object" && value !== null && "refused" in value && typeof value.refused === "string")
    return value.refused.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, 300);
  return "no reason given";
}
