/** Remembers the nonces of proofs that were good, for as long as their time is acceptable. */
export type ReplayGuard = {
  /** False: seen before, or this node has used more nonces than one may in the window. */
  admit(node: string, nonce: string, nowMs: number): boolean;
};

/**
 * Bounded by enrolled nodes × twice `noncesPerNode`, because only good proofs come here. A proof may be made up to one
 * window ahead of our clock, so `keepMs` is two windows. After a restart of the gateway a proof of the last minute
 * could be used once more; what it can repeat is a read, or a report that is then a duplicate.
 */
export function createReplayGuard(options: { readonly keepMs: number; readonly noncesPerNode: number }): ReplayGuard {
  const seenByNode = new Map<string, Map<string, number>>();
  return {
    admit(node, nonce, nowMs) {
      const seen = seenByNode.get(node) ?? new Map<string, number>();
      seenByNode.set(node, seen);
      // All of them: where the clock was set back since, the old ones are not in front. A proof of that later time is good
      // again when it comes again, so its nonce stays; until then it takes nobody's place.
      let ahead = 0;
      for (const [old, atMs] of seen) {
        if (atMs - nowMs > options.keepMs) ahead += 1;
        else if (nowMs - atMs > options.keepMs) seen.delete(old);
      }
      const isFull = seen.size - ahead >= options.noncesPerNode || seen.size >= 2 * options.noncesPerNode;
      if (seen.has(nonce) || isFull) return false;
      seen.set(nonce, nowMs);
      return true;
    },
  };
}
