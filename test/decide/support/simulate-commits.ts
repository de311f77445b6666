import type { Digest, Name } from "../../../src/core/names.ts";
import { buildKey, type BuildFacts } from "../../../src/decide/build-facts.ts";
import { holdSources } from "../../../src/decide/hold-sources.ts";
import { planBuilds, type PlannedBuild } from "../../../src/decide/plan-builds.ts";
import { fitAndMoved, judge, withCommit } from "./build-mesh-of-modules.ts";

export interface CommitSimulation {
  readonly start: BuildFacts;
  /** Which module a commit of this second touches; null: none. */
  readonly commitAt: (second: number) => Name | null;
  readonly seconds: number;
  readonly buildSeconds: (module: Name) => number;
  readonly slots: number;
  /** Infinity: nothing is ever held. */
  readonly starvedAfterMs: number;
}

export interface Verdict {
  readonly module: Name;
  readonly second: number;
  /** Number of the module's commit that was judged. */
  readonly commit: number;
}

export interface SimulatedRun {
  readonly verdicts: readonly Verdict[];
  readonly built: readonly PlannedBuild[];
}

interface Running {
  readonly build: PlannedBuild;
  readonly commit: number;
  readonly endsAt: number;
}

/**
 * One second after the other, by the functions that the controller plans with: commits come in, are looked at unless
 * they are held, what is ready is built in free slots, what was started ends. Time is a variable.
 */
export function simulateCommits(options: CommitSimulation): SimulatedRun {
  let facts = options.start;
  const newest = new Map<Name, number>([...facts.modules.keys()].map((module) => [module, 1]));
  const taken = new Map(newest);
  const behindSince = new Map<Name, string>();
  let running: Running[] = [];
  const built: PlannedBuild[] = [];
  const verdicts: Verdict[] = [];
  for (let second = 0; second < options.seconds; second += 1) {
    const touched = options.commitAt(second);
    // Where nothing happens the plan is what it was: asked again only every ten seconds, for what time alone changes.
    if (touched === null && second % 10 !== 0 && running.every((one) => one.endsAt !== second)) continue;
    const now = timeOf(second);
    for (const ended of running.filter((one) => one.endsAt <= second)) {
      facts = judge(facts, ended.build, fitAndMoved);
      verdicts.push({ module: ended.build.module, second, commit: ended.commit });
      if (behindSince.has(ended.build.module)) behindSince.set(ended.build.module, now);
    }
    running = running.filter((one) => one.endsAt > second);
    facts = { ...facts, now, running: new Set(running.map(({ build }) => buildKey(build.module, build.inputs))) };
    if (touched !== null) newest.set(touched, (newest.get(touched) ?? 1) + 1);
    const held = holdSources({ facts, plan: planBuilds(facts), behindSince, starvedAfterMs: options.starvedAfterMs });
    for (const [module, commit] of newest) {
      if (taken.get(module) === commit || held.has(module)) continue;
      facts = withCommit(facts, module, commit);
      taken.set(module, commit);
    }
    const plan = planBuilds(facts);
    noteBehind(behindSince, [...plan.waiting, ...plan.ready, ...plan.building], now);
    const ready = plan.ready.toSorted((a, b) => sortKey(behindSince, a).localeCompare(sortKey(behindSince, b)));
    for (const build of ready.slice(0, options.slots - running.length)) {
      built.push(build);
      running.push({
        build,
        commit: taken.get(build.module) ?? 0,
        endsAt: second + options.buildSeconds(build.module),
      });
    }
  }
  return { verdicts, built };
}

function sortKey(behindSince: ReadonlyMap<Name, string>, { module }: { readonly module: Name }): string {
  return `${behindSince.get(module) ?? ""} ${module}`;
}

function noteBehind(behindSince: Map<Name, string>, behind: readonly { readonly module: Name }[], now: string): void {
  const names = new Set(behind.map(({ module }) => module));
  for (const module of behindSince.keys()) if (!names.has(module)) behindSince.delete(module);
  for (const module of names) if (!behindSince.has(module)) behindSince.set(module, now);
}

function timeOf(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}

/** The longest time without a verdict of this module, in seconds, from the beginning to the end. */
export function longestSilence(run: SimulatedRun, module: Name, seconds: number): number {
  const times = run.verdicts.filter((verdict) => verdict.module === module).map(({ second }) => second);
  const marks = [0, ...times, seconds];
  return Math.max(...marks.slice(1).map((mark, at) => mark - (marks[at] ?? 0)));
}

/** By artifact digest: every artifact it is made of, by module. Throws where a module is in it twice, differently. */
export function expectUnmixed(built: readonly PlannedBuild[]): void {
  const made = new Map<Digest, ReadonlyMap<Name, Digest>>();
  for (const build of built) {
    const parts = new Map<Name, Digest>();
    for (const [module, digest] of Object.entries(build.closure.dependencies)) {
      for (const [inner, part] of [...(made.get(digest) ?? []), [module, digest] as const]) {
        const before = parts.get(inner);
        if (before !== undefined && before !== part) throw new Error(`${build.module} mixes two builds of ${inner}`);
        parts.set(inner, part);
      }
    }
    const { artifact } = fitAndMoved(build);
    if (artifact) made.set(artifact, parts);
  }
}
