import type { EnvelopeRefusal } from "./envelope.ts";
import { openEnvelope } from "./envelope.ts";
import { defaultLinkLimits, type LinkLimits } from "./limits.ts";
import { rootKeysOf, verifyRoot, type Root } from "./root.ts";

/** Why a document is not the successor of a root; the words for people are in `message`. */
export type NextRootReason =
  | EnvelopeRefusal["check"]
  /** Its version is the one that is here, or a lower one. */
  | "lower"
  /** Versions between are missing. */
  | "gap"
  /** Not enough of the root keys of the one before have signed it. */
  | "threshold-before";

export type NextRootRefusal = { readonly ok: false; readonly reason: NextRootReason; readonly message: string };

/**
 * Whether this is root N+1 for somebody who has root N: of this mesh, exactly one version on, signed by the threshold of
 * the one before **and** by its own. What it is signed by is asked of no clock: a root may be walked over long after.
 */
export function verifyNextRoot(
  bytes: Uint8Array,
  options: { readonly have: Root; readonly limits?: LinkLimits },
): { readonly ok: true; readonly root: Root } | NextRootRefusal {
  const { have, limits = defaultLinkLimits } = options;
  const itself = verifyRoot(bytes, { mesh: have.mesh, limits });
  if (!itself.ok) return refuse(itself.check, itself.message);
  const { root } = itself;
  const { version } = root;
  if (version <= have.version) return refuse("lower", `it is root ${version}, root ${have.version} is here already`);
  if (version !== have.version + 1)
    return refuse("gap", `it is root ${version}, the one after root ${have.version} is needed`);
  const before = openEnvelope(bytes, { kind: "root", keys: rootKeysOf(have), threshold: have.threshold, limits });
  if (!before.ok)
    return refuse(
      "threshold-before",
      `root ${version} is not signed by the keys of root ${have.version}: ${before.message}`,
    );
  return { ok: true, root };
}

function refuse(reason: NextRootReason, message: string): NextRootRefusal {
  return { ok: false, reason, message };
}
