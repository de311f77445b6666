import { errorCode } from "../core/errors.ts";
import type { DiskPlace } from "./disk-place.ts";
import { countInside, measureFolder, measureProcesses } from "./measure.ts";
import type { Mount, SandboxLimit, SandboxLimits } from "./sandbox.ts";

export interface Stop {
  readonly which: SandboxLimit;
  readonly message: string;
}

/** What was measured while it ran, and at its end: what it printed itself is no part of it. */
export interface Seen {
  /** The place that had no room left; null: all had some, at each look. */
  readonly fullDisk: string | null;
  /** Did it have as many processes as it may? Only where no control group counts them. */
  readonly processes: boolean;
}

export interface Watch {
  /** Where it writes, once that is there. */
  addPlace(place: DiskPlace): void;
  /** Look now, for a reason to: it may have cleaned up by the next look. */
  hint(): void;
  /** A last look, and what all of them saw. */
  end(): Promise<Seen>;
  close(): Promise<void>;
}

export interface CreateWatch {
  readonly limits: SandboxLimits;
  readonly writable: readonly Pick<Mount, "from" | "to">[];
  /** No control group counts its memory and its processes. */
  readonly isUngrouped: boolean;
  /** Its first process; null: it is not there yet. */
  readonly pid: () => number | null;
  readonly stop: (why: Stop) => void;
  readonly onProgress: (() => void) | undefined;
}

const everyMs = 250;
const diskEveryMs = 100;

/** The kernel refuses what is a little below the number too: some of its processes are bubblewrap's. */
const nearlyAll = 0.9;

/** What the kernel does not limit is looked at again and again; a look that is slow is taken less often. */
export function createWatch(watch: CreateWatch): Watch {
  const disks = watchDisks();
  const most = { processes: 0 };
  const lookAtProcesses = async (): Promise<void> => {
    const first = watch.pid();
    if (!watch.isUngrouped || first === null) return;
    const used = await measureProcesses(first);
    most.processes = Math.max(most.processes, used.processes);
    if (used.memoryBytes > watch.limits.memoryBytes)
      watch.stop({ which: "memory", message: `it needed more than ${watch.limits.memoryBytes} bytes of memory` });
    if (used.processes > watch.limits.processes)
      watch.stop({ which: "processes", message: `it started more than ${watch.limits.processes} processes` });
  };
  const look = async (): Promise<void> => {
    watch.onProgress?.();
    const full = await findOversize(watch);
    if (full !== null) watch.stop(full);
    else await lookAtProcesses();
  };
  const onFailure = (error: unknown): void =>
    watch.stop({ which: "disk", message: `what it does could not be measured: ${String(error)}` });
  const [every, disk] = [repeat(look, everyMs, onFailure), repeat(disks.look, diskEveryMs, onFailure)];
  const hinted = createHint(async () => {
    const first = watch.pid();
    // What cannot fork dies of it, and there are fewer the next moment.
    if (watch.isUngrouped && first !== null) most.processes = Math.max(most.processes, await countInside(first));
    await disks.look();
  }, onFailure);
  const stopLooking = async (): Promise<void> => {
    every();
    disk();
    await hinted.ended();
  };
  return {
    addPlace: disks.add,
    hint: hinted.hint,
    end: async () => {
      await stopLooking();
      await disks.look();
      return { fullDisk: disks.full(), processes: most.processes >= nearlyAll * watch.limits.processes };
    },
    close: async () => {
      await stopLooking();
      await disks.close();
    },
  };
}

function watchDisks() {
  const places: DiskPlace[] = [];
  let full: string | null = null;
  let closed = false;
  return {
    add: (place: DiskPlace): void => void places.push(place),
    full: () => full,
    look: async (): Promise<void> => {
      for (const place of places) if (!closed && (await place.isFull())) full ??= place.name;
    },
    close: async (): Promise<void> => {
      closed = true;
      for (const place of places.splice(0)) await place.close();
    },
  };
}

/** One look at a time, and no more of them than there are reasons. */
function createHint(look: () => Promise<void>, onFailure: (error: unknown) => void) {
  let running: Promise<void> | null = null;
  const state = { again: false, ended: false };
  const run = async (): Promise<void> => {
    do {
      state.again = false;
      await look();
    } while (state.again && !state.ended);
  };
  return {
    hint: (): void => {
      state.again = true;
      if (state.ended || running !== null) return;
      running = run()
        .catch(onFailure)
        .finally(() => (running = null));
    },
    ended: async (): Promise<void> => {
      state.ended = true;
      await running;
    },
  };
}

function repeat(look: () => Promise<void>, leastMs: number, onFailure: (error: unknown) => void): () => void {
  let timer: NodeJS.Timeout;
  let closed = false;
  const again = (delayMs: number): void => {
    if (closed) return;
    timer = setTimeout(() => {
      const begun = performance.now();
      look().then(() => again(Math.max(leastMs, 5 * (performance.now() - begun))), onFailure);
    }, delayMs);
  };
  again(leastMs);
  return () => {
    closed = true;
    clearTimeout(timer);
  };
}

/** The first folder that holds more than it may. */
export async function findOversize({
  writable,
  limits: { diskBytes },
}: Pick<CreateWatch, "writable" | "limits">): Promise<Stop | null> {
  for (const { from, to } of writable) {
    try {
      if ((await measureFolder(from, diskBytes)) > diskBytes)
        return { which: "disk", message: `it wrote more than ${diskBytes} bytes to ${to}` };
    } catch (error) {
      if (errorCode(error) === null) throw error;
      return { which: "disk", message: `what it wrote to ${to} could not be measured: ${String(error)}` };
    }
  }
  return null;
}

/** The first folder that holds nearly as much as one file may have: one that was to be larger ended there. */
export async function findAtBound({
  writable,
  limits: { diskBytes },
}: Pick<CreateWatch, "writable" | "limits">): Promise<string | null> {
  for (const { from, to } of writable) if ((await measureFolder(from, diskBytes)) >= (diskBytes / 16) * 15) return to;
  return null;
}
