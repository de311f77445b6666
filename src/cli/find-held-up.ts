import type { Name } from "../core/names.ts";
import { loadMeshView } from "../store/situations.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import { situationLimits } from "./situation-limits.ts";
import { plainLine } from "./text/plain.ts";

/** A node that something new of a module does not reach, because of another module there. */
export interface HeldUp {
  readonly node: Name;
  readonly why: string;
}

/** Where a fit build of the module stays away because the node cannot be worked out. Sorted by node. */
export async function findHeldUp(
  { db, mesh, setup }: Pick<MeshConnection, "db" | "mesh" | "setup">,
  module: Name,
  now: Date,
): Promise<HeldUp[]> {
  const view = await loadMeshView(db, mesh, { now: now.toISOString(), limits: situationLimits(setup) });
  return [...view.situations.values()]
    .flatMap(({ node, all }) =>
      all.filter((finding) => finding.heldUp?.includes(module)).map(({ why }) => ({ node, why })),
    )
    .toSorted((a, b) => (a.node < b.node ? -1 : 1));
}

/** Undefined: it is held up nowhere. */
export function heldUpText(module: Name, heldUp: readonly HeldUp[]): string | undefined {
  if (heldUp.length === 0) return undefined;
  return heldUp
    .map(({ node, why }) => `nothing new of ${module} reaches ${node}, which is not worked out: ${plainLine(why)}`)
    .join("\n");
}
