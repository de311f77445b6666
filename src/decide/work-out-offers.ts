import type { Provides } from "../core/manifest.ts";
import type { Name } from "../core/names.ts";
import { addressSchema, type Assignment } from "../core/node.ts";
import type { Endpoint } from "../core/resource.ts";
import type { ChosenModule } from "./choose-builds.ts";
import type { Problem } from "./composition.ts";
import { fillFields } from "./fill-fields.ts";
import { compareText } from "./short-names.ts";

/** One thing a module on this node provides, with everything its host needs to make it. */
export interface OwnOffer {
  readonly module: Name;
  readonly kind: Provides["kind"];
  readonly endpoint: Endpoint;
  readonly admin: string;
  readonly adminUser: string;
  readonly adminPasswordFile: string;
}

/** What the modules of a node offer to consumers. Sorted by module and kind. */
export function workOutOffers(
  chosen: readonly ChosenModule[],
  address: string,
): { readonly offers: readonly OwnOffer[]; readonly problems: readonly Problem[] } {
  const offers: OwnOffer[] = [];
  const problems: Problem[] = [];
  for (const module of chosen) {
    const kinds = new Set<string>();
    for (const provides of module.manifest.provides) {
      if (kinds.has(provides.kind)) {
        problems.push(badConfig(module.assignment, `provides ${provides.kind} twice: one offer of each kind`));
        continue;
      }
      kinds.add(provides.kind);
      const worked = workOutOffer(module, provides, address);
      if ("problems" in worked) problems.push(...worked.problems);
      else offers.push(worked);
    }
  }
  return {
    offers: offers.toSorted((a, b) => compareText(a.module, b.module) || compareText(a.kind, b.kind)),
    problems,
  };
}

function workOutOffer(
  chosen: ChosenModule,
  provides: Provides,
  address: string,
): OwnOffer | { readonly problems: readonly Problem[] } {
  const { kind, ...templates } = provides;
  const filled = fillFields(chosen, address, `provides ${kind}`, templates);
  if (filled.problems.length > 0) return { problems: filled.problems };
  const { host, port, admin, adminUser, adminPasswordFile } = filled.fields;
  const problems: Problem[] = [];
  if (!addressSchema.safeParse(host).success) {
    problems.push(badConfig(chosen.assignment, `its ${kind} host ${JSON.stringify(host)} is no address`));
  }
  if (!/^[1-9][0-9]{0,4}$/.test(port) || Number(port) > 65535) {
    problems.push(badConfig(chosen.assignment, `its ${kind} port ${JSON.stringify(port)} is no port`));
  }
  if (problems.length > 0) return { problems };
  return {
    module: chosen.module,
    kind,
    endpoint: { host, port: Number(port) },
    admin,
    adminUser,
    adminPasswordFile,
  };
}

function badConfig(assignment: Assignment, what: string): Problem {
  return { code: "bad-config", module: assignment.module, why: `${assignment.module} on ${assignment.node}: ${what}` };
}
