import type { Logger } from "pino";
import { describeDuration } from "../core/durations.ts";
import type { Name } from "../core/names.ts";
import type { Stranger } from "../link/gateway/gateway-context.ts";
import { proofWindowMs } from "../link/proof.ts";
import {
  clearBeforeEnrolment,
  clearQuietConditions,
  listConditions,
  observeCondition,
  type Observation,
} from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { listNodes } from "../store/nodes.ts";
import { listRemovedNodes } from "../store/remove-node.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface StrangerWatch extends Watch {
  /** Cheap, however often: what is kept is written down a few times a minute. */
  readonly note: (stranger: Stranger) => void;
}

export interface WatchStrangers {
  readonly db: Database;
  readonly mesh: Name;
  readonly log: Logger;
  readonly everyMs?: number;
  /** After so long without such a call the condition is over. */
  readonly quietMs?: number;
}

const everyMs = 10_000;
/** A host that is refused asks at least once a minute. */
const quietMs = 300_000;
/** Names kept between two looks: anybody can call, under any name. */
const mostNames = 100;
const codes = ["unknown-host", "host-clock"] as const;
type Code = (typeof codes)[number];
/** The one subject of all names that no node has, and no name itself: callers fill no table. */
const others = "no node";

interface Calls {
  count: number;
  last: Stranger;
}

/**
 * Says who calls as a host with a key that these records do not know (R33): a host whose enrolment was lost with restored
 * records, an older life of a node, or an attacker; and which host is refused for its clock. At most one condition of a kind
 * for each registered node, and one for the rest.
 */
export function watchStrangers(options: WatchStrangers): StrangerWatch {
  const heard = new Map<string, Calls>();
  const tally = new Map<string, number>();
  // What a controller before left open.
  let isOpen = true;
  const watch = keepLooking({
    ...options,
    trouble: watchTrouble(options, {
      code: "stranger-watch-failing",
      subject: "hosts",
      what: "it could not be kept who calls without being known",
      remedy: "see the controller's log; it tries again with growing pauses",
    }),
    failed: "it could not be kept who calls without being known",
    rhythm: { baseMs: options.everyMs ?? everyMs, longestMs: 300_000 },
    async look() {
      const { db, mesh } = options;
      if (heard.size > 0) {
        isOpen = true;
        for (const seen of describeCalls(takeAll(heard), tally, await listNames(db, mesh)))
          await observeCondition(db, mesh, seen);
      }
      if (isOpen) isOpen = await endQuiet(options);
      return "enough";
    },
  });
  return {
    ...watch,
    note: (stranger) => {
      const own = `${codeOf(stranger)} ${stranger.node}`;
      const key = heard.size < mostNames || heard.has(own) ? own : `${codeOf(stranger)} ${others}`;
      heard.set(key, { count: (heard.get(key)?.count ?? 0) + 1, last: stranger });
    },
  };
}

function codeOf({ why }: Stranger): Code {
  return why === "clock" ? "host-clock" : "unknown-host";
}

function takeAll(heard: Map<string, Calls>): (readonly [string, Calls])[] {
  const all = [...heard];
  heard.clear();
  return all;
}

async function listNames(db: Database, mesh: Name): Promise<ReadonlySet<string>> {
  const removed = await listRemovedNodes(db, mesh);
  return new Set([...(await listNodes(db, mesh)), ...removed].map(({ name }) => name));
}

/** Whether one is still open. */
async function endQuiet({ db, mesh, quietMs: ms = quietMs }: WatchStrangers): Promise<boolean> {
  for (const code of codes) {
    await clearQuietConditions(db, mesh, { code, quietMs: ms });
    await clearBeforeEnrolment(db, mesh, code);
  }
  return (await listConditions(db, mesh)).some((one) => codes.some((code) => code === one.code));
}

function describeCalls(
  heard: readonly (readonly [string, Calls])[],
  tally: Map<string, number>,
  registered: ReadonlySet<string>,
): Observation[] {
  const last = new Map<string, Stranger>();
  for (const [key, { count, last: stranger }] of heard) {
    const name = key.slice(key.indexOf(" ") + 1);
    const subject = `${codeOf(stranger)} ${registered.has(name) ? name : others}`;
    tally.set(subject, (tally.get(subject) ?? 0) + count);
    last.set(subject, stranger);
  }
  return [...last].map(([key, stranger]) => {
    const subject = key.slice(key.indexOf(" ") + 1);
    return { code: codeOf(stranger), subject, urgent: false, ...describe(subject, stranger, tally.get(key) ?? 0) };
  });
}

function describe(
  subject: string,
  stranger: Stranger,
  calls: number,
): { readonly message: string; readonly remedy: string } {
  const { node, why } = stranger;
  const times = calls === 1 ? "one call" : `${calls} calls`;
  if (why === "clock") {
    const apart = `${describeDuration(Math.abs(stranger.behindMs))} ${stranger.behindMs > 0 ? "behind" : "ahead of"} the controller's`;
    return {
      message: `the clock of host ${node} is ${apart}: its calls are refused, so it gets nothing and its reports are not kept; ${times} since the controller started`,
      remedy: `set the clock of that machine, or the controller's where that one is wrong, and keep them within ${describeDuration(proofWindowMs)} (NTP); the host goes on by itself`,
    };
  }
  if (subject === others) {
    return {
      message: `a host that calls itself ${node} presents a key, and no node has that name; ${times} of this kind since the controller started`,
      remedy: `where the records were restored to before it was registered: mesh node add ${node} --address ADDRESS, then on that machine mesh host enrol with the --dir that it has; else find out who calls`,
    };
  }
  if (why === "removed") {
    return {
      message: `a host presents itself as ${node}, which was removed from this mesh; it is refused, and may still run what it was sent; ${times} since the controller started`,
      remedy: `end the host on that machine; where it belongs to the mesh after all: mesh node add ${node} --address ADDRESS, then mesh host enrol there with the --dir that it has`,
    };
  }
  const what = why === "not-enrolled" ? "and no host is enrolled as it" : "with another key than its enrolled host's";
  return {
    message: `a host presents itself as ${node}, ${what}; ${times} since the controller started`,
    remedy: `where the records were restored to before its enrolment: mesh host token ${node}, then on that machine mesh host enrol with the --dir that it has (a host of mesh up's examples: start mesh up again); where another host was enrolled in its place, end the old one; else find out who calls`,
  };
}
