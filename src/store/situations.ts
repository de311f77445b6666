import type { Name } from "../core/names.ts";
import { keepsOrder } from "../core/protocol.ts";
import { composeForPush } from "../decide/compose-for-push.ts";
import { situationOf, type Situation } from "../decide/situation.ts";
import type { FollowedBranch } from "../decide/judge-source.ts";
import type { Listening, SituationFacts, SituationLimits } from "../decide/situation-facts.ts";
import type { World } from "../decide/world.ts";
import { listClaims, type ClaimRecord } from "./claims.ts";
import type { Database, Transaction } from "./database.ts";
import { listSent, type SentRecord } from "./declarations.ts";
import { listLastTold, type LastTold } from "./last-told.ts";
import { listNodes, type NodeRecord } from "./nodes.ts";
import { listAccounts, type AccountRecord, type UnreadAccount } from "./read-accounts.ts";
import { readListening } from "./read-listening.ts";
import { listFollowed } from "./source-heads.ts";
import { inTransaction } from "./transaction.ts";
import { loadWorld } from "./world.ts";

/** Everything `status` and `push --behind` say about nodes, read at one moment. */
export interface MeshView {
  readonly world: World;
  readonly nodes: ReadonlyMap<Name, NodeRecord>;
  readonly sent: ReadonlyMap<Name, SentRecord>;
  readonly accounts: ReadonlyMap<Name, AccountRecord>;
  /** Nodes whose account does not read: they are in no other way without one. */
  readonly unread: ReadonlyMap<Name, UnreadAccount>;
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

/** What a view is put together from. */
export interface ViewRecords {
  readonly world: World;
  readonly nodes: readonly NodeRecord[];
  readonly sent: readonly SentRecord[];
  readonly accounts: readonly AccountRecord[];
  /** Left out: all of them read. */
  readonly unread?: readonly UnreadAccount[];
  readonly told: readonly LastTold[];
  readonly claims: readonly ClaimRecord[];
  /** The branch of each module; one that is not in it was never looked at. */
  readonly followed: ReadonlyMap<Name, FollowedBranch>;
  /** Left out: a controller hears hosts. */
  readonly listening?: Listening;
}

async function readView(tx: Transaction, mesh: Name, options: ViewOptions): Promise<MeshView> {
  const records = {
    world: await loadWorld(tx, mesh),
    nodes: await listNodes(tx, mesh),
    sent: await listSent(tx, mesh),
    ...(await listAccounts(tx, mesh)),
    told: await listLastTold(tx, mesh),
    claims: await listClaims(tx, mesh),
    followed: await listFollowed(tx, mesh),
    listening: await readListening(tx, mesh),
  };
  return assembleView(records, options);
}

/** A function of what was read. */
export function assembleView({ world, followed, ...records }: ViewRecords, options: ViewOptions): MeshView {
  const nodes = new Map(records.nodes.map((node) => [node.name, node]));
  const sent = new Map(records.sent.map((one) => [one.node, one]));
  const accounts = new Map(records.accounts.map((one) => [one.node, one]));
  const unread = new Map((records.unread ?? []).map((one) => [one.node, one]));
  const told = new Map(records.told.map((one) => [one.node, one]));
  const claims = new Map(records.claims.map((one) => [one.node, one]));
  const situations = new Map<Name, Situation>();
  for (const node of nodes.values()) {
    const name = node.name;
    const its = {
      world,
      node,
      sent: sent.get(name),
      account: accounts.get(name),
      unread: unread.get(name),
      told: told.get(name),
      claim: claims.get(name),
      followed,
      ...(records.listening === undefined ? {} : { listening: records.listening }),
    };
    situations.set(name, situate(its, options));
  }
  return { world, nodes, sent, accounts, unread, situations, readAt: options.now };
}

interface NodeRecords {
  readonly world: World;
  readonly node: NodeRecord;
  readonly sent: SentRecord | undefined;
  readonly account: AccountRecord | undefined;
  readonly unread: UnreadAccount | undefined;
  readonly told: LastTold | undefined;
  readonly claim: ClaimRecord | undefined;
  readonly followed: ReadonlyMap<Name, FollowedBranch>;
  readonly listening?: Listening;
}

function situate(records: NodeRecords, options: ViewOptions): Situation {
  const { world, node, sent, account, unread, told, claim } = records;
  return situationOf({
    node: node.name,
    incarnation: node.incarnation,
    composition: composeForPush(world, node.name, { named: true }).composition,
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
            unread: account.report.unread,
            receivedAt: account.receivedAt,
            reportAt: account.report.at,
            readBack: account.report.readBack,
            readBackAt: account.readBackAt,
            reverted: account.reverted,
            track: account.track,
          },
    // Of another host than the one that is enrolled now, it would tell nothing if it did read.
    ...(unread?.incarnation === node.incarnation && unread !== undefined ? { unreadable: unread.why } : {}),
    claim,
    enrolledAt: node.enrolledAt,
    lastContactAt: node.lastContactAt,
    ...(records.listening === undefined ? {} : { listening: records.listening }),
    keepsOrder: keepsOrder(node.protocol),
    lastTold: told === undefined ? null : { outcome: told.outcome, why: told.why, at: told.at },
    changedSince: null,
    readAt: options.now,
    ...sourcesOf(records),
    now: options.now,
    limits: options.limits,
  });
}

/** Nothing for a node without modules: there is no source that it could be behind of. */
function sourcesOf({ world, node, followed }: NodeRecords): Pick<SituationFacts, "sources"> {
  const modules = world.assignments.get(node.name) ?? [];
  return modules.length === 0 ? {} : { sources: modules.map(({ module }) => followed.get(module) ?? null) };
}
