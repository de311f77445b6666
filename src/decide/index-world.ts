import { groupBy } from "./group-by.ts";
import type { Manifest, ProvisionKind } from "../core/manifest.ts";
import type { Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import { boundMap, loadedOf } from "./part-of-world.ts";
import { compareText } from "./short-names.ts";
import { artifactKey, type Extent, type Offer, type World } from "./world.ts";

/** An offer with who makes it. */
export interface ProviderOffer extends Offer {
  readonly node: Name;
  readonly incarnation: string;
  /** The module is assigned to that node: it takes new consumers. Else it keeps those it has until its node is told. */
  readonly assigned: boolean;
}

/** A module that is assigned to a node, and whose newest build provides something. */
export interface PlannedProvider {
  readonly module: Name;
  readonly node: Name;
}

export interface WorldIndex {
  /** What hosts that still are who they were have been told to offer. Sorted by label. */
  readonly toldOffers: ReadonlyMap<ProvisionKind, readonly ProviderOffer[]>;
  /** Who would offer it once told, told or not. Sorted by label. Asked only to say why nobody can be chosen. */
  readonly plannedProviders: ReadonlyMap<ProvisionKind, readonly PlannedProvider[]>;
  readonly issuedByConsumer: ReadonlyMap<Name, readonly Provision[]>;
  readonly issuedByProvider: ReadonlyMap<Name, readonly Provision[]>;
}

/** A world is never changed, so its index is worked out once: composing every node of a mesh stays linear. */
const indexes = new WeakMap<World, WorldIndex>();
type Issued = Pick<WorldIndex, "issuedByConsumer" | "issuedByProvider">;
/** Worlds that differ in something else have the same provisions: `push --dry-run` sends to one node after the other. */
const issuedIndexes = new WeakMap<World["provisions"], Issued>();

export function indexWorld(world: World): WorldIndex {
  const known = indexes.get(world);
  if (known !== undefined) return known;
  const { extent } = world;
  const toldOffers = groupBy(listToldOffers(world), (offer) => offer.kind);
  let planned: WorldIndex["plannedProviders"] | null = null;
  const index: WorldIndex = {
    toldOffers: boundByKind(toldOffers, "what was told to offer", extent),
    get plannedProviders() {
      return (planned ??= boundByKind(listPlannedProviders(world), "what would offer", extent));
    },
    ...indexIssued(world.provisions, extent),
  };
  indexes.set(world, index);
  return index;
}

function boundByKind<V>(
  byKind: ReadonlyMap<ProvisionKind, V>,
  what: string,
  extent: Extent | undefined,
): ReadonlyMap<ProvisionKind, V> {
  return extent === undefined ? byKind : boundMap(byKind, what, (kind) => extent.kinds.has(kind));
}

function boundByNode<V>(byNode: ReadonlyMap<Name, V>, what: string, extent: Extent | undefined): ReadonlyMap<Name, V> {
  return extent === undefined ? byNode : boundMap(byNode, what, (node) => extent.nodes.has(node));
}

/** By the provisions alone: those of a part of the world are bound to its extent, and no other part has the same ones. */
function indexIssued(provisions: World["provisions"], extent: Extent | undefined): Issued {
  const known = issuedIndexes.get(provisions);
  if (known !== undefined) return known;
  const issued = [...loadedOf(provisions).values()]
    .filter((provision) => provision.state === "issued")
    .toSorted((a, b) => compareText(a.id, b.id));
  const index: Issued = {
    issuedByConsumer: boundByNode(
      groupBy(issued, (provision) => provision.consumer.node),
      "what is issued to",
      extent,
    ),
    issuedByProvider: boundByNode(
      groupBy(issued, (provision) => provision.provider.node),
      "what is issued from",
      extent,
    ),
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
  for (const [node, sent] of loadedOf(world.sent)) {
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

function listPlannedProviders(world: World): Map<ProvisionKind, PlannedProvider[]> {
  const planned: (PlannedProvider & { readonly kind: ProvisionKind })[] = [];
  for (const [node, assignments] of loadedOf(world.assignments)) {
    for (const { module } of assignments) {
      const kinds = new Set(newestManifest(world, module)?.provides.map((one) => one.kind));
      for (const kind of kinds) planned.push({ module, node, kind });
    }
  }
  const sorted = planned.toSorted((a, b) => compareText(providerLabel(a), providerLabel(b)));
  return groupBy(sorted, (one) => one.kind);
}

/** Of the newest fit build; undefined: there is none that can be composed. */
export function newestManifest(world: World, module: Name): Manifest | undefined {
  const fit = world.modules.get(module)?.fit ?? null;
  return fit === null ? undefined : world.artifacts.get(artifactKey(module, fit))?.manifest;
}
