import type { Digest, Name } from "../core/names.ts";
import type { BuildPlan } from "./plan-builds.ts";

/** What the build of a module came to in this wave. */
export interface WaveResult {
  readonly state: "fit" | "unfit" | "outstanding" | "superseded";
  /** What it was built from. */
  readonly inputs: Digest;
  readonly artifact: Digest | null;
  readonly message: string;
}

export interface Accounted {
  readonly module: Name;
  readonly outcome: "built" | "cut-off" | "failed" | "waiting" | "superseded";
  /** A sentence. */
  readonly why: string;
  /** Waiting: the modules by whose verdict it goes on. */
  readonly for?: readonly Name[];
}

type Said = Pick<Accounted, "outcome" | "why">;

/**
 * One row for every module announced, whatever happened (R9). `plan`: planned again when the wave ended. `known`: what each
 * was accounted for with since it was last announced.
 */
export function accountWave(
  announced: readonly Name[],
  results: ReadonlyMap<Name, WaveResult>,
  plan: BuildPlan,
  known: Readonly<Record<Name, Said>> = {},
): Accounted[] {
  const left = listLeft(plan);
  const wanted = listWantedInputs(plan);
  return announced.map((module) => {
    const result = results.get(module);
    const row = result === undefined ? undefined : accountResult(module, result);
    if (row !== undefined && isResultOf(row, { inputs: result?.inputs, wanted, known })) return row;
    const gone: Accounted = { module, outcome: "superseded", why: `${module} is no module any more` };
    return left.get(module) ?? gone;
  });
}

/**
 * Of one that stands ill a result counts where it is what the plan is about, or was said since it was announced: a build from
 * before that is not what became of it (case 9).
 */
function isResultOf(
  row: Accounted,
  {
    inputs,
    wanted,
    known,
  }: {
    readonly inputs: Digest | undefined;
    readonly wanted: ReadonlyMap<Name, Digest | null>;
    readonly known: Readonly<Record<Name, Said>>;
  },
): boolean {
  const wants = wanted.get(row.module);
  if (wants === undefined || wants === inputs) return true;
  const said = known[row.module];
  return said?.outcome === row.outcome && said.why === row.why;
}

/** Of modules that are neither current nor to be built. Null: cannot be known yet. */
function listWantedInputs(plan: BuildPlan): Map<Name, Digest | null> {
  return new Map([
    ...[...plan.unfit, ...plan.outstanding].map(({ module, inputs }) => [module, inputs] as const),
    ...[...plan.waiting, ...plan.broken, ...plan.cannotTell].map(({ module }) => [module, null] as const),
  ]);
}

function accountResult(module: Name, { state, message }: WaveResult): Accounted {
  switch (state) {
    case "fit":
      return { module, outcome: "built", why: `${module} was built and is fit` };
    case "unfit":
      return { module, outcome: "failed", why: `${module} is unfit: ${message}` };
    case "outstanding":
      return { module, outcome: "failed", why: `${module} is outstanding: ${message}` };
    case "superseded":
      return { module, outcome: "superseded", why: `a newer ${module} takes its place: ${message}` };
  }
}

/** What is to be said of a module that this wave did not build. */
function listLeft(plan: BuildPlan): Map<Name, Accounted> {
  const rows: Accounted[] = [
    ...plan.current.map(({ module }): Accounted => {
      return {
        module,
        outcome: "cut-off",
        why: `checked, unchanged: nothing that ${module} is built from moved in the end`,
      };
    }),
    ...plan.waiting.map((row): Accounted => {
      return { module: row.module, outcome: "waiting", why: row.why, for: row.for };
    }),
    ...[...plan.unfit, ...plan.outstanding, ...plan.broken].map(({ module, kind, why }): Accounted => {
      return { module, outcome: "failed", why: `${module} is ${kind}: ${why}` };
    }),
    ...plan.cannotTell.map(({ module, why }): Accounted => {
      return { module, outcome: "failed", why: `how ${module} stands cannot be told: ${why}` };
    }),
    ...[...plan.ready, ...plan.building].map(({ module, why }): Accounted => {
      return { module, outcome: "superseded", why: `the next wave builds it: ${why}` };
    }),
  ];
  return new Map(rows.map((row) => [row.module, row]));
}
