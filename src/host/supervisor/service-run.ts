import type { Digest, Name } from "../../core/names.ts";

/** How to run one service. Holds no secret: credentials are in the file that MESH_PROVISIONS names. */
export interface ServiceSpec {
  /** The resource's id. */
  readonly id: string;
  readonly module: Name;
  /** What it runs from: never collected while it runs. */
  readonly artifact: Digest;
  readonly command: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Its working folder. */
  readonly folder: string;
  readonly logFile: string;
  /** Of everything whose change restarts it. */
  readonly digest: Digest;
}

/** What is known about one service's process, read from the system. Times are Unix milliseconds. */
export interface ServiceRun {
  /** Digest of the spec it was started with. */
  readonly spec: Digest;
  readonly artifact: Digest;
  /** Another one with each start: whether what is read twice is the same process. */
  readonly start: string;
  readonly alive: boolean;
  /** It has ended and the supervisor starts it again after its delay. */
  readonly startsAgain: boolean;
  readonly startedMs: number;
  /** First start since it was asked for; the supervisor's own starts after an ending do not move it. */
  readonly firstStartedMs: number;
  /** How often it has ended by itself lately (see `restart-delay.ts`). */
  readonly endings: number;
  /** How it last ended: `exit code 1: <the line of its log that says why> (log/web.log)`. */
  readonly lastEnding: string | null;
  /** How long the process that ended last had run. Null: none has, or an earlier host did not keep it. */
  readonly lastRanMs: number | null;
}
