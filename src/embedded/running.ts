import type { ProcessIdentity } from "./process-identity.ts";

/** Something that runs on this machine for a mesh, started or adopted by this process. */
export interface Running {
  /** Null for what somebody else runs (DATABASE_URL, TEMPORAL_ADDRESS): it is neither watched nor stopped. */
  readonly identity: ProcessIdentity | null;
  /** It ran already, left by a start of the same state folder that was killed. */
  readonly adopted: boolean;
  /** Ends it in order and within a bound; what was never ours stays as it is. */
  stop(): Promise<void>;
}
