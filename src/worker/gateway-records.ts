import type { Order } from "../core/declaration.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Report, UnorderedReport } from "../core/report.ts";
import type { ArtifactStore } from "../build/artifact-store.ts";
import { atStep } from "../core/failpoints.ts";
import { compareOrder } from "../decide/order.ts";
import { judgeReport, listGrantsRead } from "../decide/judge-report.ts";
import { judgeUnordered } from "../decide/judge-unordered.ts";
import { hashEnrolmentSecret } from "../link/enrolment-token.ts";
import type { GatewayRecords, KeptReport } from "../link/gateway/gateway-records.ts";
import { incarnationOf } from "../link/keys.ts";
import { keepAccount, keepUnorderedAccount } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { newestDeclaration, wasSent } from "../store/declarations.ts";
import { useToken } from "../store/enrolment.ts";
import { keepClaim } from "../store/heed-claim.ts";
import { getNode, recordContact } from "../store/nodes.ts";
import { confirmWithdrawals, noteReadBack } from "../store/provisions.ts";
import { wasNodeRemoved } from "../store/remove-node.ts";
import { getRoot } from "../store/roots.ts";
import { readStop } from "../store/stop.ts";
import { recordDelivery } from "../store/webhooks.ts";
import type { Trust } from "./trust.ts";

export interface GatewayParts {
  readonly db: Database;
  readonly mesh: Name;
  readonly artifacts: ArtifactStore;
  readonly trust: Pick<Trust, "rootBytes" | "renew" | "dropEpoch">;
  readonly wakes: DeclarationWakes;
  /** Told of each report that is kept; nothing may be waited for. Left out: nobody wants to know. */
  readonly onKept?: (report: Pick<Report, "node" | "resources">) => void;
}

/** Who waits for which node's next declaration: woken by NOTIFY, and all at once after a lost connection. */
export interface DeclarationWakes {
  subscribe(node: string, wake: () => void): () => void;
  wake(node: string): void;
  wakeAll(): void;
}

export function createDeclarationWakes(): DeclarationWakes {
  const waiting = new Map<string, Set<() => void>>();
  return {
    subscribe(node, wake) {
      const set = waiting.get(node) ?? new Set();
      waiting.set(node, set.add(wake));
      return () => {
        set.delete(wake);
        if (set.size === 0 && waiting.get(node) === set) waiting.delete(node);
      };
    },
    wake(node) {
      for (const wake of waiting.get(node) ?? []) wake();
    },
    wakeAll() {
      for (const set of waiting.values()) for (const wake of set) wake();
    },
  };
}

/** The gateway's view of the records: what hosts, tokens and webhooks may read and write, and nothing more (R41). */
export function createGatewayRecords(parts: GatewayParts): GatewayRecords {
  const { db, mesh, artifacts } = parts;
  return {
    async enrolHost({ secret, node, keys, protocol }) {
      const incarnation = incarnationOf(keys.sign);
      const result = await useToken(db, mesh, { node, hash: hashEnrolmentSecret(secret), keys, incarnation, protocol });
      if (result === "enrolled" || result === "repeated") return { ok: true, incarnation, root: parts.trust.rootBytes };
      if (result === "other-seal")
        return {
          ok: false,
          why: `the host of ${node} has lost its seal key: it is another host now, and needs another --dir`,
        };
      return { ok: false, why: `this token is ${result}: make a new one with \`mesh host token ${node}\`` };
    },
    hostKeysOf: async (node) => (await getNode(db, mesh, node))?.keys ?? null,
    wasRemoved: (node) => wasNodeRemoved(db, mesh, node),
    newestEnvelope: (node, after) => readNewest(parts, node, after),
    newestUnordered: (node, have) => readNewestUnordered(parts, node, have),
    rootAt: (version) => getRoot(db, mesh, version),
    heedClaim: (node, has) => heed(parts, node, has),
    onDeclaration: (node, wake) => parts.wakes.subscribe(node, wake),
    keepReport: async (_node, report) => tellOf(parts, report, await keep(parts, report)),
    keepUnordered: async (_node, report) => tellOf(parts, report, await keepUnordered(parts, report)),
    statBlob: (digest) => artifacts.statBlob(digest),
    openBlob: (digest, range) => artifacts.openBlob(digest, range),
    recordContact: (node, protocol) => recordContact(db, mesh, node, protocol),
    recordWebhookDelivery: (source, delivery) => recordDelivery(db, mesh, { source, delivery }),
  };
}

function tellOf({ onKept }: GatewayParts, report: Pick<Report, "node" | "resources">, kept: KeptReport): KeptReport {
  if (kept.outcome === "kept") onKept?.(report);
  return kept;
}

export async function readNewest(
  { db, mesh, trust }: Pick<GatewayParts, "db" | "mesh"> & { readonly trust: Pick<Trust, "renew"> },
  node: string,
  after: Order | null,
): Promise<Uint8Array | null> {
  const mail = await newestDeclaration(db, mesh, node);
  if (mail === null || (after !== null && compareOrder(mail.order, after) <= 0)) return null;
  // What was sent to a host that this one replaced is not for it.
  const incarnation = (await getNode(db, mesh, node))?.incarnation;
  return mail.incarnation === incarnation ? trust.renew(mail.envelope) : null;
}

/** What it has is what it was sent last, or was sent before: nearly always. Everything else is judged, and kept. */
async function heed({ db, mesh }: GatewayParts, node: string, has: Order): Promise<boolean> {
  if (await wasSent(db, mesh, node, has)) return true;
  const incarnation = (await getNode(db, mesh, node))?.incarnation;
  if (incarnation === null || incarnation === undefined) return true;
  const judged = await keepClaim(db, mesh, { node, incarnation, order: has, digest: null });
  return judged.kind === "known" || !judged.stops;
}

/** The record is the same for every host; only what this one is handed has no epoch in it (R37). */
async function readNewestUnordered(parts: GatewayParts, node: string, have: Digest | null): Promise<Uint8Array | null> {
  const mail = await newestDeclaration(parts.db, parts.mesh, node);
  if (mail === null || mail.digest === have) return null;
  const incarnation = (await getNode(parts.db, parts.mesh, node))?.incarnation;
  if (mail.incarnation !== incarnation) return null;
  // What it has cannot be told from something newer that these records lost. Asked last: a restore may come meanwhile (R35).
  return (await readStop(parts.db, parts.mesh)) === null ? parts.trust.dropEpoch(mail.envelope) : null;
}

async function keepUnordered({ db, mesh }: GatewayParts, report: UnorderedReport): Promise<KeptReport> {
  const decision = await keepUnorderedAccount(db, mesh, report, (facts) => judgeUnordered(report, facts));
  if (decision.kind !== "kept") return { outcome: "refused", why: decision.message };
  await noteGrants(db, mesh, decision.report);
  return { outcome: "kept" };
}

async function keep({ db, mesh }: GatewayParts, report: Report): Promise<KeptReport> {
  const decision = await atStep("report.keep", () =>
    keepAccount(db, mesh, report, (facts) => judgeReport(report, facts)),
  );
  if (decision.kind === "kept" || decision.kind === "duplicate") {
    await noteGrants(db, mesh, report);
    return { outcome: "kept" };
  }
  if (decision.kind === "older") return { outcome: "older", why: decision.message, kept: decision.kept };
  return { outcome: "refused", why: decision.message };
}

async function noteGrants(db: Database, mesh: Name, report: Report): Promise<void> {
  const read = listGrantsRead(report);
  if (read === null) return;
  await noteReadBack(db, mesh, read);
  await confirmWithdrawals(db, mesh, read);
}
