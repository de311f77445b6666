import type { Name } from "../core/names.ts";
import { compose } from "../decide/compose.ts";
import { situationOf, type Situation } from "../decide/situation.ts";
import type { SituationLimits } from "../decide/situation-facts.ts";
import type { World } from "../decide/world.ts";
import { listAccounts, type AccountRecord } from "./accounts.ts";
import type { Database, Transaction } from "./database.ts";
import { listSent, type SentRecord } from "./declarations.ts";
import { listLastTold, type LastTold } from "./last-told.ts";
import { listModules } from "./modules.ts";
import { listNodes, type NodeRecord } from "./nodes.ts";
import { listHeads } from "./source-heads.ts";
import { inTransaction } from "./transaction.ts";
import { loadWorld } from "./world.ts";

/** Everything `status` and `push --behind` say about nodes, read at one moment. */
export interface MeshView {
  readonly world: World;
  readonly nodes: ReadonlyMap<Name, NodeRecord>;
  readonly sent: ReadonlyMap<Name, SentRecord>;
  readonly accounts: ReadonlyMap<Name, AccountRecord>;
  readonly situations: ReadonlyMap<Name, Situation>;
  /** ISO. */
  readonly readAt: string;
}

export interface ViewOptions {
  /** ISO. */
  readonly now: string;
  readonly limits: SituationLimits;
}

/** Reads the records in one snapshot and says how every node stands (R31): one function for `status` and `--behind`. */
export function loadMeshView(db: Database, mesh: Name, options: ViewOptions): Promise<MeshView> {
  return inTransaction(db, { isolation: "repeatable read", access: "read only" }, (tx) => readView(tx, mesh, options));
}

async function readView(tx: Transaction, mesh: Name, options: ViewOptions): Promise<MeshView> {
  const world = await loadWorld(tx, mesh);
  const nodes = new Map((await listNodes(tx, mesh)).map((node) => [node.name, node]));
  const sent = new Map((await listSent(tx, mesh)).map((one) => [one.node, one]));
  const accounts = new Map((await listAccounts(tx, mesh)).map((one) => [one.node, one]));
  const told = new Map((await listLastTold(tx, mesh)).map((one) => [one.node, one]));
  const looked = await readLookedAt(tx, mesh);
  const situations = new Map<Name, Situation>();
  for (const node of nodes.values()) {
    const records = {
      world,
      node,
      sent: sent.get(node.name),
      account: accounts.get(node.name),
      told: told.get(node.name),
      looked,
    };
    situations.set(node.name, situate(records, options));
  }
  return { world, nodes, sent, accounts, situations, readAt: options.now };
}

/** When the source of each module was last looked at; null: never. */
async function readLookedAt(tx: Transaction, mesh: Name): Promise<ReadonlyMap<Name, string | null>> {
  const heads = new Map(
    (await listHeads(tx, mesh)).map((head) => [`${head.repository}#${head.branch}`, head.lookedAt]),
  );
  const modules = await listModules(tx, mesh);
  return new Map(modules.map((module) => [module.name, heads.get(`${module.repository}#${module.branch}`) ?? null]));
}

interface NodeRecords {
  readonly world: World;
  readonly node: NodeRecord;
  readonly sent: SentRecord | undefined;
  readonly account: AccountRecord | undefined;
  readonly told: LastTold | undefined;
  readonly looked: ReadonlyMap<Name, string | null>;
}

function situate(records: NodeRecords, options: ViewOptions): Situation {
  const { world, node, sent, account, told } = records;
  return situationOf({
    node: node.name,
    incarnation: node.incarnation,
    composition: compose(world, node.name, { at: "newest" }),
    sent: sent === undefined ? null : { ...sent, at: sent.issuedAt },
    account:
      account === undefined
        ? null
        : {
            incarnation: account.incarnation,
            has: account.has,
            digest: account.digest,
            outcome: account.outcome,
            resources: account.report.resources,
            refusals: account.report.refusals,
            receivedAt: account.receivedAt,
            track: account.track,
          },
    lastContactAt: node.lastContactAt,
    lastTold: told === undefined ? null : { outcome: told.outcome, why: told.why, at: told.at },
    changedSince: null,
    readAt: options.now,
    ...oldestLook(records),
    now: options.now,
    limits: options.limits,
  });
}

/** Nothing for a node without modules: there is no source that it could be behind of. */
function oldestLook({ world, node, looked }: NodeRecords): { sourcesLookedAt?: string | null } {
  const looks = (world.assignments.get(node.name) ?? []).map(({ module }) => looked.get(module) ?? null);
  if (looks.length === 0) return {};
  const known = looks.filter((at) => at !== null);
  return { sourcesLookedAt: known.length < looks.length ? null : (known.toSorted()[0] ?? null) };
}
