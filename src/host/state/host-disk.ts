import { atStep } from "../../core/failpoints.ts";
import type { Mark } from "../../decide/accept-declaration.ts";
import type { Refusal } from "../../core/report.ts";
import { readApplied, writeApplied, type Applied } from "./applied.ts";
import { readKeptDeclaration, writeKeptDeclaration } from "./kept-declaration.ts";
import { readMark, writeMark } from "./mark.ts";
import { readRefusals, writeRefusals } from "./refusals.ts";
import type { OnDamaged } from "./set-aside.ts";

/**
 * What the host keeps over a kill and a power cut. Each write is whole and durable when it returns, or it threw and the
 * old one is still there.
 */
export interface HostDisk {
  readKept(): Promise<Uint8Array | null>;
  writeKept(envelope: Uint8Array): Promise<void>;
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
    writeKept: (envelope) => atStep("host.inbox", () => writeKeptDeclaration(stateFolder, envelope)),
    readMark: () => readMark(stateFolder),
    writeMark: (mark) => atStep("host.mark", () => writeMark(stateFolder, mark)),
    readRefusals: () => readRefusals(stateFolder, onDamaged),
    writeRefusals: (refusals) => writeRefusals(stateFolder, refusals),
    readApplied: () => readApplied(stateFolder),
    writeApplied: (applied) => atStep("host.tracking", () => writeApplied(stateFolder, applied)),
  };
}
