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
  /** Ends the reservation, however often it is called. Null: the share, or what one host may have of it, has no room for so many bytes now. */
  reserve(from: BodyFrom, bytes: number): (() => void) | null;
};

/** `node`: whose host is proven. Of anybody else nobody knows who it is. */
export type BodyFrom =
  | { readonly sender: "proven-host"; readonly node: string }
  | { readonly sender: "token" | "unproven" };

/** Refusals may come by the thousand. */
const sayEveryMs = 60_000;

/** Bodies of which any part is in memory, or may come to be: from their head until they are answered. */
export function createBodyBudget(options: {
  readonly shares: BodyShares;
  /** Of the share of hosts, for each node: one host keeps no other out. */
  readonly perNode: number;
  readonly log: GatewayLog;
  readonly nowMs: () => number;
}): BodyBudget {
  const { shares, perNode, log, nowMs } = options;
  const taken = new Map<string, number>();
  const saidMs = new Map<string, number>();
  const say = (about: string, fields: object): void => {
    if (Math.abs(nowMs() - (saidMs.get(about) ?? -Infinity)) < sayEveryMs) return;
    saidMs.set(about, nowMs());
    log.warn(fields, "bodies are refused: too much at once");
  };
  const take = (key: string, bytes: number): void => {
    const left = (taken.get(key) ?? 0) + bytes;
    if (left === 0) taken.delete(key);
    else taken.set(key, left);
  };
  return {
    reserve(from, bytes) {
      const { sender } = from;
      const ofNode = sender === "proven-host" ? `node ${from.node}` : null;
      const own = ofNode === null ? 0 : (taken.get(ofNode) ?? 0);
      if (ofNode !== null && own + bytes > perNode) {
        say("one host", { ...from, bytes, taken: own, share: perNode });
        return null;
      }
      const all = taken.get(sender) ?? 0;
      if (all + bytes > shares[sender]) {
        say(sender, { sender, bytes, taken: all, share: shares[sender] });
        return null;
      }
      const keys = ofNode === null ? [sender] : [sender, ofNode];
      for (const key of keys) take(key, bytes);
      let isHeld = true;
      return () => {
        if (isHeld) for (const key of keys) take(key, -bytes);
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

export function findSender({ bodyDigest, node }: FastifyRequest, { identity }: Writer): BodyFrom {
  if (identity === "enrolment-token") return { sender: "token" };
  return identity === "host" && bodyDigest !== "" ? { sender: "proven-host", node } : { sender: "unproven" };
}
