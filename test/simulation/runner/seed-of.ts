import { createHash } from "node:crypto";

/** The `index`-th seed of a base: fresh for every commit, and the same again for the same commit. */
export function seedOf(base: string, index: number): number {
  return createHash("sha256").update(`${base} ${index}`).digest().readUInt32BE(0);
}
