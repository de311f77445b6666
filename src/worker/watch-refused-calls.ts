import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import type { RecordsAnswer } from "../link/gateway/gateway-context.ts";
import type { Database } from "../store/database.ts";
import { type LoopTrouble, watchTrouble } from "./note-trouble.ts";
import { refusalRemedy } from "./say-refusals.ts";

export interface RefusedCalls {
  /** Cheap for calls that go through. Never throws, waits for nothing. */
  readonly note: (answer: RecordsAnswer) => void;
  /** What was begun is written. */
  stop(): Promise<void>;
}

/** Callers are many, and each asks again: the condition is written so often at most. */
const everyMs = 10_000;

/**
 * What the records refuse to a caller of the gateway is the same urgent condition as what they refuse an activity (R33, R41),
 * one for each route. The first call of the route that comes through again ends it.
 */
export function watchRefusedCalls(options: {
  readonly db: Database;
  readonly mesh: Name;
  readonly log: Logger;
  /** Whose rights the gateway's connections have. */
  readonly who: string;
  readonly nowMs?: () => number;
}): RefusedCalls {
  const { who, nowMs = () => performance.now() } = options;
  const routes = new Map<string, { readonly trouble: LoopTrouble; saidMs: number | null }>();
  const stateOf = (route: string) => {
    const known = routes.get(route);
    if (known !== undefined) return known;
    const what = `the records refuse ${route} to ${who}`;
    const trouble = watchTrouble(options, {
      code: "records-refuse",
      subject: route,
      what,
      remedy: refusalRemedy,
      urgent: true,
    });
    const made = { trouble, saidMs: null };
    routes.set(route, made);
    return made;
  };
  // What each route has begun is in order already; this is only to wait for all of it.
  let begun: Promise<void> = Promise.resolve();
  const begin = (writing: Promise<void>): void => {
    begun = begun.then(() => writing);
  };
  return {
    note({ route, refused }) {
      const state = stateOf(route);
      if (refused === null) {
        state.saidMs = null;
        begin(state.trouble.fine());
        return;
      }
      if (state.saidMs !== null && nowMs() - state.saidMs < everyMs) return;
      state.saidMs = nowMs();
      begin(state.trouble.failed(refused));
    },
    async stop() {
      await begun;
    },
  };
}
