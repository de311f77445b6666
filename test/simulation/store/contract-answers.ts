import type { Provision } from "../../../src/core/provision.ts";
import { loadedOf } from "../../../src/decide/part-of-world.ts";
import type { World } from "../../../src/decide/world.ts";

/** Artifacts that nobody needs are not loaded; the twin keeps them. */
export function worldOf(world: World | undefined): unknown {
  return world === undefined ? null : { ...world, artifacts: null, sent: [...world.sent].map(asWorld) };
}

/** What was loaded, and what for. */
export function partOf(world: World): unknown {
  const { extent } = world;
  if (extent === undefined) throw new Error("the whole world was loaded");
  return {
    mesh: world.mesh,
    nodes: loadedOf(world.nodes),
    modules: loadedOf(world.modules),
    artifacts: loadedOf(world.artifacts),
    assignments: loadedOf(world.assignments),
    provisions: loadedOf(world.provisions),
    versions: loadedOf(world.versions),
    sent: new Map([...loadedOf(world.sent)].map(asWorld)),
    claims: world.claims === undefined ? null : loadedOf(world.claims),
    extent: Object.entries(extent).map(([what, names]) => [what, [...(names as ReadonlySet<string>)].toSorted()]),
  };
}

type Send = readonly [string, World["sent"] extends ReadonlyMap<string, infer Sent> ? Sent : never];

/** The twin keeps more of a send. */
function asWorld([name, { order, digest, builds, incarnation, offers }]: Send): [string, unknown] {
  return [name, { order, digest, builds, incarnation, offers }];
}

export function byKey(provisions: readonly Provision[]): Provision[] {
  return provisions.toSorted((a, b) => (a.id === b.id ? a.version - b.version : a.id < b.id ? -1 : 1));
}
