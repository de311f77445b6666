import { z } from "zod";
import { artifactSchema } from "../core/artifact.ts";
import { manifestSchema } from "../core/manifest.ts";
import { digestSchema, nameSchema, type Name } from "../core/names.ts";
import { assignmentSchema, type Assignment } from "../core/node.ts";
import type { Provision } from "../core/provision.ts";
import {
  artifactKey,
  type Sent,
  type World,
  type WorldArtifact,
  type WorldModule,
  type WorldNode,
} from "../decide/world.ts";
import { listReverted } from "./accounts.ts";
import { listClaims } from "./claims.ts";
import { bigintColumn } from "./columns.ts";
import type { Transaction } from "./database.ts";
import { offerSchema } from "./declarations.ts";
import { listProvisions, readHighestVersions } from "./provisions.ts";
import type { ReadRows } from "./row-memory.ts";
import { many } from "./rows.ts";

/**
 * Everything composition reads, in the caller's snapshot: the transaction must be REPEATABLE READ, or the parts are
 * from different moments. Any record that does not answer or does not parse is an error, never left out (R26, case 28).
 */
export async function loadWorld(tx: Transaction, mesh: Name, read: ReadRows = many): Promise<World> {
  await expectSnapshot(tx);
  const nodes = await readNodes(tx, mesh, read);
  const modules = await readModules(tx, mesh, read);
  const artifacts = await readArtifacts(tx, mesh, read);
  const assignments = await readAssignments(tx, mesh, read);
  const provisions = await listProvisions(tx, mesh, { states: ["issued", "owed"] }, read);
  const versions = await readHighestVersions(tx, mesh, read);
  const sent = await readSent(tx, mesh, read);
  const claims = (await listClaims(tx, mesh, read)).filter((claim) => !claim.isLeftOut);
  const reverted = await listReverted(tx, mesh, read);
  return {
    mesh,
    nodes: new Map(nodes.map((node) => [node.name, node])),
    modules: new Map(modules.map((module) => [module.name, module])),
    artifacts: new Map(artifacts.map((one) => [artifactKey(one.artifact.module, one.artifact.digest), one])),
    assignments: groupByNode(assignments),
    provisions: pickLive(provisions),
    versions,
    sent: new Map(sent.map((one) => [one.node, one.sent])),
    claims: new Map(claims.map(({ node, order }) => [node, order])),
    reverted,
  };
}

export async function expectSnapshot(tx: Transaction): Promise<void> {
  const [row] = await many(
    tx,
    z.object({ isolation: z.string() }),
    `select current_setting('transaction_isolation') as isolation`,
  );
  if (row?.isolation !== "repeatable read" && row?.isolation !== "serializable") {
    throw new Error(`the world is read at one moment: REPEATABLE READ, not ${row?.isolation}`);
  }
}

function readNodes(tx: Transaction, mesh: Name, read: ReadRows): Promise<WorldNode[]> {
  return read(
    tx,
    z.object({ name: nameSchema, address: z.string(), incarnation: z.string().nullable() }),
    `select name, address, incarnation from node where mesh = $1 order by name`,
    [mesh],
  );
}

/** A module that was never compared has no manifest yet, and one whose newest manifest cannot be read has none now. */
export const worldModuleSchema = z
  .object({ name: nameSchema, manifest: manifestSchema.nullable(), fit: digestSchema.nullable() })
  .transform(({ name, manifest, fit }): WorldModule => ({ name, upgrade: manifest?.upgrade ?? null, fit }));

function readModules(tx: Transaction, mesh: Name, read: ReadRows): Promise<WorldModule[]> {
  return read(
    tx,
    worldModuleSchema,
    `select name, manifest, fit_artifact as fit from module where mesh = $1 order by name`,
    [mesh],
  );
}

export const worldArtifactSchema = z
  .object({ ...artifactSchema.shape, blobBytes: bigintColumn, manifest: manifestSchema })
  .transform(({ manifest, ...artifact }): WorldArtifact => ({ artifact, manifest }));

export const worldArtifactColumns = `a.module, a.digest, a.blob, a.blob_bytes as "blobBytes", a.files, a.manifest`;

/** Those that are fit now, and those that some node was last sent. */
function readArtifacts(tx: Transaction, mesh: Name, read: ReadRows): Promise<WorldArtifact[]> {
  return read(
    tx,
    worldArtifactSchema,
    `with wanted as (
       select name as module, fit_artifact as digest from module where mesh = $1 and fit_artifact is not null
       union
       select b.key, b.value from node n cross join lateral (
         select builds from declaration where mesh = n.mesh and node = n.name
          order by epoch desc, number desc limit 1) d
         cross join lateral jsonb_each_text(d.builds) b
        where n.mesh = $1)
     select ${worldArtifactColumns}
       from wanted w join artifact a on a.mesh = $1 and a.module = w.module and a.digest = w.digest
        and a.collected_at is null
      order by a.module, a.digest`,
    [mesh],
  );
}

/** By node, then module. */
function readAssignments(tx: Transaction, mesh: Name, read: ReadRows): Promise<Assignment[]> {
  return read(
    tx,
    assignmentSchema,
    `select node, module, config, providers from assignment where mesh = $1 order by node, module`,
    [mesh],
  );
}

const sentToSchema = z
  .object({
    node: nameSchema,
    epoch: bigintColumn,
    number: bigintColumn,
    digest: digestSchema,
    builds: z.record(nameSchema, digestSchema).nullable(),
    incarnation: z.string(),
    offers: z.array(offerSchema),
  })
  .transform(({ node, epoch, number, ...sent }): { readonly node: Name; readonly sent: Sent } => ({
    node,
    sent: { ...sent, order: { epoch, number } },
  }));

/** What each registered node was last sent: as `listSent`, and nothing that composition does not read. */
function readSent(tx: Transaction, mesh: Name, read: ReadRows): Promise<z.output<typeof sentToSchema>[]> {
  return read(
    tx,
    sentToSchema,
    `select n.name as node, d.* from node n cross join lateral (
       select epoch, number, digest, builds, incarnation, offers from declaration
        where mesh = n.mesh and node = n.name order by epoch desc, number desc limit 1) d
      where n.mesh = $1 order by n.name`,
    [mesh],
  );
}

export function groupByNode(assignments: readonly Assignment[]): Map<Name, Assignment[]> {
  const byNode = new Map<Name, Assignment[]>();
  for (const assignment of assignments) {
    const list = byNode.get(assignment.node);
    if (list === undefined) byNode.set(assignment.node, [assignment]);
    else list.push(assignment);
  }
  return byNode;
}

/** One entry per id: the issued one, or else the highest version that is owed. They come sorted by version. */
export function pickLive(provisions: readonly Provision[]): Map<string, Provision> {
  const live = new Map<string, Provision>();
  for (const provision of provisions) {
    if (live.get(provision.id)?.state !== "issued") live.set(provision.id, provision);
  }
  return live;
}
