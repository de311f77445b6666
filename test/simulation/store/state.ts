import type { SealedBox } from "../../../src/core/declaration.ts";
import type { Digest, Name } from "../../../src/core/names.ts";
import type { Assignment } from "../../../src/core/node.ts";
import type { Provision } from "../../../src/core/provision.ts";
import type { StopReason } from "../../../src/decide/judge-claim.ts";
import { compareOrder } from "../../../src/decide/order.ts";
import type { World, WorldArtifact, WorldModule, WorldNode } from "../../../src/decide/world.ts";
import type { Order } from "../../../src/core/declaration.ts";
import type { AccountRecord } from "../../../src/store/read-accounts.ts";
import type { ClaimRecord } from "../../../src/store/claims.ts";
import type { Mail, SentRecord } from "../../../src/store/declarations.ts";
import type { GrantRecord, LeaseRecord } from "../../../src/store/lease.ts";
import type { NodeRecord } from "../../../src/store/nodes.ts";
import type { PushRecord, ToldRecord } from "../../../src/store/pushes.ts";
import type { PushTarget } from "../../../src/store/push-targets.ts";
import { remember } from "../platform/remember.ts";

/** A provision with what the records keep beside it. */
export interface KeptProvision {
  readonly provision: Provision;
  readonly mintedBy: string;
  readonly withdrawnBy: string | null;
  /** The first declaration to the provider's node that no longer lists it. */
  readonly told: Order | null;
}

export interface KeptDeclaration {
  readonly sent: SentRecord;
  readonly mail: Mail;
  /** `provision#version` that it grants. */
  readonly granted: ReadonlySet<string>;
}

/**
 * What PostgreSQL holds, as one value that is never changed: a transaction works on a draft of its own, and its commit
 * puts the draft in place. So a snapshot costs nothing, and nobody sees half a write.
 */
export interface Records {
  readonly mesh: Name;
  readonly number: number;
  readonly epoch: number;
  readonly floor: number;
  readonly lease: LeaseRecord | null;
  readonly grants: readonly GrantRecord[];
  readonly nodes: ReadonlyMap<Name, NodeRecord>;
  readonly modules: ReadonlyMap<Name, WorldModule>;
  readonly artifacts: ReadonlyMap<string, WorldArtifact>;
  readonly assignments: ReadonlyMap<Name, readonly Assignment[]>;
  readonly provisions: readonly KeptProvision[];
  /** By `provision#version#node#incarnation`. */
  readonly boxes: ReadonlyMap<string, SealedBox>;
  readonly pushes: ReadonlyMap<string, PushRecord>;
  readonly baselines: ReadonlyMap<string, ReadonlyMap<Name, Digest | null>>;
  /** By push. */
  readonly told: ReadonlyMap<string, readonly ToldRecord[]>;
  /** By `push#round`. */
  readonly targets: ReadonlyMap<string, readonly PushTarget[]>;
  /** By node, in the order in which they were inserted. */
  readonly declarations: ReadonlyMap<Name, readonly KeptDeclaration[]>;
  /** Up to where they were pruned, by node. */
  readonly pruned: ReadonlyMap<Name, Order>;
  readonly accounts: ReadonlyMap<Name, AccountRecord>;
  /** What hosts say that they have and these records never sent, by node. */
  readonly claims: ReadonlyMap<Name, ClaimRecord>;
  readonly stop: { readonly since: string; readonly reason: StopReason } | null;
  /** What the last recovery went above. */
  readonly recovered: Order | null;
  /** Rises with everything that people do to the mesh: what content is newer than what. Known to the checks only. */
  readonly wish: number;
}

export type Draft = { -readonly [K in keyof Records]: Records[K] };

export function emptyRecords(mesh: Name): Records {
  return {
    mesh,
    number: 0,
    epoch: 0,
    floor: 0,
    lease: null,
    grants: [],
    nodes: new Map(),
    modules: new Map(),
    artifacts: new Map(),
    assignments: new Map(),
    provisions: [],
    boxes: new Map(),
    pushes: new Map(),
    baselines: new Map(),
    told: new Map(),
    targets: new Map(),
    declarations: new Map(),
    pruned: new Map(),
    accounts: new Map(),
    claims: new Map(),
    stop: null,
    recovered: null,
    wish: 0,
  };
}

export function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

/** `listClaims`: of the hosts that are enrolled now. */
export function listClaims({ claims, nodes }: Pick<Records, "claims" | "nodes">): ClaimRecord[] {
  return [...claims.values()]
    .filter(({ node, incarnation }) => nodes.get(node)?.incarnation === incarnation)
    .toSorted((a, b) => (a.node < b.node ? -1 : 1));
}

/** The list itself where nothing in it changes: who compares by identity sees that. */
export function mapChanged<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  const changed = list.map(change);
  return changed.every((one, at) => one === list[at]) ? list : changed;
}

type WorldParts = Pick<
  Records,
  "mesh" | "nodes" | "modules" | "artifacts" | "assignments" | "provisions" | "declarations" | "claims"
