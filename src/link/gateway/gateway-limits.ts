/** Everything is bounded before it is read. */
export type GatewayLimits = {
  readonly headersTimeoutMs: number;
  /** For a request to have arrived in whole; the wait of a long poll does not count. */
  readonly requestTimeoutMs: number;
  readonly maxConnections: number;
  /** Per second and address. Many hosts may share one. */
  readonly requestsPerAddress: number;
  readonly enrolBytes: number;
  readonly reportBytes: number;
  readonly webhookBytes: number;
  readonly maxWaiters: number;
  readonly longestWaitMs: number;
  /** At most one wake per source in this time. */
  readonly wakeEveryMs: number;
  /** How long `close` waits for requests under way. */
  readonly closeMs: number;
};

export const defaultGatewayLimits: GatewayLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  maxConnections: 20_000,
  requestsPerAddress: 2_000,
  enrolBytes: 16 * 1024,
  reportBytes: 8 * 1024 * 1024,
  webhookBytes: 4 * 1024 * 1024,
  maxWaiters: 15_000,
  longestWaitMs: 55_000,
  wakeEveryMs: 1_000,
  closeMs: 5_000,
};
