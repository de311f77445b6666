import type { Name } from "../core/names.ts";
import { timeMs } from "../decide/ages.ts";
import type { BuildPlan } from "../decide/plan-builds.ts";
import { judgeRepeats, repeatedCodes, whenDayIsOver } from "../decide/repeated-verdicts.ts";
import { isEqualStand, type NamedStand } from "../decide/work-out-stands.ts";
import { clearConditions, keepConditions, listConditions } from "../store/conditions.ts";
import { listRecentVerdicts, type RecentVerdict } from "../store/recent-verdicts.ts";
import type { ControlDependencies } from "./control-dependencies.ts";
import { keptFor, type JudgedStand } from "./kept-records.ts";

/** Of each module: enough to see what repeats. */
const buildsLookedAt = 20;

type VerdictDependencies = Pick<ControlDependencies, "db" | "mesh">;

/**
 * Keeps one condition for each module whose builds end the same way again and again, and takes it away as soon as they
 * do not (R33). While the next try runs, what was said before it stays. There is a plan after each few builds: verdicts are
 * read of what stands otherwise than in the plan before, and when a day is over. A module whose build ended stands otherwise.
 */
export async function noteRepeatedVerdicts(deps: VerdictDependencies, plan: BuildPlan, now: string): Promise<void> {
  const bad: readonly NamedStand[] = [...plan.unfit, ...plan.outstanding];
  const said = (await listConditions(deps.db, deps.mesh)).filter((one) => repeatedCodes.includes(one.code));
  const { repeats } = keptFor(deps.db, deps.mesh);
  const isBad = new Set(bad.map(({ module }) => module));
  for (const module of repeats.keys()) if (!isBad.has(module)) repeats.delete(module);
  const saying = new Set(said.map(nameOf));
  const holds = (stand: NamedStand): boolean => {
    const known = repeats.get(stand.module);
    if (known === undefined || !isEqualStand(known.stand, stand)) return false;
    if (known.untilMs !== null && timeMs(now) >= known.untilMs) return false;
    // Where somebody took the condition away, it is said again.
    return known.code === null || saying.has(nameOf({ code: known.code, subject: stand.module }));
  };
  const fresh = await judge(
    deps,
    bad.filter((stand) => !holds(stand)),
    now,
  );
  const judged = new Map([...repeats, ...fresh]);
  const holding = new Set(
    [...judged].flatMap(([subject, { code }]) => (code === null ? [] : nameOf({ code, subject }))),
  );
  const underWay = new Set([...plan.ready, ...plan.building].map((one) => one.module));
  const over = said.filter((one) => !holding.has(nameOf(one)) && !underWay.has(one.subject));
  if (over.length > 0) await clearConditions(deps.db, deps.mesh, over);
  for (const [module, one] of fresh) repeats.set(module, one);
}

/** Reads their verdicts, and writes the conditions that these make. */
async function judge(
  deps: VerdictDependencies,
  stands: readonly NamedStand[],
  now: string,
): Promise<ReadonlyMap<Name, JudgedStand>> {
  if (stands.length === 0) return new Map();
  const histories = new Map<Name, RecentVerdict[]>(stands.map(({ module }) => [module, []]));
  for (const build of await listRecentVerdicts(deps.db, deps.mesh, [...histories.keys()], buildsLookedAt))
    histories.get(build.module)?.push(build);
  const judged = stands.map((stand) => {
    const builds = histories.get(stand.module) ?? [];
    return { stand, repeated: judgeRepeats(stand.module, builds, now), dayOverMs: whenDayIsOver(builds) };
  });
  const repeated = judged.flatMap((one) => one.repeated ?? []);
  if (repeated.length > 0) await keepConditions(deps.db, deps.mesh, repeated);
  return new Map(
    judged.map(({ stand, repeated: condition, dayOverMs }) => {
      const untilMs = dayOverMs !== null && timeMs(now) < dayOverMs ? dayOverMs : null;
      return [stand.module, { stand, code: condition?.code ?? null, untilMs }];
    }),
  );
}

function nameOf({ code, subject }: { readonly code: string; readonly subject: string }): string {
  return `${code} ${subject}`;
}