> & { readonly reverted: Reverted };
const worlds: { readonly world: World; readonly from: WorldParts }[] = [];
/** A transaction and those beside it look at a few. */
const worldsKept = 4;

/** `loadWorld`: a function of some parts of the records, so it is worked out once for each value of those. */
export function worldOf(records: Records): World {
  const known = worlds.find(({ from }) => hasSameParts(from, records));
  if (known !== undefined) return known.world;
  // Parts, not the records: a draft goes on changing.
  const { mesh, nodes, modules, artifacts, assignments, provisions, declarations, claims } = records;
  const reverted = revertedIn(records.accounts);
  const from = { mesh, nodes, modules, artifacts, assignments, provisions, declarations, claims, reverted };
  const world = workOutWorld(from);
  worlds.unshift({ world, from });
  if (worlds.length > worldsKept) worlds.pop();
  return world;
}

function hasSameParts(a: WorldParts, b: Records): boolean {
  return (
    a.declarations === b.declarations &&
    a.provisions === b.provisions &&
    a.assignments === b.assignments &&
    a.nodes === b.nodes &&
    a.modules === b.modules &&
    a.artifacts === b.artifacts &&
    a.claims === b.claims &&
    a.reverted === revertedIn(b.accounts) &&
    a.mesh === b.mesh
  );
}

function workOutWorld(parts: WorldParts): World {
  const { mesh, modules, artifacts, assignments } = parts;
  const sent = new Map<Name, SentRecord>();
  for (const name of parts.nodes.keys()) {
    const newest = newestSent(parts, name);
    if (newest !== null) sent.set(name, newest);
  }
  const { live, versions } = liveProvisions(parts.provisions);
  const nodes = worldNodesOf(parts.nodes);
  const words = { claims: believed(parts), reverted: enrolledOf(parts) };
  return { mesh, nodes, modules, artifacts, assignments, provisions: live, versions, sent, ...words };
}

/** What each host had before it went back, whichever host that was. */
type Reverted = ReadonlyMap<Name, { readonly incarnation: string; readonly has: Order }>;

let lastReverted: { readonly key: string; readonly reverted: Reverted } = { key: "[]", reverted: new Map() };

/** `listReverted`. One object while its content is the same: accounts change with every report, and worlds do not. */
const revertedIn = remember((accounts: Records["accounts"]): Reverted => {
  const found = [...accounts.values()].flatMap(({ node, incarnation, has, reverted }) =>
    reverted === null || has === null ? [] : [[node, { incarnation, has }] as const],
  );
  const key = JSON.stringify(found);
  if (lastReverted.key !== key) lastReverted = { key, reverted: new Map(found) };
  return lastReverted.reverted;
});

function enrolledOf({ reverted, nodes }: WorldParts): NonNullable<World["reverted"]> {
  return new Map(
    [...reverted].flatMap(([node, { incarnation, has }]) =>
      nodes.get(node)?.incarnation === incarnation ? [[node, has] as const] : [],
    ),
  );
}

function believed(parts: WorldParts): NonNullable<World["claims"]> {
  const claims = parts.claims.size === 0 ? [] : listClaims(parts);
  return new Map(claims.flatMap(({ node, order, isLeftOut }) => (isLeftOut ? [] : [[node, order] as const])));
}

const liveProvisions = remember((provisions: Records["provisions"]) => {
  const versions = new Map<string, number>();
  const live = new Map<string, Provision>();
  for (const { provision } of provisions) {
    versions.set(provision.id, Math.max(versions.get(provision.id) ?? 0, provision.version));
    if (provision.state !== "withdrawn" && live.get(provision.id)?.state !== "issued")
      live.set(provision.id, provision);
  }
  return { versions, live };
});

const worldNodesOf = remember(
  (nodes: Records["nodes"]): World["nodes"] => new Map([...nodes].map(([name, node]) => [name, worldNode(node)])),
);

const worldNodes = new Map<string, WorldNode>();

/** One object for one content, so that it can be told by identity that nothing changed. */
function worldNode({ name, address, incarnation }: NodeRecord): WorldNode {
  const key = `${name} ${address} ${incarnation}`;
  const known = worldNodes.get(key) ?? { name, address, incarnation };
  worldNodes.set(key, known);
  return known;
}

/** By (epoch, number), whatever came last. */
export function newestSent(records: Pick<Records, "declarations">, node: Name): SentRecord | null {
  return newestDeclaration(records, node)?.sent ?? null;
}

export function newestDeclaration({ declarations }: Pick<Records, "declarations">, node: Name): KeptDeclaration | null {
  const list = declarations.get(node);
  return list === undefined ? null : newestOf(list);
}

const newestOf = remember((list: readonly KeptDeclaration[]) => {
  let newest: KeptDeclaration | null = null;
  for (const one of list) if (newest === null || compareOrder(one.sent.order, newest.sent.order) > 0) newest = one;
  return newest;
});
