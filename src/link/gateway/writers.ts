import type { GatewayRecords } from "./gateway-records.ts";

/** What a request can show itself to be. A request is one of these or it is refused. */
export type IdentityClass = "open" | "enrolment-token" | "host" | "webhook-source";

/** What can be written through the gateway, and the one method of the records (or of the worker) that does it. */
export type Write = "host-keys" | "contact" | "claim" | "account" | "webhook-delivery" | "wake";

export type Writer = {
  readonly route: string;
  readonly identity: IdentityClass;
  /** `own-node`: the node in the path is the one that the proof is of. */
  readonly scope: "any" | "own-node";
  readonly writes: readonly Write[];
};

/** Who may write what (R41). A route without a row here does not start; a write that is not in the row throws. */
export const writers: readonly Writer[] = [
  { route: "GET /v1/health", identity: "open", scope: "any", writes: [] },
  { route: "POST /v1/enrol", identity: "enrolment-token", scope: "any", writes: ["host-keys"] },
  { route: "GET /v1/nodes/:node/declaration", identity: "host", scope: "own-node", writes: ["contact", "claim"] },
  {
    route: "POST /v1/nodes/:node/report",
    identity: "host",
    scope: "own-node",
    writes: ["contact", "account", "claim"],
  },
  { route: "GET /v1/roots/:version", identity: "host", scope: "any", writes: ["contact"] },
  { route: "GET /v1/blobs/:digest", identity: "host", scope: "any", writes: ["contact"] },
  {
    route: "POST /v1/webhooks/:source",
    identity: "webhook-source",
    scope: "any",
    writes: ["webhook-delivery", "wake"],
  },
];

/** Throws when a route has no row: it must not start. */
export function findWriter(route: string): Writer {
  const writer = writers.find((row) => row.route === route);
  if (writer === undefined) throw new Error(`route ${route} has no row in the writers table (R41)`);
  return writer;
}

/** The records, and the way to wake, with every write that the row does not have taken away. */
export type AllowedRecords = GatewayRecords & { readonly wake: (source: string) => void };

export function allowWrites(records: GatewayRecords, wake: (source: string) => void, writer: Writer): AllowedRecords {
  const allow = <F>(write: Write, act: F, refuse: F): F => (writer.writes.includes(write) ? act : refuse);
  const refuse = (write: Write) => (): never => {
    throw new Error(`route ${writer.route} may not write ${write} (R41)`);
  };
  const mayFetchBlob = records.mayFetchBlob?.bind(records);
  return {
    hostKeysOf: records.hostKeysOf.bind(records),
    wasRemoved: records.wasRemoved.bind(records),
    newestEnvelope: records.newestEnvelope.bind(records),
    newestUnordered: records.newestUnordered.bind(records),
    rootAt: records.rootAt.bind(records),
    onDeclaration: records.onDeclaration.bind(records),
    statBlob: records.statBlob.bind(records),
    openBlob: records.openBlob.bind(records),
    ...(mayFetchBlob === undefined ? {} : { mayFetchBlob }),
    enrolHost: allow("host-keys", records.enrolHost.bind(records), refuse("host-keys")),
    heedClaim: allow("claim", records.heedClaim.bind(records), refuse("claim")),
    keepReport: allow("account", records.keepReport.bind(records), refuse("account")),
    keepUnordered: allow("account", records.keepUnordered.bind(records), refuse("account")),
    recordContact: allow("contact", records.recordContact.bind(records), refuse("contact")),
    recordWebhookDelivery: allow(
      "webhook-delivery",
      records.recordWebhookDelivery.bind(records),
      refuse("webhook-delivery"),
    ),
    wake: allow("wake", wake, refuse("wake")),
  };
}
