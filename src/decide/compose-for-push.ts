import type { Digest, Name } from "../core/names.ts";
import { compose } from "./compose.ts";
import type { Composition } from "./composition.ts";
import { pinsOfLastSend } from "./pins-of-last-send.ts";
import type { World } from "./world.ts";

export interface ComposedForPush {
  readonly composition: Composition;
  /**
   * By what the node is compared in this push. A held one is compared at the newest builds, so that a change of what it
   * should be is seen and said although it is not sent (case 20). Null: not worked out.
   */
  readonly digest: Digest | null;
}

/** As a push composes it: named nodes at the newest builds, the others at the builds they were last sent (R21). */
export function composeForPush(world: World, node: Name, { named }: { readonly named: boolean }): ComposedForPush {
  const newest = (): Composition => compose(world, node, { at: "newest" });
  if (named) return withDigest(newest());
  const last = pinsOfLastSend(world, node);
  if (last.kind === "hold") {
    const composition = newest();
    if (composition.kind !== "composed") return withDigest(composition);
    return { composition: { kind: "held", node, holds: [last.hold] }, digest: composition.digest };
  }
  const composition = compose(world, node, last.pins);
  return composition.kind === "held" ? { composition, digest: digestIn(newest()) } : withDigest(composition);
}

function withDigest(composition: Composition): ComposedForPush {
  return { composition, digest: digestIn(composition) };
}

function digestIn(composition: Composition): Digest | null {
  return composition.kind === "composed" ? composition.digest : null;
}
