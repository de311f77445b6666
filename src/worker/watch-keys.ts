import { backOffMs } from "../decide/back-off.ts";
import { watchTrouble } from "./note-trouble.ts";
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import { findExpiring } from "../link/find-expiring.ts";
import { clearCondition, listConditions, observeCondition, type Observation } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { sayOpenGap } from "./keep-roots.ts";
import type { Trust, Walked } from "./trust.ts";

export interface KeyWatch {
  stop(): Promise<void>;
}

export interface WatchKeys {
  readonly db: Database;
  readonly mesh: Name;
  readonly trust: Trust;
  readonly log: Logger;
  readonly nowMs: () => number;
  readonly everyMs?: number;
}

/** A root that was published is gone by within this time. */
const everyMs = 5_000;
/** What it says changes by days: it is written down again this seldom. */
const sayEveryMs = 60_000;
const codes = ["key-expires-soon", "no-signing-key", "root-refused", "root-gap"] as const;

/** Goes on to newer roots, and says what ends soon or cannot sign (R33), until told to stop. */
export function watchKeys(options: WatchKeys): KeyWatch {
  const stopped = new AbortController();
  const trouble = watchTrouble(options, {
    code: "key-watch-failing",
    subject: "keys",
    what: "the keys could not be looked at",
    remedy: "see the controller's log; it tries again with growing pauses",
  });
  const running = loop();

  async function loop(): Promise<void> {
    let failures = 0;
    let said = { atMs: Number.NEGATIVE_INFINITY, what: "" };
    while (!stopped.signal.aborted) {
      try {
        const before = options.trust.root.version;
        const walked = await options.trust.refresh(options.db);
        const { version } = options.trust.root;
        if (version !== before) options.log.info({ from: before, to: version }, "the root was replaced");
        const seen = findTroubles(options, walked);
        const what = seen.map(({ code, subject }) => `${code} ${subject}`).join("\n");
        if (what !== said.what || performance.now() - said.atMs >= sayEveryMs) {
          await writeTroubles(options, seen);
          said = { atMs: performance.now(), what };
        }
        await options.trust.saveRoots(options.db);
        failures = 0;
        await trouble.fine();
      } catch (error) {
        failures += 1;
        options.log.error({ err: error, failures }, "looking at the keys failed");
        await trouble.failed(error);
      }
      const baseMs = options.everyMs ?? everyMs;
      await pause(backOffMs({ baseMs, longestMs: baseMs * 12 }, failures, Math.random()));
    }
  }

  async function pause(ms: number): Promise<void> {
    try {
      await wait(ms, undefined, { signal: stopped.signal });
    } catch (error) {
      // absence is the answer: stopped while it waited
      if (!stopped.signal.aborted) throw error;
    }
  }

  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

function findTroubles({ trust, nowMs }: WatchKeys, { refused, gaps }: Walked): Observation[] {
  const troubles: Observation[] = findExpiring(trust.root, nowMs()).map(({ subject, message, remedy, urgent }) => ({
    code: "key-expires-soon",
    subject,
    message,
    remedy,
    urgent,
  }));
  for (const role of ["declaration", "provenance"] as const) {
    try {
      trust.signingKey(role);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const remedy = `mesh keys rotate ${role}, then sign and publish the root that it writes`;
      troubles.push({ code: "no-signing-key", subject: role, message, remedy, urgent: role === "declaration" });
    }
  }
  if (refused !== null)
    troubles.push({
      code: "root-refused",
      subject: "records",
      message: refused.message,
      remedy: `${refused.remedy}, and find out who wrote it`,
      urgent: true,
    });
  for (const gap of gaps)
    troubles.push({
      code: "root-gap",
      subject: gap.from === gap.to ? `root ${gap.from}` : `roots ${gap.from} to ${gap.to}`,
      message: sayOpenGap(gap),
      remedy:
        "mesh keys root publish FILE... with all that is missing: from a copy of keys/roots, or the drafts that were published; " +
        `where nobody has it, hosts that need it enrol again; where nobody signed root ${gap.to + 1}, remove its row of root_document`,
      urgent: true,
    });
  return troubles;
}

/** Opened and closed by what they watch. */
async function writeTroubles({ db, mesh }: WatchKeys, seen: readonly Observation[]): Promise<void> {
  for (const one of seen) await observeCondition(db, mesh, one);
  const isSeen = (code: string, subject: string): boolean =>
    seen.some((one) => one.code === code && one.subject === subject);
  for (const { code, subject } of await listConditions(db, mesh))
    if (codes.some((one) => one === code) && !isSeen(code, subject)) await clearCondition(db, mesh, { code, subject });
}
