import fc from "fast-check";
import { listPrunable } from "../../../src/activities/prune-records.ts";
import { whyStays } from "../../../src/decide/plan-prune.ts";
import type { PruneBatch } from "../../../src/store/prune/prune-table.ts";
import type { StoreUnderContract } from "./both-stores.ts";

export const pruneAct = fc.record({
  act: fc.constant("prune" as const),
  back: fc.constantFrom(0, 0, 0, 1),
  last: fc.integer({ min: 1, max: 2 }),
});

/** Nothing is too young: what stays is needed. Answers what was read, as far as both must read it, and how many went. */
export async function pruneBoth(
  { prune }: StoreUnderContract,
  epoch: number,
  { back, last }: { readonly back: number; readonly last: number },
): Promise<unknown> {
  const bounds = { keepMs: 0, last };
  const from = { after: null, bounds, ofEach: 1_000 };
  const answers: unknown[] = [];
  for (const kind of prune.kinds.filter((one) => twinKinds.includes(one))) {
    const seen = await prune.read(kind, from);
    answers.push(seen.records.map(({ record }) => whyStays(record, bounds) ?? "").toSorted(byWord));
    const request = { epoch: epoch - back, from, choose: (batch: PruneBatch) => listPrunable(batch, bounds) };
    answers.push(await prune.prune(kind, request));
  }
  return answers;
}

const twinKinds: readonly string[] = ["declarations", "told", "targets", "pushes"];

function byWord(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
