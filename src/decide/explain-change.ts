import type { ProvisionKind } from "../core/manifest.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { Composition } from "./composition.ts";
import { indexWorld, providerLabel, type ProviderOffer } from "./index-world.ts";
import { listNames } from "./short-names.ts";
import type { World } from "./world.ts";

export interface ExplainChangeInput {
  readonly world: World;
  readonly node: Name;
  readonly before: Digest | null;
  readonly composition: Composition;
  /** Nodes this push has told something, or tried to. */
  readonly toldNodes: ReadonlyMap<Name, unknown>;
  readonly effects: { readonly minted: readonly Provision[]; readonly withdrawn: readonly Provision[] };
}

/** What a consumer gets, as people call it. */
const made: Readonly<Record<ProvisionKind, string>> = { postgresql: "a database", rabbitmq: "a vhost" };

/**
 * Why a node is to be something else now, from what the push did. Old content is not kept, so nothing is said about it
 * that is not known: a provider that was told is said to have been told, with where it is reached now.
 */
export function explainChange(input: ExplainChangeInput): string {
  const { node, composition, before, effects } = input;
  const reasons = [
    ...sayOf(effects.minted, node, (list) => `${listMade(list)} ${list.length === 1 ? "was" : "were"} minted here`),
    ...sayOf(effects.withdrawn, node, (list) => `access of ${listConsumers(list)} was withdrawn here`),
    ...sayProviders(input),
  ];
  if (composition.kind === "not-worked-out") {
    const what = before === null ? "it cannot be worked out" : "it can no longer be worked out";
    reasons.unshift(`${what}: ${composition.problems[0]?.why ?? "no reason given"}`);
  } else if (before === null) {
    reasons.unshift("it can be worked out now");
  }
  if (reasons.length > 0) return reasons.join("; ");
  return "its records changed while this push ran";
}

function sayOf(
  provisions: readonly Provision[],
  provider: Name,
  say: (here: readonly Provision[]) => string,
): readonly string[] {
  const here = provisions.filter((provision) => provision.provider.node === provider);
  return here.length === 0 ? [] : [say(here)];
}

function listMade(provisions: readonly Provision[]): string {
  return listNames(
    provisions.map(({ kind, consumer }) => `${made[kind]} for ${consumer.module} on ${consumer.node}`),
    3,
  );
}

function listConsumers(provisions: readonly Provision[]): string {
  return listNames(
    provisions.map(({ consumer }) => `${consumer.module} on ${consumer.node}`),
    3,
  );
}

function sayProviders({ world, node, composition, toldNodes }: ExplainChangeInput): string[] {
  return listProvidersAmong(toldNodes, { world, node, composition }).map(({ endpoint, ...offer }) => {
    const at = `${endpoint.host.includes(":") ? `[${endpoint.host}]` : endpoint.host}:${endpoint.port}`;
    return `its provider ${providerLabel(offer)} was told in this push and is reached at ${at}`;
  });
}

/** Providers of this node's modules that are on one of these nodes: an endpoint that moved is in what they offer now. */
export function listProvidersAmong(
  nodes: { has(node: Name): boolean },
  { world, node, composition }: Pick<ExplainChangeInput, "world" | "node" | "composition">,
): ProviderOffer[] {
  if (composition.kind !== "composed") return [];
  const offers = [...indexWorld(world).toldOffers.values()].flat();
  const mine = new Set<string>();
  for (const resource of composition.content.resources) {
    if (resource.kind !== "file" || resource.content.from !== "provisions") continue;
    for (const reference of resource.content.references) mine.add(reference.provision.split("@")[1] ?? "");
  }
  return offers
    .filter((offer) => offer.node !== node && nodes.has(offer.node))
    .filter((offer) => mine.has(`${offer.node}.${offer.module}.${offer.incarnation}`));
}
