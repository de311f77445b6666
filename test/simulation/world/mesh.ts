import { manifestSchema, type Manifest } from "../../../src/core/manifest.ts";
import type { Name } from "../../../src/core/names.ts";
import type { Assignment } from "../../../src/core/node.ts";
import { digestValue } from "../../../src/decide/digest.ts";
import { compareText } from "../../../src/decide/short-names.ts";
import { artifactKey, type WorldArtifact, type WorldModule } from "../../../src/decide/world.ts";
import { type Draft, emptyRecords, put, type Records } from "../store/state.ts";

export const meshName = "simulated";
const nodeNames = ["node-a", "node-b", "node-c", "node-d"] as const;

/** Two providers' kinds, consumers of each, a consumer of both, and one that needs nobody. */
const manifests: Readonly<Record<Name, Manifest>> = Object.fromEntries(
  Object.entries({
    broker: { provides: [{ kind: "rabbitmq", port: "5672", admin: "x", adminUser: "x", adminPasswordFile: "x" }] },
    rows: { provides: [{ kind: "postgresql", port: "5432", admin: "x", adminUser: "x", adminPasswordFile: "x" }] },
    page: { requires: [{ name: "jobs", kind: "rabbitmq" }], upgrade: "auto" },
    both: {
      requires: [
        { name: "jobs", kind: "rabbitmq" },
        { name: "table", kind: "postgresql" },
      ],
    },
    clock: { config: { zone: "UTC" } },
  }).map(([module, parts]) => [module, manifestSchema.parse({ module, language: "files", ...parts })]),
);

/** As the others, but that what provides rows runs as a service, and the clock writes what it was set to into a file. */
const served: Readonly<Record<Name, Manifest>> = Object.fromEntries(
  Object.entries({
    rows: { ...manifests["rows"], service: { command: ["rows"] } },
    clock: { ...manifests["clock"], files: [{ path: "zone", text: "${config.zone}" }] },
  }).map(([module, parts]) => [module, manifestSchema.parse(parts)]),
);

export const moduleNames: readonly Name[] = Object.keys(manifests);
/** Assigned in every run, so that there is somebody to mint from; counted from the last node. */
export const firstProviders = { broker: -2, rows: -1 } as const;

/** 1 to 4 of them. */
export function listNodeNames(hosts: number): readonly Name[] {
  return nodeNames.slice(0, hosts);
}

/** Every node enrolled, every module fit once, the providers assigned, nobody told anything. `isServed`: some with more to them. */
export function firstRecords(nodes: readonly Name[], { isServed } = { isServed: false }): Records {
  const draft: Draft = { ...emptyRecords(meshName) };
  for (const [at, name] of nodes.entries()) enrolNode(draft, name, `10.0.0.${at + 1}`, `host-${name}-1`);
  for (const module of moduleNames) putBuild(draft, (isServed ? served[module] : undefined) ?? manifestOf(module), 1);
  for (const [module, at] of Object.entries(firstProviders)) assign(draft, module, nodes.at(at) ?? nodes[0] ?? "", {});
  return draft;
}

export function enrolNode(
  draft: Draft,
  name: Name,
  address: string,
  incarnation: string,
  enrolledAt = "2026-01-01T00:00:00.000Z",
): void {
  draft.nodes = put(draft.nodes, name, {
    name,
    address,
    incarnation,
    keys: { sign: `key of ${incarnation}`, seal: `age1${"0".repeat(30)}` },
    registeredAt: "2026-01-01T00:00:00.000Z",
    enrolledAt,
    lastContactAt: null,
    authorityEndsAt: null,
    refusedReports: 0,
    protocol: 2,
    silentMs: null,
  });
}

/** The n-th build of a module became fit: its manifest says what its source says now. */
export function addBuild(draft: Draft, module: Name, build: number): void {
  const known = draft.modules.get(module);
  const last = known?.fit == null ? undefined : draft.artifacts.get(artifactKey(module, known.fit));
  const manifest = last?.manifest ?? manifestOf(module);
  putBuild(draft, { ...manifest, upgrade: known?.upgrade ?? manifestOf(module).upgrade }, build);
}

function manifestOf(module: Name): Manifest {
  const found = manifests[module];
  if (found === undefined) throw new Error(`no module ${module}`);
  return found;
}

function putBuild(draft: Draft, manifest: Manifest, build: number): void {
  const { module, upgrade } = manifest;
  const what = manifest.service === undefined && manifest.files.length === 0 ? module : `${module} served`;
  const key = `${what} build ${build} ${upgrade}`;
  const { known, artifact } = builds.get(key) ?? makeBuild(what, manifest, build);
  builds.set(key, { known, artifact });
  draft.modules = put(draft.modules, module, known);
  draft.artifacts = put(draft.artifacts, artifactKey(module, artifact.artifact.digest), artifact);
}

/** The newest source says so, or does not read; what is fit says what its own source said, until the next build. */
export function setUpgrade(draft: Draft, module: Name, upgrade: WorldModule["upgrade"]): void {
  const known = draft.modules.get(module);
  if (known !== undefined) draft.modules = put(draft.modules, module, sourceSays(known, upgrade));
}

const saidBySource = new Map<string, WorldModule>();

/** One object for one content, as `builds`. */
function sourceSays(known: WorldModule, upgrade: WorldModule["upgrade"]): WorldModule {
  const key = `${known.name} ${known.fit} ${upgrade}`;
  const same = saidBySource.get(key) ?? { ...known, upgrade };
  saidBySource.set(key, same);
  return same;
}

/** The same objects in every run: nothing changes them, and what was worked out from them is worked out. */
const builds = new Map<string, { readonly known: WorldModule; readonly artifact: WorldArtifact }>();

function makeBuild(what: string, manifest: Manifest, build: number): { known: WorldModule; artifact: WorldArtifact } {
  const { module, upgrade } = manifest;
  const digest = digestValue(`${what} build ${build}`);
  const artifact = { module, digest, blob: digestValue(`${what} blob ${build}`), blobBytes: 1000, files: 3 };
  return { known: { name: module, upgrade, fit: digest }, artifact: { artifact, manifest } };
}

/** `providers`: by requirement, as a person chose; who makes nothing of this kind may be chosen too. */
export function assign(
  draft: Draft,
  module: Name,
  node: Name,
  config: Readonly<Record<string, string>>,
  providers: Readonly<Record<string, string>> = {},
): void {
  const others = (draft.assignments.get(node) ?? []).filter((one) => one.module !== module);
  assignAll(draft, node, [...others, { node, module, config: { ...config }, providers: { ...providers } }]);
}

export function unassign(draft: Draft, module: Name, node: Name): void {
  const left = (draft.assignments.get(node) ?? []).filter((one) => one.module !== module);
  assignAll(draft, node, left);
}

/** In the order in which the records list them, and no entry for a node without any. */
function assignAll(draft: Draft, node: Name, list: readonly Assignment[]): void {
  const all = new Map(draft.assignments).set(
    node,
    list.toSorted((a, b) => compareText(a.module, b.module)),
  );
  if (list.length === 0) all.delete(node);
  draft.assignments = new Map([...all].toSorted(([a], [b]) => compareText(a, b)));
}
