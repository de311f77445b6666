import { atStep } from "../../core/failpoints.ts";
import type { Mark } from "../../decide/accept-declaration.ts";
import type { Refusal } from "../../core/report.ts";
import { readApplied, writeApplied, type Applied } from "./applied.ts";
import {
  keepNextDeclaration,
  readKeptDeclaration,
  readNextDeclaration,
  writeNextDeclaration,
} from "./kept-declaration.ts";
import { readMark, writeMark } from "./mark.ts";
import { readRefusals, writeRefusals } from "./refusals.ts";
import type { OnDamaged } from "./set-aside.ts";

/**
 * What the host keeps over a kill and a power cut. Each write is whole and durable when it returns, or it threw and the
 * old one is still there.
 */
export interface HostDisk {
  /** The envelope in force. */
  readKept(): Promise<Uint8Array | null>;
  /** One that was written beside it. It counts where the mark is of it. */
  readNext(): Promise<Uint8Array | null>;
  writeNext(envelope: Uint8Array): Promise<void>;
  /** What was written beside takes the place of the one in force; nothing where it has done so before. */
  keepNext(): Promise<void>;
  readMark(): Promise<Mark | null>;
  writeMark(mark: Mark): Promise<void>;
  readRefusals(): Promise<readonly Refusal[]>;
  writeRefusals(refusals: readonly Refusal[]): Promise<void>;
  readApplied(): Promise<Applied | null>;
  writeApplied(applied: Applied): Promise<void>;
}

export function createHostDisk(stateFolder: string, onDamaged: OnDamaged): HostDisk {
  return {
    readKept: () => readKeptDeclaration(stateFolder),
    readNext: () => readNextDeclaration(stateFolder),
    writeNext: (envelope) => atStep("host.inbox", () => writeNextDeclaration(stateFolder, envelope)),
    keepNext: () => keepNextDeclaration(stateFolder),
    readMark: () => readMark(stateFolder),
    writeMark: (mark) => atStep("host.mark", () => writeMark(stateFolder, mark)),
    readRefusals: () => readRefusals(stateFolder, onDamaged),
    writeRefusals: (refusals) => writeRefusals(stateFolder, refusals),
    readApplied: () => readApplied(stateFolder),
    writeApplied: (applied) => atStep("host.tracking", () => writeApplied(stateFolder, applied)),
  };
}
