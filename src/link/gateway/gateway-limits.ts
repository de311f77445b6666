import type { BodyShares } from "./body-budget.ts";

/** Everything is bounded before it is read. */
export type GatewayLimits = {
  readonly headersTimeoutMs: number;
  /** For a request to have arrived in whole; the wait of a long poll does not count. */
  readonly requestTimeoutMs: number;
  /** How long a connection without a request stays. */
  readonly keepAliveMs: number;
  readonly maxConnections: number;
  /** Per second and address. Many hosts may share one. */
  readonly requestsPerAddress: number;
  readonly enrolBytes: number;
  readonly reportBytes: number;
  readonly webhookBytes: number;
  /** Bytes of bodies in flight, all of a kind of sender together. Each has room for several of the longest. */
  readonly bodyShares: BodyShares;
  /** Of the share of hosts for each of them: one that sends its next report beside one that did not come to its end. */
  readonly bodyBytesPerNode: number;
  readonly maxWaiters: number;
  readonly longestWaitMs: number;
  /** At most one wake per source in this time. */
  readonly wakeEveryMs: number;
  /** How long `close` waits for requests under way. */
  readonly closeMs: number;
};

const maxWaiters = 15_000;

export const defaultGatewayLimits: GatewayLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  // Well below a host's heartbeat of a minute: each host has one connection for its long poll, and a second one, for reports,
  // that would else stay for good. A host whose connection is closed just as it asks asks again (`pinned-request.ts`).
  keepAliveMs: 8_000,
  // Of each host that waits, and may at that moment report and fetch an artifact, as after a push of the whole mesh.
  maxConnections: 3 * maxWaiters,
  requestsPerAddress: 2_000,
  enrolBytes: 16 * 1024,
  reportBytes: 8 * 1024 * 1024,
  webhookBytes: 4 * 1024 * 1024,
  bodyShares: { "proven-host": 192 * 1024 * 1024, unproven: 48 * 1024 * 1024, token: 16 * 1024 * 1024 },
  bodyBytesPerNode: 16 * 1024 * 1024,
  maxWaiters,
  longestWaitMs: 55_000,
  wakeEveryMs: 1_000,
  closeMs: 5_000,
};
