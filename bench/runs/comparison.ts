import { compareAll } from "../../src/activities/compare-all.ts";
import { loadBuildPlan } from "../../src/activities/load-build-facts.ts";
import { planBuilds } from "../../src/decide/plan-builds.ts";
import { addModule } from "../../src/store/modules.ts";
import { addRepository } from "../../src/store/repositories.ts";
import { createGitRepository, type GitRepository } from "../../test/support/git-repository.ts";
import type { BenchContext } from "../main.ts";
import { generateModules, moduleName } from "../mesh/generate-modules.ts";
import { judgeAll, surroundingsOf } from "../mesh/judge-all.ts";
import { openRecords, type Records } from "../mesh/open-records.ts";
import { percentile } from "../report/percentile.ts";
import { toRow, type Row } from "../report/row.ts";

/** Another number by MESH_BENCH_MODULES=5000; MESH_BENCH_RUNS=1 where each takes a minute. */
const modules = Number(process.env["MESH_BENCH_MODULES"] ?? 1_000);
const runs = Number(process.env["MESH_BENCH_RUNS"] ?? 5);
const goal = { limit: 100, at: "p50", below: true } as const;

interface Comparison {
  readonly ms: number;
  readonly parsed: number;
  readonly known: number;
  readonly wave: string | null;
}

/** A whole comparison as the activity makes it: tips, trees, imports, records, announcement. */
export async function benchComparison(context: BenchContext): Promise<Row[]> {
  const source = await createGitRepository();
  const records = await openRecords();
  context.versions.postgresql ??= records.postgresql;
  try {
    context.say(`comparison: making ${modules} modules`);
    const commit = await source.commit(generateModules(modules));
    await register(records, source);
    const first = await compare(records);
    context.say("comparison: giving each module a verdict");
    await judgeAll(records.deps, commit);
    return await measure(records, source, first);
  } finally {
    await records.close();
    await source.remove();
  }
}

async function measure(records: Records, source: GitRepository, first: Comparison): Promise<Row[]> {
  await compare(records);
  const warm = await repeat(10, () => compare(records));
  if (warm.some((one) => one.wave !== null)) throw new Error("a comparison without a change announced something");
  const cold = await repeat(runs, async () => {
    await records.deps.db.query("truncate blob_imports");
    await records.deps.db.query("update module set known = null");
    return compare(records);
  });
  const changed = await repeat(runs, async (run) => {
    await source.commit({ [`${moduleName(run)}/src/part-1.ts`]: `export const part1 = (): number => ${run};\n` });
    return compare(records);
  });
  return [
    row("no change, imports known", warm, warm),
    row("no change, imports forgotten", cold, warm),
    row("one file of one module changed", changed, warm),
    row("the very first, clone and all", [first], warm),
    await planRow(records),
  ];
}

function row(what: string, comparisons: readonly Comparison[], warm: readonly Comparison[]): Row {
  const last = comparisons.at(-1);
  const p50 = percentile(
    warm.map((one) => one.ms),
    0.5,
  );
  return toRow({
    bench: "comparison",
    what: `${modules} modules, ${what}`,
    unit: "ms",
    values: comparisons.map((one) => one.ms),
    ...(comparisons === warm ? { goal } : { against: { words: "no change, imports known", p50 } }),
    note: `${last?.parsed} files parsed, ${last?.known} known, wave ${last?.wave === null ? "none" : "opened"}`,
  });
}

async function planRow({ deps }: Records): Promise<Row> {
  const { facts } = await loadBuildPlan(deps.db, deps.mesh, surroundingsOf(deps));
  const times: number[] = [];
  for (let run = 0; run < 30; run += 1) {
    const from = performance.now();
    planBuilds(facts);
    times.push(performance.now() - from);
  }
  return toRow({
    bench: "comparison",
    what: `planBuilds alone, ${facts.modules.size} modules`,
    unit: "ms",
    values: times,
  });
}

async function register({ deps }: Records, source: GitRepository): Promise<void> {
  await addRepository(deps.db, deps.mesh, { name: "source", url: source.dir });
  for (let index = 0; index < modules; index += 1) {
    const name = moduleName(index);
    await addModule(deps.db, deps.mesh, { name, repository: "source", branch: "main", path: name });
  }
}

async function compare({ deps, parsed }: Records): Promise<Comparison> {
  const before = { ...parsed };
  const from = performance.now();
  const request = { mesh: deps.mesh, wave: null, reasons: ["bench"] };
  const { wave } = await compareAll(deps, request, AbortSignal.timeout(600_000));
  const ms = performance.now() - from;
  return { ms, parsed: parsed.parsed - before.parsed, known: parsed.known - before.known, wave };
}

async function repeat<T>(times: number, act: (run: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let run = 0; run < times; run += 1) results.push(await act(run));
  return results;
}
