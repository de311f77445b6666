import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { addressAs, type Transaction } from "./database.ts";
import { readFailure } from "./failure.ts";
import { run } from "./rows.ts";
import type { DatabaseRole } from "./writers/database-role.ts";

/** Heard by listeners when the transaction commits, and never when it does not. */
export async function notify(tx: Transaction, channel: string, payload: string): Promise<void> {
  await run(tx, `select pg_notify($1, $2)`, [channel, payload]);
}

export interface ListenOptions {
  readonly url: string;
  readonly role?: DatabaseRole | undefined;
  readonly channels: readonly string[];
  readonly onNotify: (channel: string, payload: string) => void;
  /** Called after each reconnect: what was said in between was not heard, so read again. */
  readonly onReconnect: () => void;
  /** Told of each loss, each failed try, and each error of the callbacks; for the log. */
  readonly onLost?: (error: Error) => void;
  readonly longestPauseMs?: number;
  /** How often a silent connection is asked whether it still lives. */
  readonly pingMs?: number;
}

export interface Listener {
  close(): Promise<void>;
}

const firstPauseMs = 100;
const channelPattern = /^[a-z][a-z0-9_]{0,62}$/;

/**
 * Listens on a connection of its own, and comes back after every loss, with growing pauses and jitter. Resolves when
 * it listens for the first time; rejects with UnavailableError where the database does not answer then.
 */
export async function listen(options: ListenOptions): Promise<Listener> {
  for (const channel of options.channels) {
    if (!channelPattern.test(channel)) throw new RangeError(`not a channel name: ${channel}`);
  }
  const first = await connect(options);
  const stop = new AbortController();
  const ended = keepListening(options, first, stop.signal);
  return {
    close: async () => {
      stop.abort();
      await ended;
    },
  };
}

/** A reader's mistake must not end the listening. */
function tell(options: ListenOptions, reader: () => void): void {
  try {
    reader();
  } catch (error) {
    options.onLost?.(new Error("a reader of notifications failed", { cause: error }));
  }
}

interface Connection {
  readonly client: pg.Client;
  /** Resolves when the connection is lost or was closed. */
  readonly lost: Promise<Error>;
}

async function keepListening(options: ListenOptions, first: Connection, stop: AbortSignal): Promise<void> {
  let connection: Connection | null = first;
  let pauseMs = firstPauseMs;
  while (!stop.aborted) {
    if (connection === null) {
      // absence is the answer: only `stop` ends the pause early, and it is looked at next.
      await wait(pauseMs * (0.5 + Math.random()), undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) return;
      pauseMs = Math.min(pauseMs * 2, options.longestPauseMs ?? 10_000);
      // absence is the answer: still no connection; it is said through onLost, and tried again.
      connection = await connect(options).catch((error: unknown) => {
        options.onLost?.(readFailure(error, "listening again"));
        return null;
      });
      if (connection === null) continue;
      pauseMs = firstPauseMs;
      tell(options, options.onReconnect);
    }
    const lost = await watch(connection, options, stop);
    connection = null;
    if (!stop.aborted) options.onLost?.(readFailure(lost, "listening"));
  }
}

async function connect(options: ListenOptions): Promise<Connection> {
  const client = new pg.Client({
    ...addressAs(options.url, options.role),
    application_name: "mesh listen",
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    keepAlive: true,
  });
  const lost = new Promise<Error>((resolve) => {
    client.on("error", resolve);
    client.on("end", () => resolve(new Error("the connection ended")));
  });
  client.on("notification", ({ channel, payload }) => tell(options, () => options.onNotify(channel, payload ?? "")));
  try {
    await client.connect();
    for (const channel of options.channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    // absence is the answer: the connection is given up, and why is thrown below.
    await client.end().catch(() => undefined);
    throw readFailure(error, "listening");
  }
  return { client, lost };
}

/** Until it is lost or stopped. Pings, because a cut that sends no packet would never be noticed. */
async function watch(connection: Connection, options: ListenOptions, stop: AbortSignal): Promise<Error> {
  const { client } = connection;
  const stopped = new Promise<Error>((resolve) => {
    const end = () => resolve(new Error("stopped"));
    if (stop.aborted) end();
    else stop.addEventListener("abort", end, { once: true });
  });
  const silent = new Promise<Error>((resolve) => {
    const timer = setInterval(() => client.query("select 1").catch(resolve), options.pingMs ?? 30_000);
    void Promise.race([connection.lost, stopped]).then(() => clearInterval(timer));
    timer.unref();
  });
  const why = await Promise.race([connection.lost, stopped, silent]);
  // absence is the answer: the connection is given up, and why is returned below.
  await client.end().catch(() => undefined);
  return why;
}
