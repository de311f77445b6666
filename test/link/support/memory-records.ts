import { Readable } from "node:stream";
import type { Order } from "../../../src/core/declaration.ts";
import type { HostKeys } from "../../../src/core/node.ts";
import type { Report } from "../../../src/core/report.ts";
import type { GatewayRecords } from "../../../src/link/gateway/gateway-records.ts";
import { incarnationOf } from "../../../src/link/keys.ts";

type Envelope = { readonly order: Order; readonly bytes: Uint8Array };

/** Records of one mesh in memory, and what was written to them. */
export type MemoryRecords = GatewayRecords & {
  readonly hosts: Map<string, HostKeys>;
  /** Nodes that were removed. */
  readonly removed: Set<string>;
  readonly tokens: Map<string, string>;
  readonly blobs: Map<string, Buffer>;
  readonly reports: Report[];
  readonly contacts: string[];
  readonly deliveries: Set<string>;
  /** What hosts said that they have, when they asked. */
  readonly claims: { readonly node: string; readonly has: Order }[];
  /** The records never sent what hosts say. */
  isAhead: boolean;
  root: Uint8Array;
  /** Root documents by version, for hosts that walk. */
  readonly roots: Map<number, Uint8Array>;
  /** Every method throws this, while it is set. */
  failure: Error | null;
  /** Puts an envelope into a node's mailbox, and wakes who waits for it. */
  send(node: string, order: Order, bytes: Uint8Array): void;
  countListeners(): number;
};

export function createMemoryRecords(): MemoryRecords {
  const mailbox = new Map<string, Envelope>();
  const listeners = new Map<string, Set<() => void>>();
  const check = () => {
    if (records.failure !== null) throw records.failure;
  };
  const records: MemoryRecords = {
    hosts: new Map(),
    removed: new Set(),
    tokens: new Map(),
    blobs: new Map(),
    reports: [],
    contacts: [],
    deliveries: new Set(),
    claims: [],
    isAhead: false,
    root: Buffer.from("root"),
    roots: new Map(),
    failure: null,
    send(node, order, bytes) {
      mailbox.set(node, { order, bytes });
      for (const wake of listeners.get(node) ?? []) wake();
    },
    countListeners: () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0),
    async enrolHost({ secret, node, keys }) {
      check();
      if (records.tokens.get(secret) !== node) return { ok: false, why: "this token is not good for this node" };
      records.hosts.set(node, keys);
      return { ok: true, incarnation: incarnationOf(keys.sign), root: records.root };
    },
    async hostKeysOf(node) {
      check();
      return records.hosts.get(node) ?? null;
    },
    async wasRemoved(node) {
      check();
      return records.removed.has(node) && !records.hosts.has(node);
    },
    async newestEnvelope(node, after) {
      check();
      const newest = mailbox.get(node);
      if (newest === undefined) return null;
      const { epoch, number } = newest.order;
      const isNewer = after === null || epoch > after.epoch || (epoch === after.epoch && number > after.number);
      return isNewer ? newest.bytes : null;
    },
    async newestUnordered(node, have) {
      check();
      const newest = mailbox.get(node);
      return newest === undefined || have !== null ? null : newest.bytes;
    },
    async keepUnordered() {
      check();
      return { outcome: "kept" };
    },
    async rootAt(version) {
      check();
      return records.roots.get(version) ?? null;
    },
    async heedClaim(node, has) {
      check();
      records.claims.push({ node, has });
      return !records.isAhead;
    },
    onDeclaration(node, wake) {
      const mine = listeners.get(node) ?? new Set();
      listeners.set(node, mine.add(wake));
      return () => {
        mine.delete(wake);
      };
    },
    async keepReport(_node, report) {
      check();
      const last = records.reports.at(-1);
      if (last !== undefined && last.sequence >= report.sequence)
        return { outcome: "older", why: `sequence ${last.sequence} is here`, kept: last };
      records.reports.push(report);
      return { outcome: "kept" };
    },
    async statBlob(digest) {
      check();
      const blob = records.blobs.get(digest);
      return blob === undefined ? null : { bytes: blob.length };
    },
    async openBlob(digest, { start, end }) {
      check();
      return Readable.from([(records.blobs.get(digest) ?? Buffer.alloc(0)).subarray(start, end + 1)]);
    },
    async recordContact(node) {
      check();
      records.contacts.push(node);
    },
    async recordWebhookDelivery(source, delivery) {
      check();
      const key = `${source} ${delivery}`;
      const isFresh = !records.deliveries.has(key);
      records.deliveries.add(key);
      return isFresh;
    },
  };
  return records;
}
