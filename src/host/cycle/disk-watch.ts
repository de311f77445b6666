import type { TightDisk } from "../../core/tight-disk.ts";
import { describeFailure } from "../describe-failure.ts";
import type { Log } from "../log.ts";

export interface DiskWatchOptions {
  readonly find: () => Promise<readonly TightDisk[]>;
  readonly log: Log;
  /** Something is said now that was not, or no more. */
  readonly onChange: () => void;
}

export interface DiskWatch {
  /** As of the last look. */
  readonly tight: readonly TightDisk[];
  /** Never rejects: a disk that cannot be measured is said in the log, and what was known stays. */
  look(): Promise<void>;
}

/** Where this host has little or no room: in its log, and in each report, by folder (R33). */
export function createDiskWatch({ find, log, onChange }: DiskWatchOptions): DiskWatch {
  let tight: readonly TightDisk[] = [];
  return {
    get tight() {
      return tight;
    },
    async look() {
      try {
        const before = traceOfDisks(tight);
        tight = await find();
        if (traceOfDisks(tight) === before) return;
        for (const { folders, room, freeBytes } of tight)
          log.error("a disk is full, or nearly", { folders: folders.join(", "), room, freeBytes });
        if (tight.length === 0) log.info("there is room on every disk again", {});
        onChange();
      } catch (error) {
        log.error("the room on the disks cannot be measured", { why: describeFailure(error) });
      }
    },
  };
}

/** Which, and how much in a word: bytes move all the time. */
export function traceOfDisks(tight: readonly TightDisk[]): string {
  return JSON.stringify(tight.map(({ folders, room }) => [folders, room]));
}
