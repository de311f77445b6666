import type { Digest, Name } from "../core/names.ts";
import { buildKey, type BuildFacts, type MadeBy } from "../decide/build-facts.ts";
import { findMaker, findMoved } from "../decide/explain-move.ts";
import type { BuildPlan } from "../decide/plan-builds.ts";
import { listMakers } from "../store/builds-to-plan.ts";
import type { Queryable } from "../store/database.ts";

/** Chains are followed this far, and this many artifacts are asked for at a time: more explains to nobody. */
const stepLimit = 50;
const artifactLimit = 2_000;

interface Asked {
  readonly module: Name;
  readonly before: Digest;
  readonly now: Digest;
}

/**
 * The builds that made what the ready ones were built against and what they would be: by them a reason is followed
 * down to the commit. Nothing is read where nothing beneath a module moved.
 */
export async function loadMakers(
  db: Queryable,
  mesh: Name,
  plan: BuildPlan,
  facts: BuildFacts,
): Promise<ReadonlyMap<string, MadeBy>> {
  const makers = new Map<string, MadeBy>();
  const asked = new Set<string>();
  let next = plan.ready.flatMap(({ module, closure }) =>
    listMoved(facts.modules.get(module)?.lastFit?.closure, closure),
  );
  for (let step = 0; step < stepLimit && next.length > 0; step += 1) {
    const wanted = next
      .flatMap(({ module, before, now }) => [before, now].map((artifact) => ({ module, artifact })))
      .filter(({ module, artifact }) => !asked.has(buildKey(module, artifact)))
      .slice(0, artifactLimit);
    if (wanted.length === 0) break;
    for (const { module, artifact } of wanted) asked.add(buildKey(module, artifact));
    for (const { module, artifact, closure, commit, moved } of await listMakers(db, mesh, wanted))
      if (artifact !== null) makers.set(buildKey(module, artifact), { closure, commit, moved });
    next = next.flatMap(({ module, before, now }) => {
      const reading = { modules: facts.modules, makers };
      const [was, is] = [findMaker(reading, module, before), findMaker(reading, module, now)];
      const moved =
        was === null || is === null || was.closure.tree !== is.closure.tree ? null : findMoved(was.closure, is.closure);
      return moved === null ? [] : [{ module: moved.dependency, before: moved.before, now: moved.now }];
    });
  }
  return makers;
}

function listMoved(was: MadeBy["closure"] | undefined, now: MadeBy["closure"]): Asked[] {
  return Object.entries(now.dependencies).flatMap(([module, digest]) => {
    const before = was?.dependencies[module];
    return before === undefined || before === digest ? [] : [{ module, before, now: digest }];
  });
}
