import { randomInt } from "node:crypto";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createRandom } from "../../simulation/random.ts";
import { checkHistory } from "../checks/check-history.ts";
import type { Check } from "../checks/violation.ts";
import type { History } from "../history/history.ts";
import { openFaultBed, type FaultBed } from "../mesh/bed.ts";
import { findRealMutant, plantInProgram, realMutants } from "../planted/plant.ts";
import { hasFakeClock } from "../scenarios/clock-scenarios.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { namedScenarios, scenarios } from "../scenarios/scenarios.ts";
import { shortList } from "../scenarios/short-list.ts";
import { createThreeControllers } from "../scenarios/three-controllers.ts";
import { chooseRound } from "./choose-round.ts";
import { isInside, runInside, keptFolder } from "./enter-namespaces.ts";
import { readArguments, usage, type Arguments } from "./read-arguments.ts";
import { checkSecrets, runScenario, type Verdict } from "./run-scenario.ts";

/** `npm run faults`. */
const found = 2;
const notNamed = 3;
const broken = 1;

try {
  process.exitCode = await run(readArguments(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`npm run faults: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = broken;
}
// Roads and pools of a run that was given up keep nobody waiting.
process.exit();

async function run(args: Arguments): Promise<number> {
  switch (args.what) {
    case "help":
      say(usage);
      return 0;
    case "list":
      for (const { name, what } of [...scenarios, ...namedScenarios, createThreeControllers(args.minutes)])
        say(args.json ? JSON.stringify({ name, what }) : `${name}  ${what}`);
      return 0;
    case "list-mutants":
      for (const { name, why, breaks, scenario } of realMutants)
        say(args.json ? JSON.stringify({ name, why, breaks, scenario }) : `${name}  (${breaks.join(", ")})  ${why}`);
      return 0;
    case "check": {
      const checks = checkHistory(JSON.parse(await readFile(args.file, "utf8")) as History);
      for (const { invariant, message } of checks) say(`${invariant}: ${message}`);
      return checks.length === 0 ? 0 : found;
    }
    case "run":
      return (isInside() ? null : await runInside()) ?? (await runRounds(args));
  }
}

async function runRounds(args: Arguments): Promise<number> {
  const mutant = args.mutant === null ? null : findRealMutant(args.mutant);
  const first = args.seed ?? randomInt(2 ** 31);
  const wanted = mutant === null ? args.scenarios : [mutant.scenario];
  const list = args.short ? shortList.map(findScenario).filter(isPossible) : pickScenarios(wanted, args.minutes);
  const isFixed = args.short || wanted.length > 0;
  const bed = await openFaultBed({
    inside: isInside(),
    say: note,
    ...(mutant === null ? {} : { programs: await plantInProgram(mutant) }),
  });
  const untilMs = performance.now() + args.minutes * 60_000;
  const verdicts: Verdict[] = [];
  try {
    for (let round = 0; round < args.times; round += 1) {
      const seed = first + round;
      const order = isFixed ? list : chooseRound(list, createRandom(seed, "order"));
      for (const scenario of order) {
        const isLate = !args.all && !isFixed && performance.now() > untilMs;
        if (isLate) break;
        const verdict = await judge(bed, scenario, seed, args);
        verdicts.push(verdict);
        if (verdict.broken.length > 0) return await conclude(args, verdicts, mutant?.breaks ?? null);
      }
    }
    const secrets = await checkSecrets(bed);
    for (const one of secrets) say(`${one.invariant}: ${one.message}`);
    if (secrets.length > 0) return found;
    return await conclude(args, verdicts, mutant?.breaks ?? null);
  } finally {
    await bed.close();
  }
}

async function judge(bed: FaultBed, scenario: Scenario, seed: number, args: Arguments): Promise<Verdict> {
  note(`${scenario.name}: ${scenario.what}`);
  const verdict = await runScenario(bed, scenario, seed);
  const repeat = `npm run faults -- --scenario ${scenario.name} --seed ${seed}`;
  const { broken: checks, seconds } = verdict;
  if (args.json) say(JSON.stringify({ scenario: scenario.name, seed, seconds, broken: checks, repeat }));
  else say(`${scenario.name}: ${checks.length === 0 ? "ok" : "BROKEN"} (${seconds.toFixed(1)} s)   ${repeat}`);
  if (!args.json) for (const one of checks.slice(0, 20)) say(`  ${one.invariant}: ${one.message}`);
  return verdict;
}

/** The last word, and the history of what went wrong in a file. A planted bug is found by the promise that it breaks only. */
async function conclude(
  args: Arguments,
  verdicts: readonly Verdict[],
  expected: readonly string[] | null,
): Promise<number> {
  const checks: readonly Check[] = verdicts.flatMap((one) => one.broken);
  const last = verdicts.at(-1)?.history;
  if (expected !== null) {
    const isNamed = checks.some(({ invariant }) => expected.includes(invariant));
    say(`${args.mutant}: ${isNamed ? "named" : "NOT NAMED"} by ${expected.join(" or ")}`);
    return isNamed ? found : notNamed;
  }
  if (last !== undefined) {
    const { sends, pushes, grants } = last;
    const what = `${verdicts.length} scenarios, ${pushes.length} pushes, ${sends.length} sends, ${grants.length} epochs`;
    if (args.json) say(JSON.stringify({ ok: checks.length === 0, scenarios: verdicts.length, pushes: pushes.length }));
    else say(`${checks.length === 0 ? "no promise was broken" : `${checks.length} broken`}: ${what}`);
  }
  if (checks.length === 0) return 0;
  const file = join(await mkdtemp(join(keptFolder(), "mesh-faults-history-")), "history.json");
  await writeFile(file, JSON.stringify(last, null, 1));
  note(`the history is kept: npm run faults -- --check ${file}`);
  return found;
}

function findScenario(name: string): Scenario {
  const known = scenarios.find((one) => one.name === name);
  if (known === undefined) throw new Error(`there is no scenario ${name}: see --list`);
  return known;
}

function pickScenarios(names: readonly string[], minutes: number): Scenario[] {
  if (names.length === 0) return scenarios.filter(isPossible);
  return names.map((name) => {
    const known = [...scenarios, ...namedScenarios, createThreeControllers(minutes)].find((one) => one.name === name);
    if (known === undefined) throw new Error(`there is no scenario ${name}: see --list`);
    if (!isPossible(known)) throw new Error(`${name} needs ${known.needs}, which is not here`);
    return known;
  });
}

/** What this machine cannot do is said, and left out. */
function isPossible({ name, needs }: Scenario): boolean {
  const isHere = needs === undefined || (needs === "namespaces" ? isInside() : hasFakeClock);
  if (!isHere) note(`${name} is left out: it needs ${needs}`);
  return isHere;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
