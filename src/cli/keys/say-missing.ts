import { keyIdOf } from "../../link/keys.ts";
import type { RootDraft } from "../../link/root-draft.ts";
import { rootKeysOf, type Root } from "../../link/root.ts";

export interface Missing {
  /** Signatures that are still needed of the root keys of the root before, and of the new one. */
  readonly before: number;
  readonly after: number;
  readonly isComplete: boolean;
  readonly words: readonly string[];
}

/** Who has signed a draft, and how many more must. */
export function sayMissing(have: Root, { root, signedBy }: RootDraft): Missing {
  const count = (of: Root): number => rootKeysOf(of).filter((key) => signedBy.includes(key)).length;
  const before = Math.max(0, have.threshold - count(have));
  const after = Math.max(0, root.threshold - count(root));
  const signers = signedBy.length === 0 ? "nobody has signed it" : `signed by ${signedBy.map(keyIdOf).join(", ")}`;
  const needs = [
    ...(before > 0 ? [`${before} more of the root keys of root ${have.version} must sign it`] : []),
    ...(after > 0 ? [`${after} more of its own root keys must sign it`] : []),
  ];
  const isComplete = before === 0 && after === 0;
  return { before, after, isComplete, words: [signers, ...(isComplete ? ["that is enough"] : needs)] };
}
