import type { FastifyRequest } from "fastify";
import type { GatewayLog } from "./gateway-log.ts";
import type { Writer } from "./writers.ts";

/**
 * Who sends a body, by what is known before any of it is read: a host whose head is signed; somebody with a token; or
 * whoever, which forges are, and hosts from before heads were signed. Each has a share, so that strangers keep no host out.
 */
export type BodySender = "proven-host" | "token" | "unproven";

export type BodyShares = Readonly<Record<BodySender, number>>;

export type BodyBudget = {
  /** Ends the reservation, however often it is called. Null: the share has no room for so many bytes now. */
  reserve(sender: BodySender, bytes: number): (() => void) | null;
};

/** Refusals may come by the thousand. */
const sayEveryMs = 60_000;

/** Bodies of which any part is in memory, or may come to be: from their head until they are answered. */
export function createBodyBudget(options: {
  readonly shares: BodyShares;
  readonly log: GatewayLog;
  readonly nowMs: () => number;
}): BodyBudget {
  const { shares, log, nowMs } = options;
  const taken: Record<BodySender, number> = { "proven-host": 0, token: 0, unproven: 0 };
  const saidMs: Record<BodySender, number> = { "proven-host": -Infinity, token: -Infinity, unproven: -Infinity };
  return {
    reserve(sender, bytes) {
      if (taken[sender] + bytes > shares[sender]) {
        if (Math.abs(nowMs() - saidMs[sender]) >= sayEveryMs) {
          saidMs[sender] = nowMs();
          log.warn(
            { sender, bytes, taken: taken[sender], share: shares[sender] },
            "bodies are refused: too much at once",
          );
        }
        return null;
      }
      taken[sender] += bytes;
      let isHeld = true;
      return () => {
        if (isHeld) taken[sender] -= bytes;
        isHeld = false;
      };
    },
  };
}

/** By what the head says, else what may come at most. 0: none is read, also of one that is refused for its length. */
export function readBodyBytes({ method, headers }: FastifyRequest, limit: number): number {
  if (method === "GET") return 0;
  const length = headers["content-length"];
  if (headers["transfer-encoding"] !== undefined) return limit;
  const bytes = length === undefined ? 0 : Number(length);
  return bytes > limit ? 0 : bytes;
}

export function findSender({ bodyDigest }: FastifyRequest, { identity }: Writer): BodySender {
  if (identity === "enrolment-token") return "token";
  return identity === "host" && bodyDigest !== "" ? "proven-host" : "unproven";
}
