import { InputError, UnavailableError } from "../core/errors.ts";
import type { Name, ObjectId } from "../core/names.ts";
import { headKey } from "../source/compare-sources.ts";
import { clearCondition, listConditions, observeCondition } from "../store/conditions.ts";
import type { Database } from "../store/database.ts";
import { listHeads, recordLook, recordLookFailure, type SourceHead } from "../store/source-heads.ts";
import type { RepositoryPool } from "./repository-pool.ts";

export interface LookDependencies {
  readonly db: Database;
  readonly mesh: Name;
  readonly repositories: RepositoryPool;
}

export interface LookOptions {
  /** Which repositories; all where it is left out. */
  readonly isAsked?: (repository: Name) => boolean;
  readonly onLook?: (repository: Name, came: "answered" | "no answer") => void;
  /** Ends what is being asked. */
  readonly signal?: AbortSignal;
}

const code = "source-unreachable";

/** Each is a process of git: hundreds of sources are asked one after another, a few at a time. */
export const looksAtOnce = 8;

/**
 * Asks every repository once for the tips that modules follow, resolves each ref once (case 5) and keeps what it saw.
 * Where a repository does not answer, or a branch is gone, the last good tip stays, with a condition that names it
 * (case 4). Of one that is not asked it is the last good tip, too.
 */
export async function lookAtSources(
  deps: LookDependencies,
  options: LookOptions = {},
): Promise<ReadonlyMap<string, ObjectId | null>> {
  const all = await listHeads(deps.db, deps.mesh);
  const heads = all.filter((head) => options.isAsked?.(head.repository) ?? true);
  const said = await listSaid(deps);
  const resolved = new Map<string, ObjectId | null>();
  const byRepository = new Map<Name, SourceHead[]>();
  for (const head of heads) byRepository.set(head.repository, [...(byRepository.get(head.repository) ?? []), head]);
  const left = [...byRepository];
  const lookOn = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [repository, followed] = next;
      options.signal?.throwIfAborted();
      const tips = await lookAtOne({ ...deps, said, signal: options.signal }, repository, followed);
      options.onLook?.(repository, tips === "no answer" ? "no answer" : "answered");
      for (const head of followed) {
        const tip = tips === "no answer" ? null : (tips.get(head.branch) ?? null);
        // Said and kept as a failure by now: the last good tip stays.
        resolved.set(headKey(repository, head.branch), tip ?? head.commit);
      }
    }
  };
  await Promise.all(Array.from({ length: looksAtOnce }, lookOn));
  // In one order, whoever answered first.
  return new Map(
    all.map(({ repository, branch, commit }) => {
      const head = headKey(repository, branch);
      return [head, resolved.get(head) ?? commit];
    }),
  );
}

/** Also what a look beside this one said after the source had answered: the record alone would not show it. */
async function listSaid({ db, mesh }: LookDependencies): Promise<ReadonlySet<string>> {
  const conditions = await listConditions(db, mesh);
  return new Set(conditions.filter((one) => one.code === code).map((one) => one.subject));
}

async function lookAtOne(
  deps: LookDependencies & { readonly said: ReadonlySet<string>; readonly signal: AbortSignal | undefined },
  repository: Name,
  heads: readonly SourceHead[],
): Promise<ReadonlyMap<string, ObjectId | null> | "no answer"> {
  const url = heads[0]?.url ?? "";
  const askedMs = performance.now();
  let tips: ReadonlyMap<string, ObjectId | null>;
  try {
    const opened = await deps.repositories.open({ name: repository, url });
    tips = await opened.lookAtHeads(
      heads.map((head) => head.branch),
      deps.signal,
    );
  } catch (error) {
    // What was cut off says nothing of the source.
    deps.signal?.throwIfAborted();
    if (!isSourceFailure(error)) throw error;
    for (const head of heads) await noteFailure(deps, repository, head.branch, error.message);
    return "no answer";
  }
  const askedMsAgo = performance.now() - askedMs;
  for (const head of heads) {
    const commit = tips.get(head.branch) ?? null;
    if (commit === null) await noteFailure(deps, repository, head.branch, `there is no branch ${head.branch}`);
    else {
      await recordLook(deps.db, deps.mesh, { repository, branch: head.branch, commit, askedMsAgo });
      const condition = conditionOf(repository, head.branch);
      if (head.failingSince !== null || deps.said.has(condition.subject))
        await clearCondition(deps.db, deps.mesh, condition);
    }
  }
  return tips;
}

/** One repository's own: it did not answer, or its address is one that we refuse. It stops no other (case 4). */
export function isSourceFailure(error: unknown): error is UnavailableError | InputError {
  return error instanceof UnavailableError || error instanceof InputError;
}

/** Keeps that a source did not answer, in its record and as a condition; not for what nobody follows any more. */
export async function noteFailure(
  deps: LookDependencies,
  repository: Name,
  branch: string,
  failure: string,
): Promise<void> {
  if (!(await recordLookFailure(deps.db, deps.mesh, { repository, branch, failure }))) return;
  await observeCondition(deps.db, deps.mesh, {
    ...conditionOf(repository, branch),
    message: `${repository} (${branch}) cannot be looked at: ${withoutStop(failure)}. The last good commit stays.`,
    remedy: `check that the branch exists, and the address with \`mesh repo list\`: where it is another one now, \`mesh repo add ${repository} URL --moved\`; what was registered wrongly goes with \`mesh module remove\``,
    urgent: false,
  });
}

/** Of the same subject: it answers, and its tip does not come here. Closed by a tip that came, and by nothing else. */
export const fetchCode = "source-not-fetched";

/** Not for what nobody follows any more. */
export async function noteFetchFailure(
  deps: Pick<LookDependencies, "db" | "mesh">,
  { repository, branch }: Pick<SourceHead, "repository" | "branch">,
  failure: string,
): Promise<void> {
  if (!(await recordLookFailure(deps.db, deps.mesh, { repository, branch, failure }))) return;
  await observeCondition(deps.db, deps.mesh, {
    ...conditionOf(repository, branch, fetchCode),
    message: `${repository} (${branch}) answers, and its newest commit does not come here: ${withoutStop(failure)}. The last good commit stays.`,
    remedy: "see what keeps it away: the size of the repository, the disk of the controller, its network",
    urgent: false,
  });
}

/** git ends its own sentences. */
function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, "");
}

function conditionOf(repository: Name, branch: string, of: string = code): { code: string; subject: string } {
  return { code: of, subject: `${repository}#${branch}` };
}
