import { UnavailableError } from "../../core/errors.ts";
import type { ProvisionKind } from "../../core/manifest.ts";
import type { ResourceOf } from "../../core/resource.ts";
import { cutText } from "../describe-failure.ts";
import type { NodeContext } from "../node-context.ts";
import { NoAnswerError } from "../providers/no-answer.ts";
import type { ObservedGrant, Provider, ProviderAccess, WantedGrant } from "../providers/provider.ts";
import { probeHealth } from "../supervisor/health.ts";
import { fillTemplate } from "./fill-template.ts";
import type { Conclusion, Difference, ResourceHandler } from "./resource-handler.ts";

export interface WantedGrants {
  readonly access: ProviderAccess;
  readonly grants: readonly WantedGrant[];
}

/** A drift's side in the report holds 500 characters. */
const wordsLimit = 480;

/** A provider's grant list: what is on it is made, what is marked as ours and not on it loses its access (R20). */
export function createGrantHandler(
  context: Pick<NodeContext, "folders" | "declaration" | "openSecret" | "readAdminPassword" | "signal">,
  providers: Readonly<Record<ProvisionKind, Provider>>,
  kind: ProvisionKind,
): ResourceHandler<ResourceOf<"grant">, WantedGrants, readonly ObservedGrant[]> {
  const provider = providers[kind];
  return {
    async want(resource) {
      const access = await readAccess(resource, context);
      const grants: WantedGrant[] = [];
      for (const { provision, version, name } of resource.grants) {
        const { password } = await context.openSecret(provision, version);
        grants.push({ provision, version, name, password });
      }
      return { access, grants };
    },
    read: ({ access, grants }) => provider.readGrants(access, grants),
    diff: diffGrants,
    async apply(wanted, observed) {
      const problems: unknown[] = [];
      // Taking away comes first, and neither stops the other: one bad entry must not hold back the rest.
      await attempt(problems, () => provider.withdrawGrants(wanted.access, surplusOf(wanted, observed)));
      // But a server that does not answer is asked nothing more.
      if (problems[0] instanceof NoAnswerError) throw problems[0];
      await attempt(problems, () => provider.issueGrants(wanted.access, missingOf(wanted, observed)));
      if (problems.length > 0) throw problems[0];
    },
    conclude: concludeGrants,
    async remove(resource) {
      const access = await readAccess(resource, context).catch((error: unknown) => sayIfAway(resource, error));
      const nothing: WantedGrants = { access, grants: [] };
      const surplus = surplusOf(nothing, await provider.readGrants(access, []));
      if (surplus.length === 0) return { kind: "removed" };
      await provider.withdrawGrants(access, surplus);
      // A debt is paid by what is read, not by what was run (R20, R43).
      const left = diffGrants(nothing, await provider.readGrants(access, []));
      if (left !== null) throw new Error(`there is still ${left.found}`);
      return { kind: "removed" };
    },
  };
}

export function diffGrants(wanted: WantedGrants, observed: readonly ObservedGrant[]): Difference | null {
  const found = new Map(observed.map((grant) => [grant.provision, grant]));
  const missing = missingOf(wanted, observed);
  const surplus = surplusOf(wanted, observed);
  if (missing.length === 0 && surplus.length === 0) return null;
  return {
    wanted: join([
      ...missing.map(({ provision, version }) => `${provision} v${version}`),
      ...surplus.map(({ provision }) => `${provision} without access`),
    ]),
    found: join([
      ...missing.map(({ provision }) => describe(provision, found.get(provision))),
      ...surplus.map(({ provision, version }) => `${provision} v${version} with access`),
    ]),
  };
}

export function concludeGrants(wanted: WantedGrants, observed: readonly ObservedGrant[]): Conclusion {
  const difference = diffGrants(wanted, observed);
  const there = observed.filter(({ access }) => access);
  const provisions = there.map(({ provision, version }) => ({ provision, version }));
  if (difference !== null) {
    return { state: "failed", message: `wanted ${difference.wanted}; found ${difference.found}`, provisions };
  }
  const kept = observed.length - there.length;
  const message = `${there.length} granted${kept === 0 ? "" : `, ${kept} withdrawn with the data kept`}`;
  return { state: "applied", message, provisions };
}

function missingOf(wanted: WantedGrants, observed: readonly ObservedGrant[]): readonly WantedGrant[] {
  const found = new Map(observed.map((grant) => [grant.provision, grant]));
  return wanted.grants.filter((grant) => {
    const there = found.get(grant.provision);
    return there === undefined || !there.access || there.version !== grant.version || there.problems.length > 0;
  });
}

function surplusOf(wanted: WantedGrants, observed: readonly ObservedGrant[]): readonly ObservedGrant[] {
  const listed = new Set(wanted.grants.map(({ provision }) => provision));
  return observed.filter(({ provision, access }) => access && !listed.has(provision));
}

function describe(provision: string, there: ObservedGrant | undefined): string {
  if (there === undefined) return `${provision} not there`;
  const problems = there.problems.length === 0 ? "" : ` (${there.problems.join(", ")})`;
  return `${provision} v${there.version}${there.access ? "" : " without access"}${problems}`;
}

function join(words: readonly string[]): string {
  return cutText(words.join("; "), wordsLimit);
}

async function attempt(problems: unknown[], act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    problems.push(error);
  }
}

async function readAccess(
  resource: ResourceOf<"grant">,
  context: Pick<NodeContext, "folders" | "declaration" | "readAdminPassword" | "signal">,
): Promise<ProviderAccess> {
  const { root } = context.folders;
  const { module, admin, adminUser, adminPasswordFile } = resource;
  const file = fillTemplate(adminPasswordFile, root, module, null);
  const adminPassword = await context.readAdminPassword(module, file);
  const { mesh, node } = context.declaration;
  return { mesh, node, module, admin, adminUser, adminPassword, signal: context.signal };
}

/**
 * A server's first start makes its password's file: without one, whether anybody may get in is whether anybody listens.
 * Throws NoAnswerError where nobody does, else what was thrown.
 */
async function sayIfAway({ admin }: ResourceOf<"grant">, error: unknown): Promise<never> {
  if (!(error instanceof UnavailableError)) throw error;
  const { ok, said } = await probeHealth({ tcp: addressOf(admin) }, { tries: 1 });
  if (!ok) throw new NoAnswerError(said, "It is asked again.", { cause: error });
  const next = "Its access is withdrawn when that file is there again: write it.";
  throw new UnavailableError(`${error.message}, and its server is there (${said})`, next, { cause: error });
}

/** Of a server that is named by `host:port`, or by the URL of its management API. */
function addressOf(admin: string): string {
  if (!URL.canParse(admin)) return admin;
  const { host, hostname, port, protocol } = new URL(admin);
  if (host === "") return admin;
  return `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
}
