import { createCompositionMemory, type CompositionMemory } from "../decide/composition-memory.ts";
import type { PushRecords } from "./push-records.ts";

const keptByRecords = new WeakMap<PushRecords, CompositionMemory>();

/** What looks at these records worked out: one memory for all pushes of this process, which dies with it. */
export function compositionsOf(records: PushRecords): CompositionMemory {
  const kept = keptByRecords.get(records) ?? createCompositionMemory();
  keptByRecords.set(records, kept);
  return kept;
}
