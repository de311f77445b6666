import { join } from "node:path";
import { UnavailableError } from "../core/errors.ts";
import { sayRoom, type TightDisk } from "../core/tight-disk.ts";
import type { CliContext } from "./context.ts";
import { LostLeaseError } from "./lost-lease-error.ts";
import { findFullDisk } from "./own-disk.ts";
import { quoteWord } from "./text/quote-word.ts";

/** Nobody listens there, or a server that just begins or ends. */
const downCodes = /^(ECONNREFUSED|ECONNRESET|ENOENT|57P0[1-3])$/;

/** What a look at the state folder says about why its mesh does not answer. */
export interface StateSeen {
  /** Its disk has no room: what runs there ends, and starting it again does not help. */
  readonly fullDisk: TightDisk | null;
  /** The process that works on it, `mesh up` for one; null: nobody does. */
  readonly keeper: number | null;
}

async function lookAtState(context: Pick<CliContext, "findTightDisks">, state: string): Promise<StateSeen> {
  // Loaded where something went wrong: no other command needs them.
  const { listPaths } = await import("../embedded/state-folder.ts");
  const { readLockHolder } = await import("../embedded/state-lock.ts");
  const keeper = await readLockHolder(join(listPaths(state).run, "lock.json"));
  return { fullDisk: await findFullDisk(context, state), keeper: keeper === process.pid ? null : keeper };
}

/** The same, with the look; an error that this cannot be the reason of is given back without one. */
export async function explainFailure(
  error: unknown,
  { context, state }: { readonly context: Pick<CliContext, "findTightDisks">; readonly state: string },
): Promise<unknown> {
  if (!(error instanceof UnavailableError) || error instanceof LostLeaseError) return error;
  try {
    return explainNoAnswer(error, state, await lookAtState(context, state));
  } catch (unseen) {
    const why = unseen instanceof Error ? unseen.message : String(unseen);
    const message = `${error.message}; and ${state} could not be looked at: ${why}`;
    return new UnavailableError(message, error.next, { cause: error });
  }
}

/**
 * A mesh that is not up, said as that: which statement was to be run when its PostgreSQL did not answer helps nobody.
 * Every other error is given back as it is, unless there is no room: then whatever did not answer needs that first.
 */
export function explainNoAnswer(error: unknown, state: string, { fullDisk, keeper }: StateSeen): unknown {
  if (!(error instanceof UnavailableError)) return error;
  const start = `npm start (mesh up --state ${quoteWord(state)})`;
  const code = /^PostgreSQL (did not answer|gave up)/.test(error.message) ? findCode(error.cause, 0) : null;
  const message =
    code === null ? error.message : `the mesh in ${state} is not up: its PostgreSQL does not answer (${code})`;
  if (fullDisk !== null) {
    const room = `make room on the disk of ${state}`;
    return new UnavailableError(
      `${message}; the disk of ${state} is full: ${sayRoom(fullDisk)}`,
      keeper === null
        ? `${room}, then: ${start}`
        : `${room}, then try again: what pid ${keeper} keeps running there goes on by itself`,
      { cause: error },
    );
  }
  if (code === null) return error;
  if (keeper === null) return new UnavailableError(message, start, { cause: error });
  return new UnavailableError(
    `the mesh in ${state} is being worked on (pid ${keeper}, mesh up for one): its PostgreSQL is being started or ended (${code})`,
    "wait some seconds, then try again; its terminal says what it does",
    { cause: error },
  );
}

function findCode(error: unknown, depth: number): string | null {
  if (typeof error !== "object" || error === null || depth > 8) return null;
  if ("code" in error && typeof error.code === "string" && downCodes.test(error.code)) return error.code;
  if (error instanceof AggregateError) {
    for (const inner of error.errors as readonly unknown[]) {
      const found = findCode(inner, depth + 1);
      if (found !== null) return found;
    }
  }
  return "cause" in error ? findCode(error.cause, depth + 1) : null;
}
