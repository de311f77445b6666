import type { SeedResult } from "../run-seed.ts";
import { fullSetting, type Setting } from "../setting.ts";
import type { Tried } from "./try-seeds.ts";

/** What it took. */
export interface Effort {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

const lastLines = 40;

export function sayTried({ seeds, events, sends }: Tried, { seconds, cpuSeconds }: Effort): string {
  const speed = `${(seeds / seconds).toFixed(1)} seeds/s, ${(seeds / cpuSeconds).toFixed(1)} per CPU second`;
  return `${seeds} seeds, ${events} events, ${sends} declarations in ${seconds.toFixed(1)} s (${speed})`;
}

/** One row of docs/simulation-runs.md. */
export function sayRecord(
  { seeds, failed }: Tried,
  { cpuSeconds }: Effort,
  run: { base: string; commit: string },
): string {
  const violations = failed === null ? "none" : (failed.violation?.invariant ?? "none");
  return `| ${seeds} | ${run.base} | ${run.commit} | ${violations} | ${cpuSeconds.toFixed(0)} |`;
}

/** What was broken, how it came to it, and the command that shows it again. */
export function sayFailed(result: SeedResult, setting: Setting, mutant: string | null): string {
  const lines = setting.keepLines > fullSetting.keepLines ? result.story : result.story.slice(-lastLines);
  return [
    `seed ${result.seed} breaks ${result.violation?.message ?? "nothing"}`,
    "",
    ...lines.map((line) => `  ${line}`),
    "",
    `again: npm run sim -- ${describeRun(result.seed, setting, mutant)}`,
  ].join("\n");
}

/** The arguments that give this run again. */
export function describeRun(seed: number, { switches, acts, hosts }: Setting, mutant: string | null): string {
  return [
    `--seed ${seed}`,
    ...(switches.size === fullSetting.switches.size ? [] : [`--faults ${[...switches].join(",") || "none"}`]),
    ...(acts === fullSetting.acts ? [] : [`--acts ${acts}`]),
    ...(hosts === fullSetting.hosts ? [] : [`--hosts ${hosts}`]),
    ...(mutant === null ? [] : [`--mutant ${mutant}`]),
  ].join(" ");
}
