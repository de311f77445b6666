import { isIPv4 } from "node:net";
import pg from "pg";
import { errorCode, InputError, UnavailableError } from "../../core/errors.ts";
import { NoAnswerError } from "./no-answer.ts";
import type { ProviderAccess } from "./provider.ts";

export interface Login {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

const connectWithinMs = 5000;
const statementWithinMs = 20_000;
/** The server itself ends a statement before that: one that waits for another's lock says nothing about the server. */
const serverLimits = "SET lock_timeout = 5000; SET statement_timeout = 18000";
/**
 * Where PUBLIC may create in schema `public` (as on PostgreSQL 14, and where an older cluster was brought further), a
 * consumer's function of a system function's name and of types that fit better would be called in its place, with the
 * administrator's rights (CVE-2018-1058).
 */
const onlyTheServersNames = "SET search_path = pg_catalog";
const closeWithinMs = 2000;

/**
 * Runs `act` on one connection and closes it, each within a bound. Throws UnavailableError where it cannot be done now,
 * NoAnswerError where nothing came back, and the signal's reason.
 */
export async function withConnection<T>(
  access: Pick<ProviderAccess, "admin" | "signal">,
  login: Login,
  act: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const [, host, port] = /^\[?([^\]]+?)\]?:([0-9]{1,5})$/.exec(access.admin) ?? [];
  if (host === undefined || port === undefined) throw new InputError(`${access.admin} is no host:port of a PostgreSQL`);
  const client = new pg.Client({
    host,
    port: Number(port),
    ...login,
    connectionTimeoutMillis: connectWithinMs,
    query_timeout: statementWithinMs,
    application_name: "mesh-host",
  });
  // A connection that breaks between two statements says so here; the next statement fails for it.
  client.on("error", () => undefined);
  if (!isLoopback(host)) refuseClearPassword(client, access.admin);
  const { signal } = access;
  signal.throwIfAborted();
  const abort = (): unknown => client.connection.stream.destroy();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await client.connect();
    await client.query(`${onlyTheServersNames}; ${serverLimits}`);
    return await act(client);
  } catch (error) {
    signal.throwIfAborted();
    throw asUnavailable(error, access.admin);
  } finally {
    await close(client);
    signal.removeEventListener("abort", abort);
  }
}

/**
 * The server chooses how it is told a password, and this connection is not encrypted: one that wants it in clear is not
 * answered, whoever it is. `pg` has no setting for it: this listener comes before its own, and closes the connection.
 */
function refuseClearPassword(client: pg.Client, where: string): void {
  client.connection.once("authenticationCleartextPassword", () => {
    client.connection.stream.destroy(
      new InputError(
        `PostgreSQL at ${where} wants the password in clear over a connection that everybody on the way can read: it was not sent. Let pg_hba.conf say scram-sha-256`,
      ),
    );
  });
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

async function close(client: pg.Client): Promise<void> {
  // It says good-bye and waits until the server hangs up: one that has frozen since its last answer does not.
  const timer = setTimeout(() => client.connection.stream.destroy(), closeWithinMs);
  // absence is the answer: a connection that cannot be closed is closed; what went wrong on it was thrown before.
  await client.end().catch(() => undefined);
  clearTimeout(timer);
}

/** What the server says that means *not now*: starting up, shutting down, too many connections, held up by another. */
const notNow = new Set(["57P01", "57P02", "57P03", "53300", "08000", "08001", "08003", "08006", "55P03", "57014"]);

const gone = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
]);

function asUnavailable(error: unknown, where: string): unknown {
  if (error instanceof InputError) return error;
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : "";
  const isGone = code === null ? /timeout|terminated|not queryable|ended/i.test(message) : gone.has(code);
  if (isGone)
    return new NoAnswerError(`PostgreSQL at ${where} does not answer`, "It is asked again.", { cause: error });
  if (code === null || !notNow.has(code)) return error;
  return new UnavailableError(`PostgreSQL at ${where} cannot do it now`, "It is asked again.", { cause: error });
}

/** Whether the server refused who asked: wrong password, not allowed to log in, not allowed into that database. */
export function isRefusedLogin(error: unknown): boolean {
  return ["28P01", "28000", "42501", "3D000"].includes(errorCode(error) ?? "");
}
