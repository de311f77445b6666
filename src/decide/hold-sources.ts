import type { Name } from "../core/names.ts";
import { ageMs } from "./ages.ts";
import type { BuildFacts } from "./build-facts.ts";
import { dependenciesOf } from "./build-graph.ts";
import type { BuildPlan } from "./plan-builds.ts";
import { compareText } from "./short-names.ts";

export interface HoldInput {
  readonly facts: BuildFacts;
  readonly plan: BuildPlan;
  /** ISO: since when a module is behind without a verdict. Not in it: it is not behind. */
  readonly behindSince: ReadonlyMap<Name, string>;
  /** A module that was behind for so long without a verdict is starved. */
  readonly starvedAfterMs: number;
}

/**
 * Whose newer commits are not taken yet, each with the module they wait for (R16, case 6). A module is only planned
 * against dependencies that are current, and a library whose commits come faster than its builds never is. So where a
 * module has waited past the bound, its own source and that of all it is built against stay as they were last looked
 * at until it has its verdict. Nothing of the planning changes: no closure mixes two builds, held or not.
 *
 * Never for what waits for a failure (unfit, outstanding, broken): there the newer commit is the cure.
 */
export function holdSources(input: HoldInput): Map<Name, Name> {
  const held = new Map<Name, Name>();
  for (const starved of listStarved(input)) if (!held.has(starved)) holdBelow(input.facts, starved, held);
  return held;
}

/** The longest behind first. */
function listStarved({ facts, plan, behindSince, starvedAfterMs }: HoldInput): Name[] {
  const moving = new Set([...plan.ready, ...plan.building].map((row) => row.module));
  const waiting = plan.waiting.filter((row) => row.for.every((root) => moving.has(root)));
  const behind = [...waiting, ...plan.ready, ...plan.building].flatMap(({ module }) => {
    const since = behindSince.get(module);
    return since === undefined ? [] : [{ module, since }];
  });
  return (
    behind
      // What is built against nothing starts as soon as there is a slot: its own commits are coalesced, that is enough.
      .filter(({ module }) => dependenciesOf(facts.modules.get(module)).length > 0)
      .filter(({ since }) => isHoldTime(ageMs(facts.now, since) - starvedAfterMs, starvedAfterMs))
      .toSorted((a, b) => compareText(a.since, b.since) || compareText(a.module, b.module))
      .map(({ module }) => module)
  );
}

/**
 * A wave of hours must not lock a library's mend out: a hold of four bounds is followed by a gap of one, in which the
 * newest is taken, and each hold is twice as long as the one before. So every wave that can end does.
 */
function isHoldTime(pastMs: number, boundMs: number): boolean {
  let restMs = pastMs;
  for (let holdMs = 4 * boundMs; restMs >= 0; holdMs *= 2) {
    if (restMs < holdMs) return true;
    restMs -= holdMs + boundMs;
  }
  return false;
}

/**
 * Holds the module, and everything it is built against, directly or not. What is held already waits for a module that is
 * behind for longer, and so does all below it: nobody goes there again.
 */
function holdBelow({ modules }: BuildFacts, starved: Name, held: Map<Name, Name>): void {
  const below = new Set([starved]);
  for (const module of below) {
    held.set(module, starved);
    for (const dependency of dependenciesOf(modules.get(module))) if (!held.has(dependency)) below.add(dependency);
  }
}
