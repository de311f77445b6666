import type { ProvisionKind } from "../core/manifest.ts";
import type { Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import { compareText } from "./short-names.ts";
import type { Offer, World } from "./world.ts";

/** An offer with who makes it. */
export interface ProviderOffer extends Offer {
  readonly node: Name;
  readonly incarnation: string;
  /** The module is assigned to that node: it takes new consumers. Else it keeps those it has until its node is told. */
  readonly assigned: boolean;
}

export interface WorldIndex {
  /** What hosts that still are who they were have been told to offer. Sorted by label. */
  readonly toldOffers: ReadonlyMap<ProvisionKind, readonly ProviderOffer[]>;
  readonly issuedByConsumer: ReadonlyMap<Name, readonly Provision[]>;
  readonly issuedByProvider: ReadonlyMap<Name, readonly Provision[]>;
}

/** A world is never changed, so its index is worked out once: composing every node of a mesh stays linear. */
const indexes = new WeakMap<World, WorldIndex>();
type Issued = Omit<WorldIndex, "toldOffers">;
/** Worlds that differ in something else have the same provisions: `push --dry-run` sends to one node after the other. */
const issuedIndexes = new WeakMap<World["provisions"], Issued>();

export function indexWorld(world: World): WorldIndex {
  const known = indexes.get(world);
  if (known !== undefined) return known;
  const { issuedByConsumer, issuedByProvider } = indexIssued(world.provisions);
  const toldOffers = groupBy(listToldOffers(world), (offer) => offer.kind);
  const index: WorldIndex = { toldOffers, issuedByConsumer, issuedByProvider };
  indexes.set(world, index);
  return index;
}

function indexIssued(provisions: World["provisions"]): Issued {
  const known = issuedIndexes.get(provisions);
  if (known !== undefined) return known;
  const issued = [...provisions.values()]
    .filter((provision) => provision.state === "issued")
    .toSorted((a, b) => compareText(a.id, b.id));
  const index: Issued = {
    issuedByConsumer: groupBy(issued, (provision) => provision.consumer.node),
    issuedByProvider: groupBy(issued, (provision) => provision.provider.node),
  };
  issuedIndexes.set(provisions, index);
  return index;
}

/** `postgres@node-b`: how a person chooses a provider. */
export function providerLabel(offer: { readonly module: Name; readonly node: Name }): string {
  return `${offer.module}@${offer.node}`;
}

function listToldOffers(world: World): ProviderOffer[] {
  const offers: ProviderOffer[] = [];
  for (const [node, sent] of world.sent) {
    if (sent.offers.length === 0) continue;
    // A host that was enrolled again has not been told anything yet, whatever the machine before it was told.
    if (world.nodes.get(node)?.incarnation !== sent.incarnation) continue;
    const assigned = new Set(world.assignments.get(node)?.map((assignment) => assignment.module));
    for (const offer of sent.offers) {
      offers.push({ ...offer, node, incarnation: sent.incarnation, assigned: assigned.has(offer.module) });
    }
  }
  return offers.toSorted((a, b) => compareText(providerLabel(a), providerLabel(b)));
}

function groupBy<K, V>(values: readonly V[], keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}
