import type { Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { Sent, World } from "./world.ts";

/**
 * The world after a composition was recorded: withdrawn ones are owed, minted ones are issued. Withdrawals come first,
 * because a re-issue withdraws and mints the same id under the next version.
 */
export function withIssued(world: World, mints: readonly Provision[], withdrawals: readonly string[]): World {
  if (mints.length === 0 && withdrawals.length === 0) return world;
  const provisions = new Map(world.provisions);
  const versions = new Map(world.versions);
  for (const id of withdrawals) {
    const issued = provisions.get(id);
    if (issued !== undefined) provisions.set(id, { ...issued, state: "owed" });
  }
  for (const mint of mints) {
    provisions.set(mint.id, mint);
    versions.set(mint.id, Math.max(mint.version, versions.get(mint.id) ?? 0));
  }
  return { ...world, provisions, versions };
}

/** The world after a node was sent something. */
export function withSent(world: World, node: Name, sent: Sent): World {
  return { ...world, sent: new Map(world.sent).set(node, sent) };
}
