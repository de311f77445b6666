import type { Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import { withEntries } from "./part-of-world.ts";
import type { Sent, World } from "./world.ts";

/**
 * The world after a composition was recorded: withdrawn ones are owed, minted ones are issued. Withdrawals come first,
 * because a re-issue withdraws and mints the same id under the next version.
 */
export function withIssued(world: World, mints: readonly Provision[], withdrawals: readonly string[]): World {
  if (mints.length === 0 && withdrawals.length === 0) return world;
  const provisions = new Map<string, Provision>();
  const versions = new Map<string, number>();
  for (const id of withdrawals) {
    const issued = world.provisions.get(id);
    if (issued !== undefined) provisions.set(id, { ...issued, state: "owed" });
  }
  for (const mint of mints) {
    provisions.set(mint.id, mint);
    versions.set(mint.id, Math.max(mint.version, world.versions.get(mint.id) ?? 0));
  }
  return {
    ...world,
    provisions: withEntries(world.provisions, provisions),
    versions: withEntries(world.versions, versions),
  };
}

/** The world after a node was sent something. */
export function withSent(world: World, node: Name, sent: Sent): World {
  return withSends(world, [[node, sent]]);
}

/** The same of many at once: a world is indexed anew whenever it changes. */
export function withSends(world: World, sends: readonly (readonly [Name, Sent])[]): World {
  return sends.length === 0 ? world : { ...world, sent: withEntries(world.sent, sends) };
}
