import { z } from "zod";
import type { Order } from "../core/declaration.ts";
import type { ProvisionKind } from "../core/manifest.ts";
import { digestSchema, nameSchema, type Digest, type Name } from "../core/names.ts";
import type { Assignment } from "../core/node.ts";
import { boundWorld } from "../decide/part-of-world.ts";
import {
  artifactKey,
  type Sent,
  type World,
  type WorldArtifact,
  type WorldModule,
  type WorldNode,
} from "../decide/world.ts";
import { listAssignmentsOf } from "./assignments.ts";
import { bigintColumn } from "./columns.ts";
import type { Queryable, Transaction } from "./database.ts";
import { offerSchema } from "./declarations.ts";
import { listProvisionsOf, readHighestVersionsTo } from "./provisions.ts";
import { many } from "./rows.ts";
import {
  expectSnapshot,
  groupByNode,
  pickLive,
  worldArtifactColumns,
  worldArtifactSchema,
  worldModuleSchema,
} from "./world.ts";

/**
 * What composing these nodes can read, as a push composes them, in the caller's snapshot; all else of the mesh is left
 * where it is. It is closed: what is read leads to what else is read, until nothing new comes.
 *
 * - These nodes: their row, assignments, last send, claim and reversion; what is issued to and from them.
 * - For each assignment that was read, and each build that they were last sent: the module, its fit artifact, that build.
 * - For each kind that an artifact read so far requires from the mesh: everybody who was told to offer it, and everybody
 *   who has a module whose newest build would: row, assignments, last send, claim and reversion.
 */
export async function loadWorldFor(tx: Transaction, mesh: Name, nodes: readonly Name[]): Promise<World> {
  await expectSnapshot(tx);
  const part = createPart(nodes);
  for (let next: readonly Name[] = [...part.composed]; next.length > 0;) {
    await readNodes(tx, mesh, part, next);
    await readModules(tx, mesh, part);
    next = await findProviders(tx, mesh, part);
  }
  const composed = [...part.composed];
  const provisions = pickLive(await listProvisionsOf(tx, mesh, composed));
  const versions = await readHighestVersionsTo(tx, mesh, composed);
  const { nodes: rows, modules, artifacts, assignments, sent, claims, reverted, around, kinds } = part;
  return boundWorld(
    { mesh, nodes: rows, modules, artifacts, assignments, provisions, versions, sent, claims, reverted },
    { nodes: part.composed, around, modules: part.moduleNames, artifacts: part.artifactKeys, kinds },
  );
}

/** What was read until now, and what it was read for: who is asked for and is not there is in the second only. */
interface Part {
  readonly composed: ReadonlySet<Name>;
  readonly around: Set<Name>;
  readonly moduleNames: Set<Name>;
  readonly artifactKeys: Set<string>;
  readonly kinds: Set<ProvisionKind>;
  readonly nodes: Map<Name, WorldNode>;
  readonly sent: Map<Name, Sent>;
  readonly claims: Map<Name, Order>;
  readonly reverted: Map<Name, Order>;
  readonly assignments: Map<Name, readonly Assignment[]>;
  readonly modules: Map<Name, WorldModule>;
  readonly artifacts: Map<string, WorldArtifact>;
}

function createPart(nodes: readonly Name[]): Part {
  return {
    composed: new Set(nodes),
    around: new Set(),
    moduleNames: new Set(),
    artifactKeys: new Set(),
    kinds: new Set(),
    nodes: new Map(),
    sent: new Map(),
    claims: new Map(),
    reverted: new Map(),
    assignments: new Map(),
    modules: new Map(),
    artifacts: new Map(),
  };
}

async function readNodes(tx: Transaction, mesh: Name, part: Part, names: readonly Name[]): Promise<void> {
  for (const { node, sent, claim, reverted } of await listNodesAsSent(tx, mesh, names)) {
    part.nodes.set(node.name, node);
    if (sent !== null) part.sent.set(node.name, sent);
    if (claim !== null) part.claims.set(node.name, claim);
    if (reverted !== null) part.reverted.set(node.name, reverted);
  }
  for (const [node, list] of groupByNode(await listAssignmentsOf(tx, mesh, names))) part.assignments.set(node, list);
  for (const name of names) part.around.add(name);
}

/** Of all assignments read, and of what the composed nodes were last sent: what is read already is not read again. */
async function readModules(tx: Transaction, mesh: Name, part: Part): Promise<void> {
  const builds = [...part.composed].flatMap((node) => Object.entries(part.sent.get(node)?.builds ?? {}));
  const assigned = [...part.assignments.values()].flat().map(({ module }) => module);
  const names = new Set([...assigned, ...builds.map(([module]) => module)]);
  const unread = [...names].filter((name) => !part.moduleNames.has(name));
  const modules = await listModulesNamed(tx, mesh, unread);
  for (const module of modules) part.modules.set(module.name, module);
  for (const name of names) part.moduleNames.add(name);
  const fit = modules.flatMap(({ name, fit: digest }) => (digest === null ? [] : [[name, digest] as const]));
  const wanted = new Map([...builds, ...fit].map((pair) => [artifactKey(...pair), pair]));
  for (const key of part.artifactKeys) wanted.delete(key);
  for (const one of await listArtifactsOf(tx, mesh, [...wanted.values()]))
    part.artifacts.set(artifactKey(one.artifact.module, one.artifact.digest), one);
  for (const key of wanted.keys()) part.artifactKeys.add(key);
}

