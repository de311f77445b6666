import type { Name } from "../core/names.ts";
import { type FollowedBranch, judgeSource, type SourceKnowledge } from "../decide/judge-source.ts";
import { listConditions } from "../store/conditions.ts";
import { readClock } from "../store/read-clock.ts";
import { readListening } from "../store/read-listening.ts";
import { listFollowed } from "../store/source-heads.ts";
import type { MeshConnection } from "./mesh-connection.ts";
import { situationLimits } from "./situation-limits.ts";

/** What is known of sources at one moment, by the rule that `mesh status` has. */
export interface KnownSources {
  /** By the database's clock, as the looks are. */
  readonly now: Date;
  readonly of: (module: Name) => SourceKnowledge;
  readonly branchOf: (module: Name) => FollowedBranch | null;
  /** What helps where something cannot be told. */
  readonly remedy: string;
}

export async function knowSources({ db, mesh, setup }: MeshConnection): Promise<KnownSources> {
  const [now, listening, followed] = [await readClock(db), await readListening(db, mesh), await listFollowed(db, mesh)];
  const branchOf = (module: Name): FollowedBranch | null => followed.get(module) ?? null;
  return {
    now: new Date(now),
    of: (module) => judgeSource(branchOf(module), { now, listening, limits: situationLimits(setup) }),
    branchOf,
    remedy: nextWhereUntold({
      acts: listening.by === "controller",
      conditions: (await listConditions(db, mesh)).length,
    }),
  };
}

/** The command that helps where something cannot be told: what is wrong says itself, else a look says it. */
export function nextWhereUntold({ acts, conditions }: { readonly acts: boolean; readonly conditions: number }): string {
  if (!acts) return "npm start (or mesh serve): nothing moves without a controller";
  return conditions > 0 ? "mesh conditions" : "mesh build --wait";
}
