import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import type { Stranger } from "../link/gateway/gateway-context.ts";
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
const code = "unknown-host";
/** The one subject of all names that no node has, and no name itself: callers fill no table. */
const others = "no node";

interface Calls {
  count: number;
  last: Stranger;
}

/**
 * Says who calls as a host with a key that these records do not know (R33): a host whose enrolment was lost with restored
 * records, an older life of a node, or an attacker. At most one condition for each registered node, and one for the rest.
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
      const key = heard.size < mostNames || heard.has(stranger.node) ? stranger.node : others;
      heard.set(key, { count: (heard.get(key)?.count ?? 0) + 1, last: stranger });
    },
  };
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
  await clearQuietConditions(db, mesh, { code, quietMs: ms });
  await clearBeforeEnrolment(db, mesh, code);
  return (await listConditions(db, mesh)).some((one) => one.code === code);
}

function describeCalls(
  heard: readonly (readonly [string, Calls])[],
  tally: Map<string, number>,
  registered: ReadonlySet<string>,
): Observation[] {
  const last = new Map<string, Stranger>();
  for (const [name, { count, last: stranger }] of heard) {
    const subject = registered.has(name) ? name : others;
    tally.set(subject, (tally.get(subject) ?? 0) + count);
    last.set(subject, stranger);
  }
  return [...last].map(([subject, stranger]) => describe(subject, stranger, tally.get(subject) ?? 0));
}

function describe(subject: string, { node, why }: Stranger, calls: number): Observation {
  const times = calls === 1 ? "one call" : `${calls} calls`;
  if (subject === others) {
    return {
      code,
      subject,
      message: `a host that calls itself ${node} presents a key, and no node has that name; ${times} of this kind since the controller started`,
      remedy: `where the records were restored to before it was registered: mesh node add ${node} --address ADDRESS, then on that machine mesh host enrol with the --dir that it has; else find out who calls`,
      urgent: false,
    };
  }
  if (why === "removed") {
    return {
      code,
      subject,
      message: `a host presents itself as ${node}, which was removed from this mesh; it is refused, and may still run what it was sent; ${times} since the controller started`,
      remedy: `end the host on that machine; where it belongs to the mesh after all: mesh node add ${node} --address ADDRESS, then mesh host enrol there with the --dir that it has`,
      urgent: false,
    };
  }
  const what = why === "not-enrolled" ? "and no host is enrolled as it" : "with another key than its enrolled host's";
  return {
    code,
    subject,
    message: `a host presents itself as ${node}, ${what}; ${times} since the controller started`,
    remedy: `where the records were restored to before its enrolment: mesh host token ${node}, then on that machine mesh host enrol with the --dir that it has (a host of mesh up's examples: start mesh up again); where another host was enrolled in its place, end the old one; else find out who calls`,
    urgent: false,
  };
}
