import type { Digest } from "../../../src/core/names.ts";

/**
 * What happened in a mesh of real processes, from sources that cannot lie for each other: the rows of the records in the
 * order of their commits, what each host wrote into its own journal, what commands answered, and what was seen meanwhile.
 */
export interface History {
  /** In the order of their commits. */
  readonly grants: readonly Grant[];
  /** In the order of their commits. */
  readonly sends: readonly Send[];
  readonly told: readonly Told[];
  readonly pushes: readonly Push[];
  /** What each machine should have been before each push told anybody: also of those that ended. */
  readonly baselines: readonly Baseline[];
  /** Each host's own journal, line by line. */
  readonly journal: readonly JournalLine[];
  /** Accounts of nodes, as they were seen to change. */
  readonly accounts: readonly Account[];
  readonly answers: readonly Answer[];
  /** The lease's row, as it was seen to change. */
  readonly leases: readonly LeaseSeen[];
  /** At the end, when everything has settled. */
  readonly machines: readonly MachineFile[];
}

export interface Grant {
  readonly epoch: number;
  readonly holder: string;
  /** Microseconds, by PostgreSQL's clock. */
  readonly committedAt: number;
}

export interface Send {
  readonly node: string;
  readonly epoch: number;
  readonly number: number;
  readonly digest: Digest;
  readonly incarnation: string;
  readonly push: string;
  readonly round: number;
  readonly committedAt: number;
  /** How long it counts as fresh, by itself. */
  readonly freshMs: number;
}

export interface Told {
  readonly push: string;
  readonly round: number;
  readonly node: string;
  readonly outcome: string;
  readonly epoch: number | null;
  readonly number: number | null;
  readonly digest: string | null;
}

export interface Push {
  readonly id: string;
  /** Whom round 0 is for. */
  readonly named: readonly string[];
  readonly outcome: string | null;
  /** How many machines it says to have sent something. */
  readonly sent: number | null;
}

export interface Baseline {
  readonly push: string;
  readonly node: string;
  /** Null: it was not worked out. */
  readonly digest: string | null;
}

export interface JournalLine {
  readonly node: string;
  /** `accepted`: written down. `applied`: gone by, from here on. */
  readonly what: "accepted" | "applied";
  readonly epoch: number;
  readonly number: number;
  readonly digest: string;
  readonly incarnation: string;
  readonly atMs: number;
}

export interface Account {
  readonly node: string;
  readonly incarnation: string;
  readonly epoch: number;
  readonly number: number;
  readonly boot: number;
  readonly sequence: number;
  readonly outcome: string;
}

export interface AnswerNode {
  readonly node: string;
  readonly outcome: string;
  readonly effect: string;
  /** Superseded by something that it has not read back as applied. */
  readonly pending?: boolean | undefined;
}

/** What `mesh push` said. */
export interface Answer {
  readonly push: string | null;
  /** R48: 0 settled and applied, 1 pending, 2 failed, 3 cannot tell. */
  readonly code: number;
  readonly outcome: string | null;
  readonly nodes: readonly AnswerNode[];
  readonly atMs: number;
}

export interface LeaseSeen {
  readonly holder: string | null;
  readonly epoch: number;
  readonly beat: number;
  readonly atMs: number;
}

/** The one file of one module on one machine. */
export interface MachineFile {
  readonly node: string;
  readonly module: string;
  /** By what people assigned; null: the module is not to be there. */
  readonly wanted: string | null;
  /** On the machine's disk; null: it is not there. */
  readonly found: string | null;
}
