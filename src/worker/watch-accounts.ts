import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import type { Observation } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { listUnreadAccounts, type UnreadAccount } from "../store/read-accounts.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { keepSeen } from "./keep-seen.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface WatchAccounts {
  readonly db: Database;
  readonly mesh: Name;
  readonly log: Logger;
  readonly everyMs?: number;
}

/** All reports that are kept are read for it; a host whose report does not read mostly mends that itself within a minute. */
const everyMs = 300_000;

/** Says of which nodes the latest report does not read, for as long as it is so: they are *cannot tell*, and others go on (R26, R33). */
export function watchAccounts(options: WatchAccounts): Watch {
  const { db, mesh } = options;
  const failed = "it could not be looked whether what hosts reported reads";
  return keepLooking({
    ...options,
    trouble: watchTrouble(options, {
      code: "account-watch-failing",
      subject: "accounts",
      what: failed,
      remedy: "see the controller's log; it tries again with growing pauses",
    }),
    failed,
    rhythm: { baseMs: options.everyMs ?? everyMs, longestMs: 1_800_000 },
    async look() {
      await keepSeen(options, ["account-unreadable"], (await listUnreadAccounts(db, mesh)).map(sayUnread));
      return "enough";
    },
  });
}

function sayUnread({ node, why }: UnreadAccount): Observation {
  return {
    code: "account-unreadable",
    subject: node,
    message: `how ${node} stands cannot be told: ${why}`,
    remedy: `see that its host reports, which mends it: mesh why ${node}; does it stay, run the newer release again, or see who changes the records`,
    urgent: false,
  };
}
