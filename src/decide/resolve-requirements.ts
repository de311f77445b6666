import type { Requirement } from "../core/manifest.ts";
import type { Name } from "../core/names.ts";
import type { Consumer, Provision } from "../core/provision.ts";
import type { ProvisionReference } from "../core/resource.ts";
import type { ChosenModule } from "./choose-builds.ts";
import { chooseProvider } from "./choose-provider.ts";
import type { Problem } from "./composition.ts";
import { indexWorld, type ProviderOffer } from "./index-world.ts";
import { provisionId, provisionName } from "./provision-name.ts";
import { compareText } from "./short-names.ts";
import type { OwnOffer } from "./work-out-offers.ts";
import type { World, WorldNode } from "./world.ts";

export interface ResolvedRequirements {
  /** By consuming module, sorted by requirement. */
  readonly references: ReadonlyMap<Name, readonly ProvisionReference[]>;
  /** Not issued yet; the references already name them, so that minting moves nobody's digest (R29). */
  readonly mints: readonly Provision[];
  readonly withdrawals: readonly string[];
  readonly problems: readonly Problem[];
}

export interface ResolveInput {
  readonly world: World;
  readonly node: WorldNode & { readonly incarnation: string };
  readonly chosen: readonly ChosenModule[];
  readonly ownOffers: readonly OwnOffer[];
}

/** A provision for each requirement of the node's modules: the one issued, or the one that would be (R3, R17). */
export function resolveRequirements(input: ResolveInput): ResolvedRequirements {
  const issued = indexWorld(input.world).issuedByConsumer.get(input.node.name) ?? [];
  const references = new Map<Name, ProvisionReference[]>();
  const kept = new Set<string>();
  const mints: Provision[] = [];
  const problems: Problem[] = [];
  for (const chosen of input.chosen) {
    const names = new Set<Name>();
    const own: ProvisionReference[] = [];
    for (const requirement of chosen.manifest.requires.toSorted((a, b) => compareText(a.name, b.name))) {
      if (names.has(requirement.name)) {
        const why = `${chosen.module} has two requirements named ${requirement.name}: give each its own name`;
        problems.push({ code: "bad-config", module: chosen.module, why });
        continue;
      }
      names.add(requirement.name);
      const consumer = { node: input.node.name, module: chosen.module, requirement: requirement.name };
      const mine = issued.filter((provision) => isFor(provision, consumer));
      const provider = chooseProvider({ ...input, beside: input.chosen, chosen, requirement, issued: mine });
      if ("code" in provider) {
        problems.push(provider);
        continue;
      }
      const provision = provisionFrom(input, consumer, requirement, provider, mine);
      if (provision.minted) mints.push(provision.provision);
      else kept.add(provision.provision.id);
      own.push(referenceTo(provision.provision, provider));
    }
    if (own.length > 0) references.set(chosen.module, own);
  }
  const withdrawals = issued.map((provision) => provision.id).filter((id) => !kept.has(id));
  return { references, mints: mints.toSorted((a, b) => compareText(a.id, b.id)), withdrawals, problems };
}

function isFor(provision: Provision, consumer: Consumer): boolean {
  return provision.consumer.module === consumer.module && provision.consumer.requirement === consumer.requirement;
}

/** The issued provision of this pair, or the one that would be minted. */
function provisionFrom(
  input: ResolveInput,
  consumer: Consumer,
  requirement: Requirement,
  provider: ProviderOffer,
  issued: readonly Provision[],
): { readonly provision: Provision; readonly minted: boolean } {
  const { world, node } = input;
  const source = { node: provider.node, module: provider.module, incarnation: provider.incarnation };
  const id = provisionId(consumer, node.incarnation, source);
  const known = issued.find((provision) => provision.id === id && provision.kind === requirement.kind);
  if (known !== undefined) return { provision: known, minted: false };
  const provision: Provision = {
    id,
    version: (world.versions.get(id) ?? 0) + 1,
    kind: requirement.kind,
    consumer,
    provider: source,
    name: provisionName(world.mesh, consumer),
    state: "issued",
  };
  return { provision, minted: true };
}

function referenceTo(provision: Provision, provider: ProviderOffer): ProvisionReference {
  return {
    requirement: provision.consumer.requirement,
    provision: provision.id,
    version: provision.version,
    kind: provision.kind,
    host: provider.endpoint.host,
    port: provider.endpoint.port,
    name: provision.name,
  };
}
