import type { Manifest, Requirement } from "../core/manifest.ts";
import type { Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { ChosenModule } from "./choose-builds.ts";
import type { Problem } from "./composition.ts";
import { indexWorld, newestManifest, providerLabel, type PlannedProvider, type ProviderOffer } from "./index-world.ts";
import { provisionId } from "./provision-name.ts";
import { compareText, listNames } from "./short-names.ts";
import type { OwnOffer } from "./work-out-offers.ts";
import type { World, WorldNode } from "./world.ts";

export interface ChooseProviderInput {
  readonly world: World;
  readonly node: WorldNode & { readonly incarnation: string };
  readonly ownOffers: readonly OwnOffer[];
  /** All modules of the node that are composed, `chosen` among them. */
  readonly beside: readonly ChosenModule[];
  readonly chosen: ChosenModule;
  readonly requirement: Requirement;
  /** What is issued for this very requirement. */
  readonly issued: readonly Provision[];
}

/**
 * Who makes it. A choice in the assignment decides. Without one, a requirement stays with the provider that already
 * serves it: adding a second provider must not break consumers that run. Only then one candidate is needed (case 24).
 */
export function chooseProvider(input: ChooseProviderInput): ProviderOffer | Problem {
  const { chosen, requirement } = input;
  const candidates = listCandidates(input);
  const usable = candidates.filter((offer) => offer.assigned || hasCredentialOf(input, offer));
  const choices = chosen.assignment.providers;
  const choice = Object.hasOwn(choices, requirement.name) ? choices[requirement.name] : undefined;
  if (choice !== undefined) {
    return usable.find((offer) => providerLabel(offer) === choice) ?? explainChoice(input, choice);
  }
  const serving = usable.find((offer) => isServedBy(input, offer));
  if (serving !== undefined) return serving;
  const left = findLeft(input, usable);
  if (left !== undefined) return neverTold(input, left);
  const [only, ...more] = usable;
  if (only === undefined) return explainNone(input);
  if (more.length === 0) return only;
  const labels = usable.map(providerLabel);
  const why = `${describe(input)} could come from ${listNames(labels)}: assign it with ${requirement.name} from one of them`;
  return { code: "several-providers", module: chosen.module, why };
}

/**
 * The provider that served until its host was enrolled anew, not told since: nobody is moved off it to another one, away
 * from the data, only because that other was told first (case 22).
 */
function findLeft(input: ChooseProviderInput, usable: readonly ProviderOffer[]): PlannedProvider | undefined {
  if (input.requirement.scope === "node" || input.issued.length === 0) return undefined;
  const served = new Set(input.issued.map(({ provider }) => providerLabel(provider)));
  const told = new Set(usable.map(providerLabel));
  return listPlanned(input).find((one) => served.has(providerLabel(one)) && !told.has(providerLabel(one)));
}

/** Own offers as composed now, other nodes' as they were last told. Nobody provides for itself. */
function listCandidates(input: ChooseProviderInput): ProviderOffer[] {
  const { node, requirement, chosen } = input;
  const own = input.ownOffers
    .filter((offer) => offer.kind === requirement.kind && offer.module !== chosen.module)
    .map((offer): ProviderOffer => ({ ...offer, node: node.name, incarnation: node.incarnation, assigned: true }));
  if (requirement.scope === "node") return own;
  const told = indexWorld(input.world).toldOffers.get(requirement.kind) ?? [];
  const others = told.filter((offer) => offer.node !== node.name);
  return [...own, ...others].toSorted((a, b) => compareText(providerLabel(a), providerLabel(b)));
}

function isServedBy(input: ChooseProviderInput, offer: ProviderOffer): boolean {
  return input.issued.some(
    ({ kind, provider }) =>
      kind === offer.kind &&
      provider.node === offer.node &&
      provider.module === offer.module &&
      provider.incarnation === offer.incarnation,
  );
}

/**
 * Nothing would be minted. A consumer whose host was enrolled anew would be: what is about to leave its node would be told of
 * that by nobody (R20).
 */
function hasCredentialOf({ node, chosen, requirement, issued }: ChooseProviderInput, offer: ProviderOffer): boolean {
  const consumer = { node: node.name, module: chosen.module, requirement: requirement.name };
  const id = provisionId(consumer, node.incarnation, offer);
  return issued.some((provision) => provision.id === id && provision.kind === offer.kind);
}

function describe({ chosen, requirement }: ChooseProviderInput): string {
  return `${requirement.name} (${requirement.kind}) of ${chosen.module} on ${chosen.assignment.node}`;
}

function explainNone(input: ChooseProviderInput): Problem {
  const { chosen, requirement, node } = input;
  const [first] = requirement.scope === "mesh" ? listPlanned(input) : [];
  if (first !== undefined) return neverTold(input, first);
  const own = explainOwn(input, null);
  if (own !== null) return own;
  const where = requirement.scope === "node" ? `on ${node.name} itself` : "in the mesh";
  const why = `${describe(input)} has no provider: no module ${where} provides ${requirement.kind}`;
  return { code: "no-provider", module: chosen.module, why };
}

/**
 * A provider beside the consumer that offers nothing as it is composed now. What is wrong with it is a problem of its own. Null: there
 * is none, or another one was chosen.
 */
function explainOwn(input: ChooseProviderInput, choice: string | null): Problem | null {
  const { world, node, beside, chosen, requirement } = input;
  const isMeant = (one: AssignedManifest): boolean =>
    one.module !== chosen.module &&
    provides(one, requirement.kind) &&
    (choice === null || choice === providerLabel({ module: one.module, node: node.name }));
  const composed = beside.find(isMeant);
  const own = composed ?? listManifests(world, node.name).find(isMeant);
  if (own === undefined) return null;
  const label = providerLabel({ module: own.module, node: node.name });
  const wayOut =
    composed === undefined
      ? `is not in what ${node.name} was last sent: \`push ${node.name}\` sends it`
      : `cannot be worked out yet: mend what is said of ${own.module}`;
  return { code: "no-provider", module: chosen.module, why: `${describe(input)}: its provider ${label} ${wayOut}` };
}

function explainChoice(input: ChooseProviderInput, choice: string): Problem {
  const { chosen, requirement } = input;
  const untold =
    requirement.scope === "mesh" ? listPlanned(input).find((offer) => providerLabel(offer) === choice) : undefined;
  if (untold !== undefined) return neverTold(input, untold);
  const own = explainOwn(input, choice);
  if (own !== null) return own;
  const scope = requirement.scope === "node" ? ` on ${input.node.name} itself` : "";
  const why = `${describe(input)} is to come from ${choice}, which provides no ${requirement.kind}${scope}: choose another provider`;
  return { code: "chosen-provider-missing", module: chosen.module, why };
}

function neverTold(input: ChooseProviderInput, provider: PlannedProvider): Problem {
  const { world, node, chosen } = input;
  const other = findWaiting(world, provider.node, node.name);
  const wayOut =
    other === null
      ? `\`push ${provider.node}\` first`
      : `it waits for this node itself (${other.module} there requires ${other.kind}): unassign ${other.module} from ${provider.node}, \`push ${provider.node}\`, then \`push ${node.name}\`, and assign it again`;
  const why = `${describe(input)}: its provider ${providerLabel(provider)} was never told: ${wayOut}`;
  return { code: "provider-never-told", module: chosen.module, why };
}

/** Two nodes that provide for each other: which module of the one waits for what only the other would provide. */
function findWaiting(world: World, node: Name, provider: Name): { module: Name; kind: string } | null {
  const told = indexWorld(world).toldOffers;
  const here = listManifests(world, node);
  const there = listManifests(world, provider);
  for (const { module, manifest } of here)
    for (const { scope, kind } of manifest.requires) {
      if (scope !== "mesh" || told.get(kind) !== undefined || here.some((one) => provides(one, kind))) continue;
      if (there.some((one) => provides(one, kind))) return { module, kind };
    }
  return null;
}

interface AssignedManifest {
  readonly module: Name;
  readonly manifest: Manifest;
}

function provides({ manifest }: AssignedManifest, kind: string): boolean {
  return manifest.provides.some((one) => one.kind === kind);
}

/** Of the newest builds of what is assigned to a node. */
function listManifests(world: World, node: Name): AssignedManifest[] {
  return (world.assignments.get(node) ?? []).flatMap(({ module }) => {
    const manifest = newestManifest(world, module);
    return manifest === undefined ? [] : [{ module, manifest }];
  });
}

/** Assigned modules whose newest build would provide it, on other nodes. Only looked for to say why. */
function listPlanned({ world, node, requirement }: ChooseProviderInput): readonly PlannedProvider[] {
  const planned = indexWorld(world).plannedProviders.get(requirement.kind) ?? [];
  return planned.filter((provider) => provider.node !== node.name);
}
