import type { Logger } from "pino";
import type { Name } from "../core/names.ts";
import { conditionOfDisk, sayHowMuch, sayRoom, type TightDisk } from "../core/tight-disk.ts";
import { findTightDisks } from "../disk/measure-room.ts";
import type { Observation } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { listTightHosts } from "../store/tight-hosts.ts";
import { keepLooking, type Watch } from "./keep-looking.ts";
import { keepSeen } from "./keep-seen.ts";
import { watchTrouble } from "./note-trouble.ts";

export interface WatchDisks {
  readonly db: Database;
  readonly mesh: Name;
  readonly log: Logger;
  /** Of this machine. */
  readonly folders: readonly string[];
  readonly everyMs?: number;
}

const everyMs = 30_000;
/** Hosts that are said at a time. */
const most = 1000;
const codes = ["disk-full", "host-disk-full"] as const;

/**
 * Says which disk of this machine, and of a host by its own report, has little or no room, for as long as it is so (R33).
 * In the log first: with PostgreSQL on that disk the records may take nothing more.
 */
export function watchDisks(options: WatchDisks): Watch {
  const { db, mesh, log, folders } = options;
  let logged = "";
  return keepLooking({
    ...options,
    trouble: watchTrouble(options, {
      code: "disk-watch-failing",
      subject: "disks",
      what: "it could not be looked how much room there is",
      remedy: "see the controller's log, and whether PostgreSQL can write",
    }),
    failed: "it could not be looked how much room there is",
    rhythm: { baseMs: options.everyMs ?? everyMs, longestMs: 300_000 },
    async look() {
      const here = (await findTightDisks(folders)).map(conditionOfDisk);
      const now = here.map(({ subject, urgent }) => `${subject} ${urgent}`).join();
      if (now !== logged) for (const { message } of here) log.error({ code: "disk-full" }, message);
      logged = now;
      const hosts = await listTightHosts(db, mesh, most);
      const there = hosts.flatMap(({ node, disks, receivedAt }) =>
        disks.map((disk) => sayOfHost(node, disk, receivedAt)),
      );
      await keepSeen({ db, mesh }, codes, [...here, ...there]);
      return "enough";
    },
  });
}

function sayOfHost(node: Name, disk: TightDisk, at: string): Observation {
  const [folder = ""] = disk.folders;
  return {
    code: "host-disk-full",
    subject: `${node} ${folder}`,
    message: `the disk of ${disk.folders.join(", ")} on ${node} has ${sayHowMuch(disk)}: ${sayRoom(disk)}, as its host said at ${at}`,
    remedy: `make room on ${node}, on the disk of ${folder}: its host goes on by itself`,
    urgent: disk.room === "none",
  };
}
