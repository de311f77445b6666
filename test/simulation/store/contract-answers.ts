import type { GateRecords } from "../../../src/activities/push-records.ts";
import type { Provision } from "../../../src/core/provision.ts";

/** Artifacts that nobody needs are not loaded; the twin keeps them. */
export function worldOf(world: Awaited<ReturnType<GateRecords["loadWorld"]>> | undefined): unknown {
  if (world === undefined) return null;
  const sent = [...world.sent].map(([name, { order, digest, builds, incarnation, offers }]) => {
    return [name, { order, digest, builds, incarnation, offers }];
  });
  return { ...world, artifacts: null, sent };
}

export function byKey(provisions: readonly Provision[]): Provision[] {
  return provisions.toSorted((a, b) => (a.id === b.id ? a.version - b.version : a.id < b.id ? -1 : 1));
}
