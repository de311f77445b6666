import { manifestSchema, type Manifest } from "../../../src/core/manifest.ts";
import { nameSchema, type Digest, type Name } from "../../../src/core/names.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { artifactKey, type World, type WorldArtifact, type WorldNode } from "../../../src/decide/world.ts";

type ManifestInput = Parameters<typeof manifestSchema.parse>[0];

export interface WorldSpec {
  /** Address by node, or what differs. Incarnation: `host-<node>`. */
  readonly nodes: Readonly<Record<Name, string | Partial<WorldNode>>>;
  /** Manifest by module; the build is `buildOf(module, 1)`. */
  readonly modules: Readonly<Record<Name, Partial<Record<keyof Manifest, unknown>>>>;
  /** `module@node`, with the assignment's configuration and choices. */
  readonly assign?: Readonly<Record<string, { config?: Record<string, string>; providers?: Record<string, string> }>>;
}

/** A digest that a test can name. */
export function digestNamed(label: string): Digest {
  return digestValue(label);
}

/** The n-th build of a module. */
export function buildOf(module: Name, build: number): Digest {
  return digestNamed(`${module} build ${build}`);
}

export function buildManifest(module: Name, parts: Partial<Record<keyof Manifest, unknown>> = {}): Manifest {
  const input: ManifestInput = { module, language: "files", ...parts };
  return manifestSchema.parse(input);
}

export function buildArtifact(module: Name, build: number, manifest: Manifest): WorldArtifact {
  const artifact = {
    module,
    digest: buildOf(module, build),
    blob: digestNamed(`${module} blob ${build}`),
    blobBytes: 1000,
    files: 3,
  };
  return { artifact, manifest };
}

/** A mesh in which every node is enrolled, every module has one fit build, and nobody was told anything. */
export function buildWorld(spec: WorldSpec): World {
  const nodes = new Map(
    Object.entries(spec.nodes).map(([name, node]) => {
      const parts = typeof node === "string" ? { address: node } : node;
      return [nameSchema.parse(name), { name, address: "10.0.0.1", incarnation: `host-${name}`, ...parts }];
    }),
  );
  let world: World = {
    mesh: "example",
    nodes,
    modules: new Map(),
    artifacts: new Map(),
    assignments: new Map(),
    provisions: new Map(),
    versions: new Map(),
    sent: new Map(),
  };
  for (const [module, parts] of Object.entries(spec.modules)) {
    world = withBuild(world, module, 1, parts);
  }
  for (const [where, parts] of Object.entries(spec.assign ?? {})) world = withAssignment(world, where, parts);
  return world;
}

/** A newer fit build of a module, perhaps with another manifest. */
export function withBuild(
  world: World,
  module: Name,
  build: number,
  parts: Partial<Record<keyof Manifest, unknown>> = {},
): World {
  const artifact = buildArtifact(module, build, buildManifest(module, parts));
  const digest = artifact.artifact.digest;
  return {
    ...world,
    modules: new Map(world.modules).set(module, { name: module, upgrade: artifact.manifest.upgrade, fit: digest }),
    artifacts: new Map(world.artifacts).set(artifactKey(module, digest), artifact),
  };
}

/** Assigned, or assigned differently. `where`: `module@node`. */
export function withAssignment(
  world: World,
  where: string,
  parts: { config?: Record<string, string>; providers?: Record<string, string> } = {},
): World {
  const [module, node] = splitWhere(world, where);
  const others = (world.assignments.get(node) ?? []).filter((assignment) => assignment.module !== module);
  const assignment = { node, module, config: {}, providers: {}, ...parts };
  return { ...world, assignments: new Map(world.assignments).set(node, [...others, assignment]) };
}

export function withoutAssignment(world: World, where: string): World {
  const [module, node] = splitWhere(world, where);
  const all = world.assignments.get(node) ?? [];
  const left = all.filter((assignment) => assignment.module !== module);
  if (left.length === all.length) throw new Error(`${where} is not assigned`);
  return { ...world, assignments: new Map(world.assignments).set(node, left) };
}

export function withNode(world: World, name: Name, parts: Partial<WorldNode>): World {
  const node = world.nodes.get(name) ?? { name, address: "10.0.0.1", incarnation: `host-${name}` };
  return { ...world, nodes: new Map(world.nodes).set(name, { ...node, ...parts }) };
}

function splitWhere(world: World, where: string): [Name, Name] {
  const [module = "", node = ""] = where.split("@");
  if (!world.modules.has(module)) throw new Error(`${where}: no module ${module} in this world`);
  if (!world.nodes.has(node)) throw new Error(`${where}: no node ${node} in this world`);
  return [module, node];
}
