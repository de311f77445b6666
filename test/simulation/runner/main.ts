import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { findMutant, mutants } from "../mutants/mutants.ts";
import { type Mutant, plantMutant } from "../mutants/mutant.ts";
import { type MutantTried, tryMutant } from "../mutants/try-mutant.ts";
import type { SeedResult } from "../run-seed.ts";
import { bundleSimulator } from "./bundle.ts";
import { createLanes } from "./lanes.ts";
import { openPool, type Pool } from "./pool.ts";
import { type Arguments, readArguments, usage } from "./read-arguments.ts";
import { describeRun, type Effort, sayFailed, sayRecord, sayTried } from "./say-result.ts";
import { shrink } from "./shrink.ts";
import { trySeeds } from "./try-seeds.ts";

/** `npm run sim`. */
const found = 2;
const broken = 1;

try {
  process.exitCode = await run(readArguments(process.argv.slice(2)));
} catch (error) {
  process.stderr.write(`npm run sim: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = broken;
}

async function run(args: Arguments): Promise<number> {
  switch (args.what) {
    case "help":
      say(usage);
      return 0;
    case "list-mutants":
      say(
        args.json
          ? JSON.stringify(mutants, null, 2)
          : mutants.map(({ name, breaks, why }) => `${name}  (${breaks.join(", ")})  ${why}`).join("\n"),
      );
      return 0;
    case "mutants":
      return tryMutants(args);
    case "seed":
    case "seeds":
      return withPool(args, (pool) => (args.what === "seed" ? trySeed(pool, args) : trySome(pool, args)));
  }
}

async function withPool(args: Arguments, act: (pool: Pool) => Promise<number>): Promise<number> {
  const file = await bundleSimulator(args.mutant === null ? [] : [plantMutant(findMutant(args.mutant))]);
  const pool = openPool(file, args.what === "seed" ? 1 : args.workers);
  try {
    return await act(pool);
  } finally {
    await pool.close();
    await rm(dirname(file), { recursive: true });
  }
}

async function trySeed(pool: Pool, args: Arguments): Promise<number> {
  const result = await pool.run(args.seed, args.setting);
  if (args.json) say(JSON.stringify(result));
  else if (result.violation !== null) say(`${sayFailed(result, args.setting, args.mutant)}\n(commit ${sayTree()})`);
  else {
    if (args.trace) say(result.story.join("\n"));
    say(
      `seed ${result.seed}: no promise broken; ${result.events} events, ${result.sends} commits, hash ${result.hash}`,
    );
  }
  return result.violation === null ? 0 : found;
}

async function trySome(pool: Pool, args: Arguments): Promise<number> {
  const base = args.base ?? commitHash();
  const count = args.seeds ?? 100;
  const effort = measure();
  const tried = await trySeeds(pool, { base, count, setting: args.setting, onResult: sayProgress(args, count) });
  const took = effort();
  if (tried.failed === null) {
    say(
      args.json
        ? JSON.stringify({ base, ...tried, ...took })
        : `base ${base}: no promise broken. ${sayTried(tried, took)}\n${sayRecord(tried, took, { base, commit: sayTree() })}`,
    );
    return 0;
  }
  const { setting, result } = await shrink(pool, tried.failed, args.setting);
  const again = describeRun(result.seed, setting, args.mutant);
  if (args.json) say(JSON.stringify({ base, ...tried, ...took, shrunk: result, again }));
  else {
    const record = sayRecord(tried, took, { base, commit: sayTree() });
    say(`base ${base}, ${sayTried(tried, took)}\n${record}\n\n${sayFailed(result, setting, args.mutant)}`);
  }
  return found;
}

/** Every one must be found. Said in the order in which they are done. */
async function tryMutants(args: Arguments): Promise<number> {
  const tries = { base: args.base ?? "mutants", count: args.seeds ?? 2_000, setting: args.setting };
  const inLane = createLanes(args.workers);
  const effort = measure();
  const outcomes = await Promise.all(
    mutants.map((mutant) => inLane(async () => sayMutant(mutant, await tryMutant(mutant, tries), args.json))),
  );
  const missed = outcomes.filter((isFound) => !isFound).length;
  const { seconds, cpuSeconds } = effort();
  const took = `${seconds.toFixed(0)} s, ${cpuSeconds.toFixed(0)} CPU seconds`;
  say(`${mutants.length - missed} of ${mutants.length} mutants found (${took})`);
  return missed === 0 ? 0 : found;
}

function sayMutant({ name, breaks }: Mutant, { seeds, violation, seed }: MutantTried, isJson: boolean): boolean {
  const isFound = violation !== null && breaks.includes(violation.invariant);
  if (isJson) say(JSON.stringify({ mutant: name, isFound, seeds, seed, violation }));
  else if (isFound) say(`${name}: ${violation.invariant} after ${seeds} seeds (--seed ${seed})`);
  else say(`${name}: NOT FOUND in ${seeds} seeds${violation === null ? "" : `; instead: ${violation.message}`}`);
  return isFound;
}

function sayProgress({ json }: Arguments, count: number): (result: SeedResult, done: number) => void {
  return (_result, done) => {
    if (!json && done % 500 === 0 && done < count) process.stderr.write(`${done} of ${count} seeds\n`);
  };
}

function measure(): () => Effort {
  const from = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - from) / 1000, cpuSeconds: (user + system) / 1_000_000 };
  };
}

function commitHash(): string {
  return askGit("rev-parse", "HEAD");
}

/** What was run: the commit, with a `+` where the tree had changes beside it. */
function sayTree(): string {
  return `${commitHash().slice(0, 12)}${askGit("status", "--porcelain") === "" ? "" : "+"}`;
}

function askGit(...args: readonly string[]): string {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  return execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
