import type { Name } from "../core/names.ts";
import type { Provision } from "../core/provision.ts";
import type { ProvisionReference, Resource } from "../core/resource.ts";
import type { ChosenModule } from "./choose-builds.ts";
import type { Problem } from "./composition.ts";
import type { OwnOffer } from "./work-out-offers.ts";

/** What the resources of one module on one node are made from. */
export interface ModuleParts {
  readonly chosen: ChosenModule;
  /** The node's own. */
  readonly address: string;
  readonly references: readonly ProvisionReference[];
  readonly offers: readonly OwnOffer[];
  /** What is on the grant lists of this module, whatever the kind. */
  readonly granted: readonly Provision[];
}

export interface ComposedParts {
  readonly resources: readonly Resource[];
  readonly problems: readonly Problem[];
}

export function serviceId(module: Name): string {
  return `service/${module}/main`;
}
