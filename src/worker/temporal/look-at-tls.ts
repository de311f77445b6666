import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { errorCode } from "../../core/errors.ts";
import { parseAddress } from "../../embedded/provide-temporal.ts";
import type { TemporalConnection } from "./read-connection.ts";

export type TlsLook =
  | { readonly kind: "no-answer" | "untrusted" | "wants-certificate"; readonly code: string }
  /** The names that it is for. */
  | { readonly kind: "other-name"; readonly names: string }
  | { readonly kind: "out-of-time"; readonly from: string; readonly until: string }
  | { readonly kind: "plain" }
  | { readonly kind: "good" };

const answerWithinMs = 5_000;
const noRoad = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;

/**
 * One handshake as the connection would make it, of which nothing is believed and to which nothing is sent: for a sentence
 * that says what is wrong. Never throws.
 */
export async function lookAtTls({ address, tls }: TemporalConnection): Promise<TlsLook> {
  const { host, port } = parseAddress(address);
  const name = tls?.serverNameOverride ?? host;
  const socket = connect({
    host,
    port,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ALPNProtocols: ["h2"],
    // What is wrong with its certificate is what we want to know.
    rejectUnauthorized: false,
    ...(tls?.serverRootCACertificate === undefined ? {} : { ca: tls.serverRootCACertificate }),
    ...(tls?.clientCertPair === undefined ? {} : { cert: tls.clientCertPair.crt, key: tls.clientCertPair.key }),
  });
  try {
    return await judge(socket, tls === null);
  } finally {
    socket.destroy();
  }
}

async function judge(socket: TLSSocket, isAskedInPlain: boolean): Promise<TlsLook> {
  const ended = whenEnded(socket);
  const shaken = await Promise.race([
    ended,
    new Promise<null>((done) => socket.once("secureConnect", () => done(null))),
  ]);
  if (shaken !== null) {
    if (shaken === "no answer in time" || noRoad.test(shaken)) return { kind: "no-answer", code: shaken };
    return isAboutCertificate(shaken) ? { kind: "wants-certificate", code: shaken } : { kind: "plain" };
  }
  if (isAskedInPlain) return { kind: "good" };
  const wrong = judgeCertificate(socket);
  if (wrong !== null) return wrong;
  // With TLS 1.3 a server says only after the handshake that it misses a certificate. What else it says first is HTTP/2's.
  const first = await Promise.race([ended, new Promise<null>((done) => socket.once("data", () => done(null)))]);
  return first === null || first === "no answer in time"
    ? { kind: "good" }
    : { kind: "wants-certificate", code: first };
}

function judgeCertificate(socket: TLSSocket): TlsLook | null {
  if (socket.authorized) return null;
  // Types say Error; Node gives the code.
  const code = String(socket.authorizationError);
  const { subjectaltname = "none", valid_from: from, valid_to: until } = socket.getPeerCertificate();
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return { kind: "other-name", names: subjectaltname };
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") return { kind: "out-of-time", from, until };
  return { kind: "untrusted", code };
}

function isAboutCertificate(code: string): boolean {
  return /ALERT_(CERTIFICATE|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE|ACCESS_DENIED)|CERTIFICATE_REQUIRED/.test(
    code,
  );
}

/** How it ended, in a word. */
function whenEnded(socket: TLSSocket): Promise<string> {
  return new Promise((done) => {
    socket.once("error", (error) => done(errorCode(error) ?? error.message));
    socket.once("close", () => done("it closed the connection"));
    socket.setTimeout(answerWithinMs, () => done("no answer in time"));
  });
}
