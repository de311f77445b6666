import type { Content } from "../core/declaration.ts";
import type { Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import { checkPresence } from "./check-presence.ts";
import { chooseBuilds, type ChosenModule } from "./choose-builds.ts";
import { composeResources } from "./compose-resources.ts";
import type { ComposedParts } from "./module-parts.ts";
import type { Composition, Pins, Problem } from "./composition.ts";
import { findExcess } from "./declaration-bytes.ts";
import { measureValue } from "./digest.ts";
import { indexWorld } from "./index-world.ts";
import { listUnusedConfig } from "./list-unused-config.ts";
import { resolveRequirements, type ResolvedRequirements } from "./resolve-requirements.ts";
import { compareText } from "./short-names.ts";
import { workOutOffers, type OwnOffer } from "./work-out-offers.ts";
import type { World, WorldNode } from "./world.ts";

/** What a declaration may hold: its schema refuses more. */
const resourceLimit = 5000;
/**
 * Each takes its line and a sealed box: 1.1 to 1.6 KB of the 8 MiB that hosts accept, with names of up to 20 characters. The
 * schema takes more, of which only those with the shortest names would fit; with longer names fewer do: see `findExcess`.
 */
const grantLimit = 5000;

/** What one node should be, and which provisions that mints and withdraws (R17, R29). Reads nothing but the world. */
export function compose(world: World, name: Name, pins: Pins): Composition {
  const node = world.nodes.get(name);
  if (node === undefined) {
    return notWorkedOut(name, [
      { code: "unknown-node", module: null, why: `no node ${name} is registered: add it first` },
    ]);
  }
  const { incarnation } = node;
  if (incarnation === null) {
    const why = `no host of ${name} has enrolled yet: \`mesh host token ${name}\` here, then \`mesh host enrol\` on that machine`;
    return notWorkedOut(name, [{ code: "not-enrolled", module: null, why }]);
  }
  const builds = chooseBuilds(world, name, pins);
  if (builds.holds.length > 0) return { kind: "held", node: name, holds: builds.holds };
  const { chosen } = builds;
  const enrolled = { ...node, incarnation };
  const own = workOutOffers(chosen, node.address);
  const resolved = resolveRequirements({ world, node: enrolled, chosen, ownOffers: own.offers });
  const parts = composeModules(world, enrolled, chosen, own.offers, resolved);
  const problems = [
    ...builds.problems,
    ...checkPresence(world, name, pins, chosen),
    ...own.problems,
    ...resolved.problems,
    ...parts.problems,
  ];
  const chosenBuilds = Object.fromEntries(chosen.map(({ module, artifact }) => [module, artifact.digest]));
  if (problems.length > 0) return { ...notWorkedOut(name, problems), builds: chosenBuilds };
  const content: Content = {
    node: name,
    builds: chosenBuilds,
    resources: parts.resources.toSorted((a, b) => compareText(a.id, b.id)),
  };
  const { digest, bytes } = measureValue(content);
  const excess = findExcess(content, bytes);
  if (excess !== null) return { ...notWorkedOut(name, [excess]), builds: chosenBuilds };
  return {
    kind: "composed",
    node: name,
    content,
    digest,
    offers: own.offers.map(({ module, kind, endpoint }) => ({ module, kind, endpoint })),
    mints: resolved.mints,
    withdrawals: resolved.withdrawals,
    notes: [...builds.notes, ...chosen.flatMap(listUnusedConfig)],
  };
}

function composeModules(
  world: World,
  node: WorldNode & { readonly incarnation: string },
  chosen: readonly ChosenModule[],
  offers: readonly OwnOffer[],
  resolved: ResolvedRequirements,
): ComposedParts {
  const granted = listGranted(world, node, resolved);
  const parts = chosen.map((module) =>
    composeResources({
      chosen: module,
      address: node.address,
      references: resolved.references.get(module.module) ?? [],
      offers: offers.filter((offer) => offer.module === module.module),
      granted: granted.filter((provision) => provision.provider.module === module.module),
    }),
  );
  const resources = parts.flatMap((part) => part.resources);
  const problems = parts.flatMap((part) => part.problems);
  if (resources.length > resourceLimit) {
    const why = `${node.name} would have ${resources.length} resources, more than ${resourceLimit}: spread its modules`;
    problems.push({ code: "too-large", module: null, why });
  }
  if (granted.length > grantLimit) {
    const wayOut = "add a provider on another node, and assign some of them with --provider to it";
    const why = `${node.name} would provide for ${granted.length} consumers, more than ${grantLimit}: ${wayOut}`;
    problems.push({ code: "too-large", module: null, why });
  }
  return { resources, problems };
}

/** Issued from this very host, with what this composition itself withdraws and mints here (a consumer beside its provider). */
function listGranted(
  world: World,
  node: WorldNode & { readonly incarnation: string },
  { mints, withdrawals }: ResolvedRequirements,
): Provision[] {
  const isFromHere = ({ provider }: Provision): boolean =>
    provider.node === node.name && provider.incarnation === node.incarnation;
  const gone = new Set(withdrawals);
  const issued = indexWorld(world).issuedByProvider.get(node.name) ?? [];
  return [
    ...issued.filter((provision) => isFromHere(provision) && !gone.has(provision.id)),
    ...mints.filter(isFromHere),
  ];
}

function notWorkedOut(node: Name, problems: readonly Problem[]): Extract<Composition, { kind: "not-worked-out" }> {
  const sorted = problems.toSorted(
    (a, b) => compareText(a.module ?? "", b.module ?? "") || compareText(a.code, b.code) || compareText(a.why, b.why),
  );
  return { kind: "not-worked-out", node, problems: sorted };
}
