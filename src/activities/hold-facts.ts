import type { KnownSource } from "../core/known-source.ts";
import type { Name } from "../core/names.ts";
import { holdSources } from "../decide/hold-sources.ts";
import { holdTogether, type ReadSource } from "../decide/hold-together.ts";
import type { SourceFacts } from "../source/source-facts.ts";
import { type HeldCommit, listBehindSince } from "../store/held-sources.ts";
import type { ControlDependencies } from "./control-dependencies.ts";
import { keptFor, type PlanRecords } from "./kept-records.ts";
import { loadBuildPlan, type BuildSurroundings } from "./load-build-facts.ts";

export interface HeldFacts {
  /** That are taken. */
  readonly facts: readonly SourceFacts[];
  readonly heldCommits: readonly HeldCommit[];
}

/** Without those of modules whose newer commit has to wait: they stay as they were last looked at (R16, case 6). */
export async function holdFacts(
  deps: ControlDependencies,
  { modules, edgesOf, known }: Pick<PlanRecords, "modules" | "edgesOf" | "known">,
  seen: readonly SourceFacts[],
): Promise<HeldFacts> {
  const held = await readHeld(deps);
  if (held.size === 0) return { facts: seen, heldCommits: [] };
  const taken = new Map(modules.map((module) => [module.name, module.sourceCommit]));
  const read = seen.flatMap(({ module, commit, edges, known: now }): ReadSource[] => {
    if (commit === null) return [];
    const isNamedAnew = !isNamedAs(known.get(module) ?? null, now);
    return [{ module, commit: commit.id, before: taken.get(module) ?? null, edges, isNamedAnew }];
  });
  const waits = holdTogether({ read, edgesOf, held });
  const heldCommits = read.flatMap(({ module: name, commit, before }): HeldCommit[] => {
    const waitsFor = waits.get(name);
    // What is only read again, at the commit that is taken, has none that is newer.
    return waitsFor === undefined || commit === before ? [] : [{ name, commit, waitsFor }];
  });
  return { facts: seen.filter(({ module }) => !waits.has(module)), heldCommits };
}

/** By what others import it, and by what they read of it to find where that leads. */
function isNamedAs(before: KnownSource | null, now: KnownSource | null): boolean {
  return (
    before !== null &&
    now !== null &&
    before.language === now.language &&
    before.factsKey === now.factsKey &&
    before.publishes.length === now.publishes.length &&
    before.publishes.every((name, at) => now.publishes[at] === name)
  );
}

async function readHeld(deps: ControlDependencies): Promise<ReadonlyMap<Name, Name>> {
  const behindSince = await listBehindSince(deps.db, deps.mesh);
  if (behindSince.size === 0) return new Map();
  const { facts, plan } = await loadBuildPlan(deps.db, deps.mesh, surroundingsOf(deps));
  return holdSources({ facts, plan, behindSince, starvedAfterMs: deps.starvedAfterMs });
}

export function surroundingsOf(deps: ControlDependencies): BuildSurroundings {
  return {
    toolchains: deps.describeToolchains(),
    builders: deps.builders,
    settingsFor: deps.settingsFor,
    running: new Set(),
    now: new Date(deps.nowMs()).toISOString(),
    lostAfterMs: deps.lostAfterMs,
    kept: keptFor(deps.db, deps.mesh),
  };
}
