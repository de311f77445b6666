import pg from "pg";
import { readFailure } from "./failure.ts";
import { type DatabaseRole, roleOption } from "./writers/database-role.ts";

/** Anything a statement can be sent to: the pool, or one transaction. */
export interface Queryable {
  /** Rejects with UnavailableError where the database gave no answer. Never answers rows it did not get. */
  query(sql: string, values?: readonly unknown[]): Promise<Answer>;
}

export interface Answer {
  readonly rows: readonly unknown[];
  /** Rows read or changed. */
  readonly count: number;
}

/** One transaction: what is asked through it is seen and kept together. Made by `inTransaction` only. */
export interface Transaction extends Queryable {
  readonly transaction: true;
}

export interface Database extends Queryable {
  readonly pool: pg.Pool;
  /** Waits for what is under way. May be called again. */
  end(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly maxConnections: number;
  readonly applicationName: string;
  readonly statementTimeoutMs: number;
  /** Whose rights it has (R41). Left out: those of the user in the URL. */
  readonly role?: DatabaseRole | undefined;
  /** The server refuses every write of it, whatever its rights are. */
  readonly readOnly?: true;
  /** How long a caller waits for a free connection. */
  readonly connectTimeoutMs?: number;
  /** After this long idle inside a transaction the server ends it: a paused holder must not hold the gate (R36). */
  readonly idleInTransactionTimeoutMs?: number;
  /** Told of connections that broke while nobody used them; the pool replaces them. Must not throw. */
  readonly onConnectionLost?: (error: Error) => void;
}

const connectTimeoutMs = 5_000;
const idleInTransactionTimeoutMs = 15_000;
/** The client's own bound comes after the server's: it is for a server that no longer answers at all. */
export const answerGraceMs = 5_000;

/** A pool that survives restarts of the server. Connects at the first statement, not here. */
export function openDatabase(options: DatabaseOptions): Database {
  const lost = options.onConnectionLost ?? (() => undefined);
  const pool = new pg.Pool({
    ...addressAs(options.url, options.role, options.readOnly === true ? ["-c default_transaction_read_only=on"] : []),
    max: options.maxConnections,
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + answerGraceMs,
    connectionTimeoutMillis: options.connectTimeoutMs ?? connectTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? idleInTransactionTimeoutMs,
    keepAlive: true,
  });
  // A client in use has no listener of the pool's: without this one a lost connection ends the process.
  pool.on("connect", (client) => client.on("error", lost));
  // The same loss again, said by the pool for an idle client; unheard it would end the process too.
  pool.on("error", () => undefined);
  let ending: Promise<void> | null = null;
  return {
    pool,
    query: (sql, values) => ask(pool, sql, values),
    end: () => (ending ??= pool.end()),
  };
}

/** The role goes with the connection's first message and costs no statement, as do more options. An URL may hold some too. */
export function addressAs(
  url: string,
  role: DatabaseRole | undefined,
  more: readonly string[] = [],
): { readonly connectionString: string; readonly options?: string } {
  const own = [...(role === undefined ? [] : [roleOption(role)]), ...more].join(" ");
  if (own === "") return { connectionString: url };
  if (!/[?&]options=/.test(url)) return { connectionString: url, options: own };
  const address = new URL(url);
  const given = address.searchParams.get("options") ?? "";
  address.searchParams.delete("options");
  // The last one counts.
  return { connectionString: address.href, options: `${given} ${own}`.trim() };
}

/** Sends one statement, and says what a failure means. `answerMs`: the client's own bound, where it is not the pool's. */
export async function ask(
  to: pg.Pool | pg.ClientBase,
  sql: string,
  values: readonly unknown[] = [],
  answerMs?: number,
): Promise<Answer> {
  const query = { text: sql, values: [...values], ...(answerMs === undefined ? {} : { query_timeout: answerMs }) };
  try {
    const result = await to.query(query);
    return { rows: result.rows, count: result.rowCount ?? 0 };
  } catch (error) {
    throw readFailure(error, firstWords(sql));
  }
}

/** Enough of a statement to know it by; values are parameters, so none of them is in it. */
function firstWords(sql: string): string {
  return `running "${sql.trim().replaceAll(/\s+/g, " ").slice(0, 60)}…"`;
}
