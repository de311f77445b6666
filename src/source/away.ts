import type { KnownSource } from "../core/known-source.ts";
import type { Name, ObjectId } from "../core/names.ts";
import { hasSameContext } from "./known-source.ts";
import type { Claim, Published } from "./publish-names.ts";
import type { Repository } from "./repository.ts";
import type { RegisteredModule, SourceFacts } from "./source-facts.ts";

/** A branch of which nothing can be read now: its source does not answer, and its commit is not here. */
export interface AwayBranch {
  readonly members: readonly RegisteredModule[];
  /** That was compared last; null: none was. */
  readonly commit: ObjectId | null;
  /** Null: it cannot be opened. */
  readonly repository: Repository | null;
  readonly why: string;
}

/** One module of it. What is known of it counts for others; whether it counts for itself, its folder would have to say. */
export interface AwayModule {
  readonly module: Name;
  readonly why: string;
  readonly known: KnownSource | null;
  /** Nothing of it would have to be read. */
  readonly holds: boolean;
}

export function claimsOf(away: readonly AwayModule[]): Claim[] {
  return away.flatMap(({ module, known }) => claimOf(module, known) ?? []);
}

/** What is recorded of a module's names. */
export function claimOf(module: Name, known: KnownSource | null): Claim | null {
  return known === null || known.language === null
    ? null
    : { module, language: known.language, names: known.publishes };
}

/** Those that would have to be read, with why they cannot be. */
export function listUnread(
  away: readonly AwayModule[],
  published: Published,
  factsKey: (module: Name) => string | null,
): Map<Name, string> {
  const unread = new Map<Name, string>();
  for (const { module, why, known, holds } of away)
    if (!holds || known === null || !hasSameContext(known, published.key(known.language ?? ""), factsKey))
      unread.set(module, sayAway(why));
  return unread;
}

export function sayAway(why: string): string {
  return `its source cannot be read: ${why}`;
}

/** Null: what its reading found holds. Otherwise its imports lead nowhere because nobody knows what others publish. */
export function doubtProblem({ problem }: SourceFacts, away: readonly AwayModule[]): string | null {
  const unknown = away.find(({ known }) => known === null);
  if (unknown === undefined || problem?.stage !== "import" || !problem.message.includes("no module publishes"))
    return null;
  return `${problem.message}; that may be ${unknown.module}, whose source cannot be read: ${unknown.why}`;
}
