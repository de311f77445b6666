import { InputError, UnavailableError } from "../../core/errors.ts";
import { lookAtTls, type TlsLook } from "./look-at-tls.ts";
import type { TemporalConnection } from "./read-connection.ts";
import type { TemporalServer } from "./temporal-server.ts";

interface Explained {
  readonly message: string;
  readonly next: string;
}

const pairVariables = "TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH";

/**
 * Why a server let nobody in. The SDKs say of most of it *no connection before the deadline*: so the server is looked at
 * once more by TLS alone. The cause is kept; no secret is in it.
 */
export async function explainFailure(
  server: TemporalServer,
  connection: TemporalConnection,
  error: unknown,
): Promise<Error> {
  const options = { cause: error };
  const code = readGrpcCode(error);
  if (code === 5)
    return new InputError(
      `Temporal at ${server.address} has no namespace ${server.namespace}`,
      "make it there, or set TEMPORAL_NAMESPACE to one that it has",
      options,
    );
  const refused = code === 16 || code === 7 ? explainRefusal(server, connection, code) : null;
  const { message, next } = refused ?? explainLook(server, connection, await lookAtTls(connection));
  return new UnavailableError(`Temporal at ${server.address} ${message}`, next, options);
}

/** Unauthenticated is 16, permission denied 7. */
function explainRefusal(server: TemporalServer, { apiKey, tls }: TemporalConnection, code: number): Explained {
  if (apiKey !== null)
    return {
      message: code === 16 ? "refuses the API key" : `does not let this API key use namespace ${server.namespace}`,
      next: "set TEMPORAL_API_KEY to one that is valid there, and start the controller again with it",
    };
  return {
    message:
      tls?.clientCertPair === undefined
        ? "lets in only who shows a key or a certificate"
        : `does not let this client certificate use namespace ${server.namespace}`,
    next: `set TEMPORAL_API_KEY, or ${pairVariables} to a certificate that it knows`,
  };
}

function explainLook(server: TemporalServer, { tls, apiKey }: TemporalConnection, look: TlsLook): Explained {
  const hasPair = tls?.clientCertPair !== undefined;
  const isOurs = server.given === undefined || server.given === null;
  switch (look.kind) {
    case "no-answer":
      return {
        message: `does not answer (${look.code})`,
        next: isOurs ? "check that it runs: npm start brings it up" : "check that it runs, and TEMPORAL_ADDRESS",
      };
    case "plain":
      return tls === null
        ? { message: "answers, and not as Temporal does", next: "check that it runs, and TEMPORAL_ADDRESS" }
        : {
            message: "speaks no TLS",
            next: `${apiKey === null ? "" : "unset TEMPORAL_API_KEY, and "}set TEMPORAL_TLS=false to ask it in plain`,
          };
    case "untrusted":
      return {
        message: `has a certificate that nothing here vouches for (${look.code})`,
        next: "set TEMPORAL_TLS_SERVER_CA_CERT_PATH to the CA that signed it",
      };
    case "other-name":
      return {
        message: `has a certificate for another name: ${look.names}`,
        next: "set TEMPORAL_TLS_SERVER_NAME to one of its names, or TEMPORAL_ADDRESS",
      };
    case "out-of-time":
      return {
        message: `has a certificate that is valid from ${look.from} until ${look.until}`,
        next: "renew it on the server (TEMPORAL_ADDRESS names it), and see this machine's clock",
      };
    case "wants-certificate":
      return {
        message: hasPair
          ? `refuses the client certificate (${look.code})`
          : `ends the connection, as one does that wants a client certificate (${look.code})`,
        next: `set ${pairVariables} to a certificate that it knows`,
      };
    case "good":
      return tls === null
        ? { message: "speaks TLS", next: "set TEMPORAL_TLS=true, and start again with it" }
        : { message: "lets TLS through and does not answer", next: "check that Temporal runs behind it" };
  }
}

/** Of what the SDKs throw: the client's error, the native one's, or a cause below. */
function readGrpcCode(error: unknown): number | null {
  for (let one: unknown = error, depth = 0; one instanceof Error && depth < 6; one = one.cause, depth += 1) {
    if ("code" in one && typeof one.code === "number") return one.code;
    const said = /\bcode: (?:'[^']*'|(\w+))/.exec(one.message)?.[1];
    if (said === "Unauthenticated" || /authentication credentials/.test(one.message)) return 16;
    if (said === "PermissionDenied" || /does not have permission/.test(one.message)) return 7;
  }
  return null;
}
