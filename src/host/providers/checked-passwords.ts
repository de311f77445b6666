import { createHash } from "node:crypto";
import { isScramVerifierOf } from "./scram-verifier.ts";

/** Whether a verifier that was read back is this password's. */
export type CheckPassword = (verifier: string, password: string) => Promise<boolean>;

/**
 * A pair that was good once stays good: it is worked out once, since SCRAM's 4,096 rounds for each of thousands of
 * consumers would take seconds of every pass. `beginPass` of one server forgets what its pass before did not ask for.
 * Kept as digests: no password stays here that nobody wants any more.
 */
export function createCheckedPasswords(check: CheckPassword = isScramVerifierOf): {
  readonly beginPass: (server: string) => CheckPassword;
} {
  const goodByServer = new Map<string, ReadonlySet<string>>();
  return {
    beginPass(server) {
      const before = goodByServer.get(server) ?? new Set();
      const good = new Set<string>();
      goodByServer.set(server, good);
      return async (verifier, password) => {
        const pair = createHash("sha256")
          .update(JSON.stringify([verifier, password]))
          .digest("base64");
        const isGood = before.has(pair) || (await check(verifier, password));
        if (isGood) good.add(pair);
        return isGood;
      };
    },
  };
}
