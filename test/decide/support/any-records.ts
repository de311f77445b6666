import fc from "fast-check";
import type { Name } from "../../../src/core/names.ts";
import type { Provision } from "../../../src/core/provision.ts";
import { provisionId } from "../../../src/decide/provision-name.ts";
import { artifactKey, type Sent, type WorldArtifact, type WorldModule } from "../../../src/decide/world.ts";
import { buildArtifact, buildManifest, buildOf, digestNamed } from "./build-world.ts";
import { meshboard, postgres, rabbit } from "./example-mesh.ts";

/**
 * Worlds as records may have them, whether or not a push leads there: builds that were collected, sends to hosts that are
 * gone, providers that wait for each other, provisions of what nobody requires any more, more than one of each kind.
 */
const nodeNames = ["node-a", "node-b", "node-c", "node-d", "node-e"] as const;
const database = { name: "database", kind: "postgresql" };
const broker = { name: "broker", kind: "rabbitmq" };
/** By module: what its first and its second build say. */
const manifests = {
  postgres: [postgres, { ...postgres, provides: [] }],
  rabbit: [rabbit, { ...rabbit, requires: [database] }],
  all: [{ provides: [...postgres.provides, ...rabbit.provides], config: postgres.config }, postgres],
  bridge: [
    { ...rabbit, requires: [database] },
    { ...rabbit, requires: [broker] },
  ],
  store: [{ ...postgres, requires: [broker] }, postgres],
  meshboard: [meshboard, { ...meshboard, upgrade: "auto" }],
  local: [
    { requires: [{ ...broker, scope: "node" }] },
    { requires: [{ ...broker, scope: "node" }, database], upgrade: "auto" },
  ],
  two: [{ requires: [database, broker], upgrade: "auto" }, { requires: [broker] }],
  plain: [{}, { presence: [{ module: "postgres" }] }],
} as const;
type ModuleName = keyof typeof manifests;
const moduleNames = Object.keys(manifests) as ModuleName[];

const node = fc.constantFrom(...nodeNames);
const module = fc.constantFrom(...moduleNames);
const providing = fc.constantFrom<ModuleName[]>("postgres", "rabbit", "all", "bridge", "store");
const incarnation = fc.constantFrom("host-1", "host-1", "host-1", "host-2");
const build = fc.constantFrom(1, 2);
const kind = fc.constantFrom("postgresql" as const, "rabbitmq" as const);
const requirement = fc.constantFrom("database", "broker");
const label = fc.tuple(providing, node).map((parts) => parts.join("@"));

const nodes = fc.tuple(
  ...nodeNames.map((name) =>
    fc.record({
      name: fc.constant(name),
      address: fc.constantFrom("10.0.0.1", "10.0.0.2"),
      incarnation: fc.option(incarnation, { freq: 8 }),
    }),
  ),
);
const assignment = fc.record({
  node,
  module,
  providers: fc.dictionary(requirement, label, { maxKeys: 1 }),
});
const offer = fc.record({
  module: providing,
  kind,
  endpoint: fc.record({ host: fc.constantFrom("10.0.0.1", "10.0.0.2"), port: fc.constant(5432) }),
});
const send = fc.record({
  node,
  number: fc.integer({ min: 1, max: 50 }),
  incarnation,
  builds: fc.option(fc.dictionary(module, build, { maxKeys: 5 }), { freq: 8 }),
  offers: fc.uniqueArray(offer, { maxLength: 3, selector: (one) => `${one.module} ${one.kind}` }),
});
const issue = fc.record({
  consumer: fc.record({ node, module, requirement }),
  consumerHost: incarnation,
  provider: fc.record({ node, module: providing, incarnation }),
  kind,
  state: fc.constantFrom("issued" as const, "issued" as const, "owed" as const, "withdrawn" as const),
  version: fc.integer({ min: 1, max: 2 }),
});

