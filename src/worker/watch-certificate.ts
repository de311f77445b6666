import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import { InputError } from "../core/errors.ts";
import { findAuthorityEnds } from "../link/authority-end.ts";
import { type Certificate, lifeOf } from "../link/certificate-authority.ts";
import type { Gateway } from "../link/gateway/create-gateway.ts";
import {
  type CertificateFiles,
  keepGatewayCertificate,
  type KeptCertificate,
  subjectsOfGateway,
} from "../link/gateway-certificate.ts";
import type { Observation } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { listNodes } from "../store/nodes.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { keepSeen } from "./keep-seen.ts";
import { watchTrouble } from "./note-trouble.ts";

export type GatewayFiles = CertificateFiles & {
  /** Where hosts reach it. */
  readonly host: string;
};

export interface WatchCertificate {
  readonly db: Database;
  readonly mesh: Name;
  readonly log: Logger;
  readonly files: GatewayFiles;
  /** What the gateway began with. */
  readonly used: Certificate;
  readonly gateway: Pick<Gateway, "useCertificate">;
  readonly nowMs?: () => number;
  readonly everyMs?: number;
}

/** A certificate that somebody puts there is used within this time. */
const everyMs = 30_000;
const urgentMs = 7 * 86_400_000;
const codes = ["certificate-ends-soon", "authority-ends-soon"] as const;

/** What a gateway begins with, made anew where it is time. Throws InputError where there is nothing to begin with. */
export async function openCertificate(files: GatewayFiles, log: Logger, nowMs: number): Promise<Certificate> {
  const { certificate, made, due } = await keep(files, nowMs, "make");
  if (made !== null) log.info({ why: made }, "the gateway has a new certificate");
  if (certificate !== null) return certificate;
  throw new InputError(`the gateway has no certificate: ${due?.why ?? ""}`, due?.next);
}

/**
 * Renews the gateway's certificate where the authority's key is here, uses one that somebody put there, both without a restart, and
 * says in time what it cannot renew (R33). Connections that are there go on.
 */
export function watchCertificate(options: WatchCertificate): Watch {
  const { db, mesh, log, files, gateway, nowMs = Date.now } = options;
  const state = { used: options.used, wasBroken: false };
  return keepLooking({
    log,
    trouble: watchTrouble(options, {
      code: "certificate-watch-failing",
      subject: "certificate",
      what: "the gateway's certificate could not be looked at",
      remedy: "see the controller's log; it tries again with growing pauses",
      urgent: true,
    }),
    failed: "looking at the gateway's certificate failed",
    rhythm: { baseMs: options.everyMs ?? everyMs, longestMs: 600_000 },
    async look() {
      const now = nowMs();
      // Somebody who copies two files has them apart for a moment: what is so at two looks is broken.
      const kept = await keep(files, now, state.wasBroken ? "make" : "leave");
      const isNews = kept.certificate === null && !state.wasBroken;
      state.wasBroken = kept.certificate === null;
      if (kept.certificate !== null && kept.refused === null && isOther(kept.certificate, state.used)) {
        gateway.useCertificate(kept.certificate);
        state.used = kept.certificate;
        const until = new Date(lifeOf(kept.certificate.certPem).endsMs).toISOString();
        log.info({ why: kept.made ?? "its file was replaced", until }, "the gateway uses a new certificate");
      }
      const ends = await findAuthorityEnds(files, { listNodes: () => listNodes(db, mesh), nowMs: now });
      const seen = [
        ...(isNews ? [] : sayDue(kept, state.used, now)),
        ...ends.map(({ daysLeft: _days, ...end }) => ({ code: "authority-ends-soon", ...end })),
      ];
      await keepSeen({ db, mesh }, codes, seen);
      return "enough";
    },
  });
}

function keep(files: GatewayFiles, nowMs: number, broken: "make" | "leave"): Promise<KeptCertificate> {
  return keepGatewayCertificate({ ...files, ...subjectsOfGateway(files.host), nowMs, broken });
}

function isOther(one: Certificate, used: Certificate): boolean {
  return one.certPem !== used.certPem || one.keyPem !== used.keyPem;
}

function sayDue({ certificate, refused, due }: KeptCertificate, used: Certificate, nowMs: number): Observation[] {
  if (due === null) return [];
  const { endsMs } = lifeOf(used.certPem);
  const isRefused = certificate !== null && refused !== null && !isOther(certificate, used);
  const end = `the one in use ${endsMs < nowMs ? "ended" : "ends"} at ${new Date(endsMs).toISOString()}`;
  return [
    {
      code: "certificate-ends-soon",
      subject: "gateway",
      message: `the gateway needs another certificate: ${due.why}; ${end}, and from then on no host reaches this controller`,
      remedy: due.next,
      urgent: certificate === null || isRefused || endsMs - nowMs < urgentMs,
    },
  ];
}
