import type { SealedBox } from "../../../src/core/declaration.ts";
import type { Digest, Name } from "../../../src/core/names.ts";
import type { Assignment } from "../../../src/core/node.ts";
import type { Provision } from "../../../src/core/provision.ts";
import { compareOrder } from "../../../src/decide/order.ts";
import type { World, WorldArtifact, WorldModule } from "../../../src/decide/world.ts";
import type { Order } from "../../../src/core/declaration.ts";
import type { AccountRecord } from "../../../src/store/accounts.ts";
import type { Mail, SentRecord } from "../../../src/store/declarations.ts";
import type { GrantRecord, LeaseRecord } from "../../../src/store/lease.ts";
import type { NodeRecord } from "../../../src/store/nodes.ts";
import type { PushRecord, ToldRecord } from "../../../src/store/pushes.ts";
import type { PushTarget } from "../../../src/store/push-targets.ts";

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
  readonly accounts: ReadonlyMap<Name, AccountRecord>;
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
    accounts: new Map(),
    wish: 0,
  };
}

export function put<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

/** The list itself where nothing in it changes: who compares by identity sees that. */
export function mapChanged<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  const changed = list.map(change);
  return changed.every((one, at) => one === list[at]) ? list : changed;
}

interface WorldOfParts {
  readonly world: World;
  readonly from: Records;
}

let last: WorldOfParts | null = null;

/** `loadWorld`: a function of some parts of the records, so it is worked out once for each value of those. */
export function worldOf(records: Records): World {
  if (last !== null && hasSameParts(last.from, records)) return last.world;
  last = { world: workOutWorld(records), from: records };
  return last.world;
}

function hasSameParts(a: Records, b: Records): boolean {
  return (
    a.nodes === b.nodes &&
    a.modules === b.modules &&
    a.artifacts === b.artifacts &&
    a.assignments === b.assignments &&
    a.provisions === b.provisions &&
    a.declarations === b.declarations
  );
}

function workOutWorld(records: Records): World {
  const versions = new Map<string, number>();
  const live = new Map<string, Provision>();
  for (const { provision } of records.provisions) {
    versions.set(provision.id, Math.max(versions.get(provision.id) ?? 0, provision.version));
    if (provision.state !== "withdrawn" && live.get(provision.id)?.state !== "issued")
      live.set(provision.id, provision);
  }
  return {
    mesh: records.mesh,
    nodes: new Map(
      [...records.nodes].map(([name, { address, incarnation }]) => [name, { name, address, incarnation }]),
    ),
    modules: records.modules,
    artifacts: records.artifacts,
    assignments: records.assignments,
    provisions: live,
    versions,
    sent: new Map(
      [...records.nodes.keys()].flatMap((name) => {
        const sent = newestSent(records, name);
        return sent === null ? [] : [[name, sent] as const];
      }),
    ),
  };
}

/** By (epoch, number), whatever came last. */
export function newestSent(records: Records, node: Name): SentRecord | null {
  return newestDeclaration(records, node)?.sent ?? null;
}

export function newestDeclaration(records: Records, node: Name): KeptDeclaration | null {
  let newest: KeptDeclaration | null = null;
  for (const one of records.declarations.get(node) ?? [])
    if (newest === null || compareOrder(one.sent.order, newest.sent.order) > 0) newest = one;
  return newest;
}
