import type { Artifact } from "../core/artifact.ts";
import type { Order } from "../core/declaration.ts";
import type { Manifest, ProvisionKind, UpgradePolicy } from "../core/manifest.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Assignment } from "../core/node.ts";
import type { Provision } from "../core/provision.ts";
import type { Endpoint } from "../core/resource.ts";
import { compareOrder } from "./order.ts";

/** Everything composition reads, at one moment. Loaded by the store in one snapshot. */
export interface World {
  readonly mesh: Name;
  readonly nodes: ReadonlyMap<Name, WorldNode>;
  readonly modules: ReadonlyMap<Name, WorldModule>;
  /** Every artifact that may be composed, by `artifactKey`. */
  readonly artifacts: ReadonlyMap<string, WorldArtifact>;
  /** Assignments by node. A node without any has no entry. */
  readonly assignments: ReadonlyMap<Name, readonly Assignment[]>;
  /** `issued` and `owed` ones, by id. Where an id has both, the issued version is the one here. */
  readonly provisions: ReadonlyMap<string, Provision>;
  /** Highest version ever issued of each provision id, withdrawn ones too: never granted twice. */
  readonly versions: ReadonlyMap<string, number>;
  /** What each node was last sent. No entry: never told. */
  readonly sent: ReadonlyMap<Name, Sent>;
  /** What a node's host says that it has and these records never sent to it (R35), where it is believed. */
  readonly claims?: ReadonlyMap<Name, Order>;
  /** What the host that is enrolled now had before it went back (R31): no report of it is kept until it has more. */
  readonly reverted?: ReadonlyMap<Name, Order>;
  /** Left out: this is all of it. Else what it was loaded for, and asking it for more is an error: see `boundWorld`. */
  readonly extent?: Extent;
}

/** What a part of the world was loaded for. */
export interface Extent {
  /** May be composed: their own records, what is issued to and from them, versions of what ever was issued to them. */
  readonly nodes: ReadonlySet<Name>;
  /** And those who may provide for them, `nodes` among them: their row, assignments, last send, claim and reversion. */
  readonly around: ReadonlySet<Name>;
  readonly modules: ReadonlySet<Name>;
  /** By `artifactKey`. */
  readonly artifacts: ReadonlySet<string>;
  /** Everybody who was told to offer these, or has a module whose newest build would, is in `around`. */
  readonly kinds: ReadonlySet<ProvisionKind>;
}

export interface WorldNode {
  readonly name: Name;
  readonly address: string;
  /** Fingerprint of the enrolled host's key; null before enrolment (nothing can be sealed to it yet). */
  readonly incarnation: string | null;
}

export interface WorldModule {
  readonly name: Name;
  /** As the newest source says it; null: that was never read, or cannot be. */
  readonly upgrade: UpgradePolicy | null;
  /** The newest fit artifact: of the wanted inputs, or else of the last inputs that were fit. */
  readonly fit: Digest | null;
}

export interface WorldArtifact {
  readonly artifact: Artifact;
  /** The manifest in the tree it was built from: an older build is composed as it was meant. */
  readonly manifest: Manifest;
}

/** The record of the last send to a node (R21, R29). */
export interface Sent {
  readonly order: Order;
  readonly digest: Digest;
  /** Null where the send was not recorded with its builds: such a node is held in a cascade (case 20). */
  readonly builds: Readonly<Record<Name, Digest>> | null;
  readonly incarnation: string;
  /** What its provider modules offered in that send: consumers are composed against what was told, not planned. */
  readonly offers: readonly Offer[];
}

export interface Offer {
  readonly module: Name;
  readonly kind: ProvisionKind;
  readonly endpoint: Endpoint;
}

/**
 * What the node was last sent, where its host has nothing above that: it cannot have taken it otherwise (R35). Nor does that
 * stand which its host had before it went back: what it makes of it now nobody keeps, and only what is above it ends that.
 */
export function standingSend(world: World, node: Name): Sent | undefined {
  const sent = world.sent.get(node);
  const above = [world.claims?.get(node), world.reverted?.get(node)];
  return sent !== undefined && above.some((has) => has !== undefined && compareOrder(has, sent.order) >= 0)
    ? undefined
    : sent;
}

export function artifactKey(module: Name, digest: Digest): string {
  return `${module}@${digest}`;
}
