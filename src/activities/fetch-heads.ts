import type { Condition } from "../core/condition.ts";
import type { Name, ObjectId } from "../core/names.ts";
import { headKey } from "../source/compare-sources.ts";
import type { Repository } from "../source/repository.ts";
import { clearCondition } from "../store/conditions.ts";
import { listHeads } from "../store/source-heads.ts";
import type { ControlDependencies } from "./control-dependencies.ts";
import { createFetchDesk, fetchBounds, type FetchDesk, listBrought, type WantedTip } from "./fetch-desk.ts";
import { isSourceFailure, noteFetchFailure } from "./look-at-sources.ts";

const desks = new WeakMap<ControlDependencies, FetchDesk>();

function deskOf(deps: ControlDependencies): FetchDesk {
  const desk = desks.get(deps) ?? createFetchDesk(deps.fetches ?? fetchBounds, isSourceFailure);
  desks.set(deps, desk);
  return desk;
}

export interface FetchedHeads {
  readonly heads: ReadonlyMap<string, ObjectId | null>;
  /** By `headKey`: why nothing of it can be read. */
  readonly away: ReadonlyMap<string, string>;
  readonly brought: ReturnType<typeof listBrought>;
}

/**
 * Brings the tips here. Where that fails, or lasts, the last tip that was compared stays: one bad source stops no other. What
 * is not here either, never answered, or cannot be opened, is away: its modules keep what is known of them. The answer and
 * what is noted are the same in whatever order sources answer.
 */
export async function fetchHeads(
  deps: ControlDependencies,
  repositories: ReadonlyMap<Name, Repository>,
  {
    looked,
    silent,
    unfetched,
    signal,
  }: {
    readonly looked: ReadonlyMap<string, ObjectId | null>;
    /** Repositories that did not answer the look. */
    readonly silent: ReadonlySet<Name>;
    readonly unfetched: readonly Condition[];
    readonly signal: AbortSignal;
  },
): Promise<FetchedHeads> {
  const heads = new Map(looked);
  const away = new Map<string, string>();
  const wanted = new Map<Repository, WantedTip[]>();
  const followed = await listHeads(deps.db, deps.mesh);
  for (const { repository: name, branch, failure } of followed) {
    const head = headKey(name, branch);
    const commit = heads.get(head) ?? null;
    const repository = repositories.get(name);
    if (repository === undefined) heads.set(head, null);
    if (repository === undefined || (commit === null && silent.has(name)))
      away.set(head, failure ?? "it did not answer");
    if (commit === null || repository === undefined) continue;
    wanted.set(repository, [...(wanted.get(repository) ?? []), { head, branch, commit }]);
  }
  const answers = await deskOf(deps).fetchAll(wanted, signal);
  for (const one of followed) {
    const head = headKey(one.repository, one.branch);
    const answer = answers.get(head);
    if (answer === undefined) continue;
    const hasCompared = answer !== null && (await isHere(repositories.get(one.repository), one.comparedCommit));
    // It is here: another branch of its source is what lasts, or the tip that did not come is its tip no more.
    if (answer === null || (hasCompared && heads.get(head) === one.comparedCommit)) {
      for (const { code, subject } of unfetched)
        if (subject === head) await clearCondition(deps.db, deps.mesh, { code, subject });
      continue;
    }
    await noteFetchFailure(deps, one, answer.message);
    heads.set(head, one.comparedCommit);
    if (!hasCompared) away.set(head, answer.message);
  }
  return { heads, away, brought: listBrought(wanted, answers) };
}

async function isHere(repository: Repository | undefined, commit: ObjectId | null): Promise<boolean> {
  if (repository === undefined || commit === null) return false;
  try {
    return await repository.hasObject(commit);
  } catch (error) {
    if (!isSourceFailure(error)) throw error;
    // absence is the answer: the clone was damaged, and is thrown away
    return false;
  }
}
