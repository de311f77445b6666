/** Where more is said about a server that somebody else runs: paths and names, no secret. */
export interface GivenTemporal {
  /** Absolute. Null: the environment says it all. */
  readonly configFile: string | null;
  readonly profile: string | null;
}

/** The mesh's Temporal server. */
export interface TemporalServer {
  readonly address: string;
  readonly namespace: string;
  /** Null and left out: one of our own, reached in plain; the environment's variables are about another one. */
  readonly given?: GivenTemporal | null | undefined;
}
