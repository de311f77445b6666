/** What goes into workflows and comes out: the wire format. Old shapes stay readable: add, never change. */

export interface ReconcileInput {
  readonly schema: 1;
  readonly mesh: string;
  /** Looks at everything after this long without a wake: a safety net, not the poll. */
  readonly safetyIntervalMs: number;
  /** Continue as new after so many rounds (Temporal's own suggestion counts too). */
  readonly roundsPerRun: number;
  /** Wakes that the run before could not serve any more. */
  readonly pending: readonly Wake[];
  /** A wave that is too long for one run's history: this run goes on with it. */
  readonly wave?: string | null;
  /** Plans of one round before it goes on in a run of its own; left out: what one history bears. */
  readonly stepsPerRun?: number;
}

/** *Go and look*: decides nothing. Cleared only by a look that began at or after it (R7). */
export interface Wake {
  readonly why: string;
}

export interface BuildInput {
  readonly schema: 1;
  readonly mesh: string;
  readonly module: string;
  readonly inputs: string;
  readonly why: string;
}

export interface PushInput {
  readonly schema: 1;
  readonly mesh: string;
  readonly push: string;
  /** `declare`: the named node alone, by hand, without a cascade. */
  readonly kind: "named" | "behind" | "all" | "auto" | "declare";
  readonly named: readonly string[];
  readonly requestedBy: string;
  readonly why: string;
  readonly confirmRemoval: boolean;
}

export interface RoundInput {
  readonly schema: 1;
  readonly mesh: string;
  readonly push: string;
  readonly round: number;
  readonly targets: number;
  readonly confirmRemoval: boolean;
}

export interface RoundOutput {
  readonly sent: number;
  /** Nodes whose declaration this push changed and that have not been told it: the next round's. */
  readonly changed: number;
  readonly firstNames: readonly string[];
  readonly summary: string;
}