export interface AnyRecords {
  readonly nodes: readonly { readonly name: Name; readonly address: string; readonly incarnation: string | null }[];
  readonly modules: readonly WorldModule[];
  readonly artifacts: readonly WorldArtifact[];
  readonly assignments: readonly { readonly node: Name; readonly module: Name; readonly providers: object }[];
  readonly sends: readonly (Omit<Sent, "order"> & { readonly node: Name; readonly number: number })[];
  readonly provisions: readonly Provision[];
  readonly claims: readonly { readonly node: Name; readonly number: number }[];
  /** What hosts had before they went back. */
  readonly reverted: readonly { readonly node: Name; readonly incarnation: string; readonly number: number }[];
}

/** Numbers are of epoch 1, each taken once. */
export const anyRecords: fc.Arbitrary<AnyRecords> = fc
  .record({
    nodes,
    fits: fc.tuple(...moduleNames.map(() => fc.constantFrom(1, 1, 1, 1, 2, 2, 2, null))),
    policies: fc.tuple(
      ...moduleNames.map(() => fc.constantFrom("auto" as const, "auto" as const, "record" as const, null)),
    ),
    collected: fc.uniqueArray(fc.tuple(module, build), { maxLength: 2, selector: (one) => one.join(" ") }),
    assignments: fc.uniqueArray(assignment, {
      minLength: 3,
      maxLength: 14,
      selector: (one) => `${one.node} ${one.module}`,
    }),
    sends: fc.uniqueArray(send, { maxLength: 8, selector: (one) => one.number }),
    issues: fc.uniqueArray(issue, { maxLength: 8, selector: (one) => `${idOf(one)} ${one.state}` }),
    reverted: fc.uniqueArray(fc.record({ node, incarnation, number: fc.integer({ min: 0, max: 60 }) }), {
      maxLength: 2,
      selector: (one) => one.node,
    }),
    claims: fc.uniqueArray(fc.record({ node, number: fc.integer({ min: 1, max: 60 }) }), {
      maxLength: 2,
      selector: (one) => one.node,
    }),
  })
  .map(({ fits, policies, collected, sends, issues, ...rest }) => {
    const gone = new Set(collected.map(([name, of]) => artifactKey(name, buildOf(name, of))));
    return {
      ...rest,
      modules: moduleNames.map((name, at) => moduleOf(name, fits[at] ?? null, policies[at] ?? null)),
      artifacts: moduleNames
        .flatMap((name) => [1, 2].map((of) => artifactOf(name, of)))
        .filter(({ artifact }) => !gone.has(artifactKey(artifact.module, artifact.digest))),
      sends: sends.map(({ builds, ...one }) => ({ ...one, digest: digestNamed("sent"), builds: digestsOf(builds) })),
      provisions: issues.map(provisionOf),
    };
  });

/** Whom one batch tells, and how each of them comes to be in it. */
export const anyBatch = fc.uniqueArray(
  fc.record({ node, how: fc.constantFrom("named" as const, "by policy" as const, "cascaded" as const) }),
  { minLength: 1, maxLength: 3, selector: (one) => one.node },
);

type Issue = typeof issue extends fc.Arbitrary<infer T> ? T : never;

function idOf(one: Issue): string {
  return provisionId(one.consumer, one.consumerHost, one.provider);
}

/** Versions by state: of one id at most one is issued, and none is there twice. */
function provisionOf(one: Issue): Provision {
  const { consumer, provider, kind: made, state, version } = one;
  const base = { issued: 4, owed: 2, withdrawn: 0 }[state];
  return { id: idOf(one), version: base + version, kind: made, consumer, provider, name: "db", state };
}

function manifestOf(name: ModuleName, of: number): Parameters<typeof buildManifest>[1] {
  return manifests[name][of - 1];
}

function artifactOf(name: ModuleName, of: number): WorldArtifact {
  return buildArtifact(name, of, buildManifest(name, manifestOf(name, of)));
}

function moduleOf(name: ModuleName, fit: number | null, upgrade: WorldModule["upgrade"]): WorldModule {
  return { name, upgrade, fit: fit === null ? null : buildOf(name, fit) };
}

function digestsOf(builds: Readonly<Record<string, number>> | null): Sent["builds"] {
  return builds === null
    ? null
    : Object.fromEntries(Object.entries(builds).map(([name, of]) => [name, buildOf(name, of)]));
}
