import type { Readable } from "node:stream";
import type { Order } from "../../core/declaration.ts";
import type { Digest } from "../../core/names.ts";
import type { HostKeys } from "../../core/node.ts";
import type { Report, ReportPlace, UnorderedReport } from "../../core/report.ts";

export type EnrolOutcome =
  | { readonly ok: true; readonly incarnation: string; /** DSSE bytes of the mesh's root. */ readonly root: Uint8Array }
  | { readonly ok: false; readonly why: string };

export type KeptReport =
  | { readonly outcome: "kept" }
  | { readonly outcome: "refused"; readonly why: string }
  | { readonly outcome: "older"; readonly why: string; /** What is kept. */ readonly kept?: ReportPlace | undefined };

/**
 * What the gateway needs of the mesh's records, and nothing more. The worker implements it on the store.
 * Every method throws when the records do not answer: the gateway then says 503 and never "nothing".
 */
export type GatewayRecords = {
  /**
   * Uses the token up and keeps the keys, in one transaction. The same secret with the same keys again is
   * answered as before: the first answer may have been lost. `secret` is looked up by `hashEnrolmentSecret`.
   */
  enrolHost(request: {
    readonly secret: string;
    readonly node: string;
    readonly keys: HostKeys;
    readonly protocol: number;
  }): Promise<EnrolOutcome>;
  /** Null: no such node, or it has not enrolled. */
  hostKeysOf(node: string): Promise<HostKeys | null>;
  /** This was a node, and people removed it. Asked only of one without keys. */
  wasRemoved(node: string): Promise<boolean>;
  /** The newest envelope for the node's present incarnation with an order above `after`; null: none. */
  newestEnvelope(node: string, after: Order | null): Promise<Uint8Array | null>;
  /**
   * For a host that does not speak ordering: the newest, without its epoch; null: none, it has that digest (R37), or the mesh
   * is stopped (R35).
   */
  newestUnordered(node: string, have: Digest | null): Promise<Uint8Array | null>;
  /** The mesh's root document of this version, exact bytes; null: there is none. */
  rootAt(version: number): Promise<Uint8Array | null>;
  /**
   * The host has proved that it asks for what is newer than `has`. False: these records never sent it that, so that it is
   * given nothing and the mesh is stopped (R35), until somebody has gone on above it.
   */
  heedClaim(node: string, has: Order): Promise<boolean>;
  /** Calls `wake` whenever there may be a newer envelope, also after every reconnect of LISTEN. Returns the way to stop. */
  onDeclaration(node: string, wake: () => void): () => void;
  /** `report` was signed by this node's key; `bytes` is its envelope. Order is decided here (R38). */
  keepReport(node: string, report: Report, bytes: Uint8Array): Promise<KeptReport>;
  /** Of a host that does not speak ordering: it counts when its digest is the one last sent (R37). */
  keepUnordered(node: string, report: UnorderedReport): Promise<KeptReport>;
  /** Null: no such blob. */
  statBlob(digest: Digest): Promise<{ readonly bytes: number } | null>;
  /** Bytes `start` to `end`, both included. */
  openBlob(digest: Digest, range: { readonly start: number; readonly end: number }): Promise<Readable>;
  /** Left out: every enrolled host may fetch every blob it can name. */
  mayFetchBlob?(node: string, digest: Digest): Promise<boolean>;
  /** An authenticated host was here, and speaks this. */
  recordContact(node: string, protocol: number): Promise<void>;
  /** True: this delivery was not seen before. */
  recordWebhookDelivery(source: string, delivery: string): Promise<boolean>;
};
