import type { ExitCode } from "../decide/exit-code.ts";
import type { ModuleRecord } from "../store/modules.ts";
import type { SourceHead } from "../store/source-heads.ts";

/** How well a branch is known. `not-yet`: nobody looked since the request, or compared what was seen. */
export interface SourceLook extends Pick<
  SourceHead,
  "repository" | "branch" | "lookedAt" | "failingSince" | "failure"
> {
  readonly look: "seen" | "not-yet" | "failing";
}

/**
 * Whether it was asked after the request, and what it answered is compared. A failure of before says nothing: what made it
 * may be put right since.
 */
export function wasLookedAt(head: SourceHead, since: string): boolean {
  if (head.failure !== null) return head.failedAt !== null && head.failedAt >= since;
  return head.lookedAt !== null && head.lookedAt >= since && head.comparedCommit === head.commit;
}

/**
 * How well the sources of these modules are known. `since`: the request, ISO: a look that was asked for before it says nothing
 * of what was pushed a moment ago.
 */
export function judgeLooks(
  heads: readonly SourceHead[],
  modules: readonly Pick<ModuleRecord, "repository" | "branch">[],
  since: string,
): SourceLook[] {
  // A branch has no blank in its name.
  const followed = new Set(modules.map(({ repository, branch }) => `${repository} ${branch}`));
  return heads
    .filter(({ repository, branch }) => followed.has(`${repository} ${branch}`))
    .map(({ repository, branch, lookedAt, commit, comparedCommit, failingSince, failure }) => {
      const isFresh = lookedAt !== null && lookedAt >= since;
      const look = failure !== null ? "failing" : isFresh && comparedCommit === commit ? "seen" : "not-yet";
      return { repository, branch, lookedAt, failingSince, failure, look };
    });
}

/** Of a tip that was not seen nobody knows that it is still the one that was built: not 0 (R48). */
export function buildCode(
  modules: readonly Pick<ModuleRecord, "standing">[],
  looks: readonly Pick<SourceLook, "look">[],
): ExitCode {
  if (modules.some(({ standing }) => standing === "unfit" || standing === "broken")) return 2;
  if (modules.some(({ standing }) => standing === "cannot-tell")) return 3;
  if (looks.some(({ look }) => look === "failing")) return 3;
  const isCurrent = modules.every(({ standing }) => standing === "current");
  return isCurrent && looks.every(({ look }) => look === "seen") ? 0 : 1;
}
