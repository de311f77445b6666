import type { Applied } from "../../../src/host/state/applied.ts";
import type { HostDisk } from "../../../src/host/state/host-disk.ts";
import type { Refusal } from "../../../src/core/report.ts";
import type { Mark } from "../../../src/decide/accept-declaration.ts";

/** What a host's disk holds. A write that a kill cuts is there whole or not at all: it is a rename. */
export interface DiskContent {
  kept: Uint8Array | null;
  next: Uint8Array | null;
  mark: Mark | null;
  refusals: readonly Refusal[];
  applied: Applied | null;
  boot: number;
}

export function emptyDisk(): DiskContent {
  return { kept: null, next: null, mark: null, refusals: [], applied: null, boot: 0 };
}

export interface DiskFaults {
  writeMs(): number;
  /** No space is left. */
  isFull(): boolean;
}

/** `pass` belongs to the host's process: a kill in the middle of a write leaves the old content. */
export function createModelDisk(
  content: DiskContent,
  faults: DiskFaults,
  pass: (ms: number) => Promise<void>,
): HostDisk {
  const write = async (put: () => void): Promise<void> => {
    await pass(faults.writeMs());
    if (faults.isFull()) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    put();
  };
  return {
    readKept: () => Promise.resolve(content.kept),
    readNext: () => Promise.resolve(content.next),
    writeNext: (envelope) => write(() => void (content.next = envelope)),
    keepNext: () =>
      write(() => {
        content.kept = content.next ?? content.kept;
        content.next = null;
      }),
    readMark: () => Promise.resolve(content.mark),
    writeMark: (mark) => write(() => void (content.mark = mark)),
    readRefusals: () => Promise.resolve(content.refusals),
    writeRefusals: (refusals) => write(() => void (content.refusals = refusals)),
    readApplied: () => Promise.resolve(content.applied),
    writeApplied: (applied) => write(() => void (content.applied = applied)),
  };
}