/** Who is not read yet and may provide what an artifact read so far requires. None: nothing new is required. */
async function findProviders(tx: Transaction, mesh: Name, part: Part): Promise<Name[]> {
  const kinds = new Set<ProvisionKind>();
  for (const { manifest } of part.artifacts.values())
    for (const { scope, kind } of manifest.requires) if (scope === "mesh" && !part.kinds.has(kind)) kinds.add(kind);
  if (kinds.size === 0) return [];
  const providers = await listProviderNodes(tx, mesh, [...kinds]);
  for (const kind of kinds) part.kinds.add(kind);
  return providers.filter((node) => !part.around.has(node));
}

const nodeAsSentSchema = z
  .object({
    name: nameSchema,
    address: z.string(),
    incarnation: z.string().nullable(),
    epoch: bigintColumn.nullable(),
    number: bigintColumn.nullable(),
    digest: digestSchema.nullable(),
    builds: z.record(nameSchema, digestSchema).nullable(),
    sentTo: z.string().nullable(),
    offers: z.array(offerSchema).nullable(),
    claimEpoch: bigintColumn.nullable(),
    claimNumber: bigintColumn.nullable(),
    revertedEpoch: bigintColumn.nullable(),
    revertedNumber: bigintColumn.nullable(),
  })
  .transform(({ name, address, incarnation, claimEpoch, claimNumber, revertedEpoch, revertedNumber, ...last }) => ({
    node: { name, address, incarnation },
    sent: sentOf(last),
    claim: orderOf(claimEpoch, claimNumber),
    reverted: orderOf(revertedEpoch, revertedNumber),
  }));

function orderOf(epoch: number | null, number: number | null): Order | null {
  return epoch === null || number === null ? null : { epoch, number };
}

interface LastSend {
  readonly epoch: number | null;
  readonly number: number | null;
  readonly digest: Digest | null;
  readonly builds: Sent["builds"];
  readonly sentTo: string | null;
  readonly offers: Sent["offers"] | null;
}

/** No column of a send is null but its builds: where one is, there is no row. */
function sentOf({ epoch, number, digest, builds, sentTo, offers }: LastSend): Sent | null {
  if (epoch === null || number === null || digest === null || sentTo === null || offers === null) return null;
  return { order: { epoch, number }, digest, builds, incarnation: sentTo, offers };
}

/**
 * Those of these that are registered, what each was last sent, what its host claims, where that is believed, and what it
 * went back from.
 */
function listNodesAsSent(
  tx: Transaction,
  mesh: Name,
  names: readonly Name[],
): Promise<z.output<typeof nodeAsSentSchema>[]> {
  return many(
    tx,
    nodeAsSentSchema,
    `select n.name, n.address, n.incarnation, d.epoch, d.number, d.digest, d.builds, d.incarnation as "sentTo", d.offers,
            c.epoch as "claimEpoch", c.number as "claimNumber", a.epoch as "revertedEpoch", a.number as "revertedNumber"
       from node n left join lateral (
         select epoch, number, digest, builds, incarnation, offers from declaration
          where mesh = n.mesh and node = n.name order by epoch desc, number desc limit 1) d on true
       left join host_claim c on c.mesh = n.mesh and c.node = n.name and c.incarnation = n.incarnation
        and c.left_out_at is null
       left join account a on a.mesh = n.mesh and a.node = n.name and a.incarnation = n.incarnation
        and a.reverted is not null and a.epoch > 0
      where n.mesh = $1 and n.name = any($2::text[]) order by n.name`,
    [mesh, names],
  );
}

function listModulesNamed(tx: Transaction, mesh: Name, names: readonly Name[]): Promise<WorldModule[]> {
  return many(
    tx,
    worldModuleSchema,
    `select name, manifest, fit_artifact as fit from module where mesh = $1 and name = any($2::text[]) order by name`,
    [mesh, names],
  );
}

/** Of these builds those that may be composed. */
function listArtifactsOf(
  tx: Transaction,
  mesh: Name,
  builds: readonly (readonly [Name, Digest])[],
): Promise<WorldArtifact[]> {
  return many(
    tx,
    worldArtifactSchema,
    `select ${worldArtifactColumns}
       from unnest($2::text[], $3::text[]) as w (module, digest)
       join artifact a on a.mesh = $1 and a.module = w.module and a.digest = w.digest and a.collected_at is null
      order by a.module, a.digest`,
    [mesh, builds.map(([module]) => module), builds.map(([, digest]) => digest)],
  );
}

/**
 * Nodes that were last told to offer one of these kinds, and nodes with a module whose newest build would. Who ever
 * offered anything is found name by name in an index of such sends: few nodes provide, and all are told again and again.
 */
export async function listProviderNodes(db: Queryable, mesh: Name, kinds: readonly ProvisionKind[]): Promise<Name[]> {
  const rows = await many(
    db,
    z.object({ node: nameSchema }),
    `with recursive offering as (
       (select node from declaration where mesh = $1 and offers <> '[]' order by node limit 1)
       union all
       select (select d.node from declaration d where d.mesh = $1 and d.offers <> '[]' and d.node > o.node
                order by d.node limit 1)
         from offering o where o.node is not null)
     select n.name as node
       from offering o join node n on n.mesh = $1 and n.name = o.node
       cross join lateral (
         select offers from declaration where mesh = n.mesh and node = n.name order by epoch desc, number desc limit 1) d
      where exists (select from jsonb_array_elements(d.offers) as f where f ->> 'kind' = any($2::text[]))
     union
     select s.node
       from artifact a join module m on m.mesh = a.mesh and m.name = a.module and m.fit_artifact = a.digest
       join assignment s on s.mesh = a.mesh and s.module = a.module
      where a.mesh = $1 and a.manifest @> '{"provides": [{}]}' and a.collected_at is null
        and exists (select from jsonb_array_elements(a.manifest -> 'provides') as p where p ->> 'kind' = any($2::text[]))
      order by node`,
    [mesh, kinds],
  );
  return rows.map(({ node }) => node);
}
