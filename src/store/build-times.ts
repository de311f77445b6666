import { farthestTryMs } from "../decide/retry-builds.ts";

/**
 * Times of builds in SQL, of `build`, a table's name or alias, as `decide` has them (`isLostBuild`, `isTryDue`). What is further
 * ahead than it could be was written while PostgreSQL's clock was ahead, and that was set back since. `ms`: a parameter.
 */
export const isHeard = (ms: string, build = "build"): string =>
  `(coalesce(${build}.seen_at, ${build}.started_at) between now() - ${ms}::float8 * interval '1 millisecond'
                                                      and now() + ${ms}::float8 * interval '1 millisecond')`;

export const isDue = (row: string, farthestMs: number | string = farthestTryMs): string =>
  `(${row}.next_try_at <= now() or ${row}.next_try_at > now() + ${farthestMs} * interval '1 millisecond')`;
