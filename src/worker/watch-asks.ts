import { join } from "node:path";
import type { Logger } from "pino";
import { codeVersion } from "../activities/code-version.ts";
import { answerDryRun } from "../activities/dry-run.ts";
import { createFetchDesk, type FetchBounds, fetchBounds } from "../activities/fetch-desk.ts";
import { createImportCache } from "../activities/import-cache.ts";
import { createKeptRecords, keptFor, type KeptRecords } from "../activities/kept-records.ts";
import { isSourceFailure } from "../activities/look-at-sources.ts";
import { createRepositoryPool } from "../activities/repository-pool.ts";
import { askSocketName, dryRunSchemaName } from "../core/asking.ts";
import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { listenInFolder, type PlacedSocket } from "../disk/socket-folder.ts";
import type { HostCredentials } from "../source/remote-credentials.ts";
import type { Database } from "../store/database.ts";
import { type AskBounds, type AskServer, createAskServer } from "./answer-asks.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface AskPlace {
  /** Of the socket. */
  readonly folder: string;
  /** Of a question: see `questionSchema`. */
  readonly state: string;
  readonly setup: string;
}

export interface WatchAsks {
  /** The controller's: its loops' records are shared, and its conditions kept. */
  readonly db: Database;
  /** By which questions are answered: it may only read. */
  readonly readDb: Database;
  readonly mesh: Name;
  readonly asks: AskPlace;
  /** Clones of its own are kept there: those that comparisons work with are left alone, and those of commands are another user's. */
  readonly folders: { readonly cache: string };
  readonly credentials: HostCredentials;
  readonly cloneBytes?: number | undefined;
  readonly lostAfterMs: number;
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly bounds?: AskBounds;
  /** How long a question waits for sources. `fetchBounds` where it is left out. */
  readonly fetches?: FetchBounds;
  readonly everyMs?: number;
}

/** Whether it still listens is looked at as often: a socket may be removed by somebody who tidies. */
const everyMs = 5_000;

/** Answers what commands ask of this controller, until told to stop; nothing is kept of it, and nothing is changed. */
export function watchAsks(options: WatchAsks): Watch {
  const { asks, log } = options;
  const baseMs = options.everyMs ?? everyMs;
  const answers = answerWith(options);
  let open: { readonly server: AskServer; readonly placed: PlacedSocket } | null = null;
  const close = async (): Promise<void> => {
    const closing = open;
    open = null;
    if (closing === null) return;
    await closing.placed.remove();
    closing.server.close();
  };
  const watch = keepLooking({
    log,
    trouble: watchTrouble(options, {
      code: "asks-not-heard",
      subject: asks.folder,
      what: "commands cannot ask this controller, and work out answers themselves",
      remedy: "see whose the folder is, and whether its disk can be written; it tries again by itself",
    }),
    failed: "listening for questions of commands failed",
    rhythm: { baseMs, longestMs: baseMs * 12 },
    async look() {
      if (open !== null && open.server.server.listening && (await open.placed.isInPlace())) return "enough";
      await close();
      const server = answers();
      try {
        open = { server, placed: await listenInFolder(server.server, asks.folder, askSocketName) };
      } catch (error) {
        server.close();
        throw error;
      }
      return "enough";
    },
  });
  return {
    async stop() {
      await watch.stop();
      await close();
    },
  };
}

function answerWith(options: WatchAsks): () => AskServer {
  const { readDb, mesh, asks, log, bounds } = options;
  const kept = keepForAsks(options);
  const repositories = createRepositoryPool(join(options.folders.cache, "asked"), {
    credentials: options.credentials,
    cloneBytes: options.cloneBytes,
    onUntidy: (repository, error) => log.warn({ err: error, repository }, "a clone could not be made smaller"),
  });
  const imports = createImportCache(readDb);
  const fetches = createFetchDesk(options.fetches ?? fetchBounds, isSourceFailure);
  const own = { code: codeVersion(), document: dryRunSchemaName, mesh, state: asks.state, setup: asks.setup };
  return () =>
    createAskServer({
      own,
      log,
      ...(bounds === undefined ? {} : { bounds }),
      answer: async ({ names }, signal) => {
        if (names.length > 0) await expectModules(kept, names);
        const { code, document } = await answerDryRun({
          db: readDb,
          mesh,
          kept,
          repositories,
          imports,
          fetches,
          names,
          now: new Date(options.nowMs()),
          lostAfterMs: options.lostAfterMs,
          answeredBy: "controller",
          signal,
        });
        return { code, document: JSON.stringify({ schema: dryRunSchemaName, ...document }) };
      },
    });
}

async function expectModules(kept: KeptRecords, names: readonly Name[]): Promise<void> {
  const known = new Set((await kept.read()).modules.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new InputError(`there is no module ${unknown.join(", ")}`);
}

/** The rows are those that comparisons read, once for both; what is worked out from them is of questions alone. */
function keepForAsks({ db, mesh }: WatchAsks): KeptRecords {
  const rows = keptFor(db, mesh);
  return {
    ...createKeptRecords(db, mesh),
    read: (version) => rows.read(version),
    lastRead: () => rows.lastRead(),
    readApart: () => rows.readApart(),
  };
}
