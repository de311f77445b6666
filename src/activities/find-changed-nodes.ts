import { InputError } from "../core/errors.ts";
import type { Digest, Name } from "../core/names.ts";
import { findChanged } from "../decide/find-changed.ts";
import { compositionsOf } from "./compositions-of.ts";
import type { PushDependencies } from "./control-dependencies.ts";
import type { ChangedNodes } from "./control-types.ts";

/**
 * Recomputes what every machine should be and compares it with the baseline, or with what this push told it (R18). What
 * differs is kept as the targets of the next round, by name and with its reason.
 */
export async function findChangedNodes(
  deps: PushDependencies,
  request: { readonly push: string; readonly round: number },
): Promise<ChangedNodes> {
  const read = await deps.records.readChange(request.push);
  // As after a restore of records that were older than it: asking again would never end (R35).
  if (read === null) throw new InputError(`push ${request.push} is not in the records, or has no baseline`);
  const told = new Map<Name, Digest | null>();
  for (const one of read.told) told.set(one.node, one.digest);
  const sentLast = read.told.filter(({ round, outcome }) => round === request.round && outcome === "sent");
  const changed = findChanged({
    world: read.world,
    named: new Set(read.push.named),
    byPolicy: read.push.kind === "auto",
    baseline: read.baseline,
    told,
    sentLast: new Set(sentLast.map(({ node }) => node)),
    effects: read.effects,
    digestIn: compositionsOf(deps.records).lookAt(read.world),
  });
  const next = { push: request.push, round: request.round + 1 };
  if (changed.length > 0) await deps.records.recordTargets(next, changed);
  const count = changed.length === 0 ? 0 : await deps.records.countTargets(next);
  const first = changed.slice(0, 3).map((one) => `${one.node} (${one.why})`);
  return {
    count,
    firstNames: changed.slice(0, 50).map((one) => one.node),
    summary:
      count === 0 ? "settled" : `${first.join("; ")}${count > first.length ? ` and ${count - first.length} more` : ""}`,
  };
}
