import type { Declaration } from "../../../src/core/declaration.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { Assignment } from "../../../src/core/node.ts";
import type { ProvisionReference, Resource } from "../../../src/core/resource.ts";
import { artifactKey } from "../../../src/decide/world.ts";
import { newestSent, type Records } from "../store/state.ts";

/**
 * What is wrong with what a node is told at the end, by what people said and in words of its own: everything else here goes by
 * the product's composition, which could be wrong all the time. Each module that is assigned is there in its newest fit build,
 * with the config that was set; each of its requirements has one credential, issued to it by a provider that is
 * where it says, and of the node that a person chose; and nothing is there of any other module. Null: it is right.
 */
export function findMistold(records: Records, node: string, { content }: Pick<Declaration, "content">): string | null {
  const assigned = new Map((records.assignments.get(node) ?? []).map((one) => [one.module, one]));
  const stray = content.resources.find(({ module }) => !assigned.has(module));
  if (stray !== undefined) return `${stray.id} is of a module that nobody assigned`;
  for (const assignment of assigned.values()) {
    const own = content.resources.filter(({ module }) => module === assignment.module);
    const why = findWrong(records, assignment, own);
    if (why !== null) return `${assignment.module}: ${why}`;
  }
  return null;
}

function findWrong(records: Records, assignment: Assignment, own: readonly Resource[]): string | null {
  const { module } = assignment;
  const fit = records.modules.get(module)?.fit ?? null;
  const manifest = fit === null ? undefined : records.artifacts.get(artifactKey(module, fit))?.manifest;
  if (fit === null || manifest === undefined) return "is told, and has no fit build";
  const builds = own.flatMap((one) => (one.kind === "artifact" ? [one.digest] : []));
  if (builds.join() !== fit) return `is told as ${builds.join(", ") || "nothing"}, and ${fit} is its newest fit build`;
  return findWrongFile(manifest, assignment, own) ?? findWrongReference(records, manifest, assignment, own);
}

/** The only template of this world is one key of the config. */
function findWrongFile(manifest: Manifest, { config }: Assignment, own: readonly Resource[]): string | null {
  for (const { path, text } of manifest.files) {
    const key = /^\$\{config\.(\w+)\}$/.exec(text)?.[1] ?? "";
    const wanted = config[key] ?? manifest.config[key];
    const told = own.flatMap((one) =>
      one.kind === "file" && one.content.from === "text" && one.path.endsWith(`/${path}`) ? [one.content.text] : [],
    );
    if (told.length !== 1 || told[0] !== wanted) return `${path} is told as ${told.join()}, and ${wanted} was set`;
  }
  return null;
}

function findWrongReference(
  records: Records,
  manifest: Manifest,
  assignment: Assignment,
  own: readonly Resource[],
): string | null {
  const references = own.flatMap((one) =>
    one.kind === "file" && one.content.from === "provisions" ? one.content.references : [],
  );
  const [named, required] = [references, manifest.requires].map((list) =>
    list.map((one) => ("requirement" in one ? one.requirement : one.name)).toSorted(),
  );
  if (named?.join() !== required?.join()) return `has ${named?.join() || "nothing"}, and requires ${required?.join()}`;
  for (const reference of references) {
    const why = findWrongProvider(records, assignment, reference);
    if (why !== null) return `${reference.requirement}: ${why}`;
  }
  return null;
}

function findWrongProvider(records: Records, assignment: Assignment, reference: ProvisionReference): string | null {
  const { requirement, provision: id, version } = reference;
  const issued = records.provisions.filter(({ provision }) => provision.id === id && provision.version === version);
  const [kept] = issued;
  if (kept === undefined || issued.length > 1) return `${id}#${version} is on record ${issued.length} times`;
  const { state, kind, consumer, provider } = kept.provision;
  if (state !== "issued") return `${id}#${version} is ${state}`;
  const isOwn =
    consumer.node === assignment.node && consumer.module === assignment.module && consumer.requirement === requirement;
  if (!isOwn) return `${id} is another consumer's`;
  const chosen = assignment.providers[requirement];
  const from = `${provider.module}@${provider.node}`;
  if (chosen !== undefined && chosen !== from) return `is from ${from}, and ${chosen} was chosen`;
  const fit = records.modules.get(provider.module)?.fit ?? null;
  const manifest = fit === null ? undefined : records.artifacts.get(artifactKey(provider.module, fit))?.manifest;
  const isAssigned = (records.assignments.get(provider.node) ?? []).some(({ module }) => module === provider.module);
  // Taken off, and its node cannot be told that yet: who is served stays served until it is.
  const isThere = isAssigned || newestSent(records, provider.node)?.builds?.[provider.module] !== undefined;
  const provides = manifest?.provides.some((one) => one.kind === kind) === true;
  return isThere && provides ? null : `${from} is not there, or provides no ${kind}`;
}
