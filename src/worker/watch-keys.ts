import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import { findExpiring } from "../link/find-expiring.ts";
import type { SigningKey } from "../link/keys.ts";
import type { Observation } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { keepSeen } from "./keep-seen.ts";
import { sayOpenGap } from "./keep-roots.ts";
import { watchTrouble } from "./note-trouble.ts";
import type { Trust, Walked } from "./trust.ts";

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
const urgentMs = 7 * 86_400_000;
const codes = ["key-expires-soon", "no-signing-key", "newest-key-elsewhere", "root-refused", "root-gap"] as const;

/** Goes on to newer roots, and says what ends soon or cannot sign (R33), until told to stop. */
export function watchKeys(options: WatchKeys): Watch {
  const baseMs = options.everyMs ?? everyMs;
  const said = { atMs: Number.NEGATIVE_INFINITY, what: "" };
  return keepLooking({
    ...options,
    trouble: watchTrouble(options, {
      code: "key-watch-failing",
      subject: "keys",
      what: "the keys could not be looked at",
      remedy: "see the controller's log; it tries again with growing pauses",
    }),
    failed: "looking at the keys failed",
    rhythm: { baseMs, longestMs: baseMs * 12 },
    async look() {
      await lookAtKeys(options, said);
      return "enough";
    },
  });
}

/** `said`: what was written down last, and when; this changes it. */
async function lookAtKeys(options: WatchKeys, said: { atMs: number; what: string }): Promise<void> {
  const { db, trust, log } = options;
  const before = trust.root.version;
  const walked = await trust.refresh(db);
  const { version } = trust.root;
  if (version !== before) log.info({ from: before, to: version }, "the root was replaced");
  const seen = findTroubles(options, walked);
  const what = seen.map(({ code, subject, urgent }) => `${code} ${subject} ${urgent}`).join("\n");
  if (what !== said.what || performance.now() - said.atMs >= sayEveryMs) {
    await keepSeen(options, codes, seen);
    Object.assign(said, { atMs: performance.now(), what });
  }
  await trust.saveRoots(db);
}

/** What of a role is not on this machine: the key to sign with, or the newest, to sign with when the one before it ends. */
function findKeyTroubles(trust: Trust, role: "declaration" | "provenance", nowMs: number): Observation[] {
  const missing = trust.missingKey(role);
  const copy =
    missing === null
      ? ""
      : `copy it from secrets/ of the folder where it was made to ${missing.file} (chmod 600), it is used without a restart; where it is lost: `;
  const rotate = `mesh keys rotate ${role}, then sign and publish the root that it writes`;
  let used: SigningKey;
  try {
    used = trust.signingKey(role);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ code: "no-signing-key", subject: role, message, remedy: copy + rotate, urgent: role === "declaration" }];
  }
  if (missing === null) return [];
  const { version, keys } = trust.root;
  const until = keys.find(({ publicKey }) => publicKey === used.publicKey)?.notAfter ?? "";
  return [
    {
      code: "newest-key-elsewhere",
      subject: role,
      message: `the newest ${role} key of root ${version}, ${missing.keyId}, is not on this machine: the controller signs with ${used.keyId}, which ends at ${until}, and with nothing after that`,
      remedy: copy + rotate,
      urgent: role === "declaration" && Date.parse(until) - nowMs < urgentMs,
    },
  ];
}

function findTroubles({ trust, nowMs }: WatchKeys, { refused, gaps }: Walked): Observation[] {
  const troubles: Observation[] = findExpiring(trust.root, nowMs()).map(({ subject, message, remedy, urgent }) => ({
    code: "key-expires-soon",
    subject,
    message,
    remedy,
    urgent,
  }));
  for (const role of ["declaration", "provenance"] as const) troubles.push(...findKeyTroubles(trust, role, nowMs()));
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
