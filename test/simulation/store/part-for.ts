import type { ProvisionKind } from "../../../src/core/manifest.ts";
import type { Name } from "../../../src/core/names.ts";
import { boundWorld } from "../../../src/decide/part-of-world.ts";
import { artifactKey, type World } from "../../../src/decide/world.ts";

/** `loadWorldFor`: what of the whole world composing these nodes can read, and nothing else. */
export function partFor(whole: World, composed: readonly Name[]): World {
  const nodes = new Set(composed);
  const builds = composed.flatMap((node) => Object.entries(whole.sent.get(node)?.builds ?? {}));
  const around = new Set(nodes);
  const kinds = new Set<ProvisionKind>();
  for (;;) {
    const modules = new Set([...assignedTo(whole, around), ...builds.map(([module]) => module)]);
    const artifacts = new Set(builds.map((pair) => artifactKey(...pair)));
    for (const module of modules) for (const key of fitKeys(whole, module)) artifacts.add(key);
    const required = new Set([...artifacts].flatMap((key) => requiredFromMesh(whole, key)));
    if ([...required].every((kind) => kinds.has(kind))) {
      return boundWorld(cut(whole, { nodes, around, modules, artifacts }), {
        nodes,
        around,
        modules,
        artifacts,
        kinds,
      });
    }
    for (const kind of required) kinds.add(kind);
    for (const node of whole.nodes.keys()) if (mayProvide(whole, node, required)) around.add(node);
  }
}

function assignedTo(whole: World, nodes: Iterable<Name>): Name[] {
  return [...nodes].flatMap((node) => (whole.assignments.get(node) ?? []).map(({ module }) => module));
}

function fitKeys(whole: World, module: Name): string[] {
  const fit = whole.modules.get(module)?.fit ?? null;
  return fit === null ? [] : [artifactKey(module, fit)];
}

function requiredFromMesh(whole: World, key: string): ProvisionKind[] {
  const requires = whole.artifacts.get(key)?.manifest.requires ?? [];
  return requires.flatMap(({ scope, kind }) => (scope === "mesh" ? [kind] : []));
}

function mayProvide(whole: World, node: Name, kinds: ReadonlySet<ProvisionKind>): boolean {
  const told = whole.sent.get(node)?.offers ?? [];
  const planned = assignedTo(whole, [node]).flatMap((module) =>
    fitKeys(whole, module).flatMap((key) => whole.artifacts.get(key)?.manifest.provides ?? []),
  );
  return [...told, ...planned].some(({ kind }) => kinds.has(kind));
}

interface Kept {
  readonly nodes: ReadonlySet<Name>;
  readonly around: ReadonlySet<Name>;
  readonly modules: ReadonlySet<Name>;
  readonly artifacts: ReadonlySet<string>;
}

function cut(whole: World, { nodes, around, modules, artifacts }: Kept): World {
  const provisions = [...whole.provisions].filter(
    ([, { consumer, provider }]) => nodes.has(consumer.node) || nodes.has(provider.node),
  );
  return {
    mesh: whole.mesh,
    nodes: pick(whole.nodes, around),
    modules: pick(whole.modules, modules),
    artifacts: pick(whole.artifacts, artifacts),
    assignments: pick(whole.assignments, around),
    provisions: new Map(provisions),
    versions: new Map([...whole.versions].filter(([id]) => nodes.has(id.slice(0, id.indexOf("."))))),
    sent: pick(whole.sent, around),
    ...(whole.claims === undefined ? {} : { claims: pick(whole.claims, around) }),
    ...(whole.reverted === undefined ? {} : { reverted: pick(whole.reverted, around) }),
  };
}

function pick<K, V>(map: ReadonlyMap<K, V>, keys: ReadonlySet<K>): Map<K, V> {
  const picked = new Map<K, V>();
  for (const key of keys) {
    const value = map.get(key);
    if (value !== undefined) picked.set(key, value);
  }
  return picked;
}
