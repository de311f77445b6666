/** Remembers the nonces of proofs that were good, for as long as their time is acceptable. */
export type ReplayGuard = {
  /** False: seen before, or this node has used more nonces than one may in the window. */
  admit(node: string, nonce: string, nowMs: number): boolean;
};

export function createReplayGuard(_options: { readonly keepMs: number; readonly noncesPerNode: number }): ReplayGuard {
  throw new Error("not written yet");
}
