import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { faultNames, type FaultName } from "../faults.ts";
import { fullSetting, type Setting } from "../setting.ts";

export const usage = `npm run sim -- [options]

  --seeds N        this many seeds of the base (default 100)
  --base TEXT      where seeds come from (default: the commit's hash, so every commit tries new ones)
  --seed S         this one seed
  --faults A,B     only these classes, or none: ${faultNames.join(", ")}
  --acts N         people and builds do something N times at most
  --hosts N        1 to 4 hosts
  --trace          print the whole story of the seed
  --mutant NAME    plant this bug first: exit 2 where it is found
  --list-mutants   what can be planted, and which promise must notice
  --mutants        plant each in turn: every one must be found (N seeds at most, default 2000)
  --workers N      threads (default: one per core)
  --json           answer in JSON

Exit 0: no promise was broken. 2: one was; it is named. 1: the simulator could not run.`;

export interface Arguments {
  readonly what: "help" | "seeds" | "seed" | "list-mutants" | "mutants";
  readonly seed: number;
  readonly seeds: number | null;
  readonly base: string | null;
  readonly mutant: string | null;
  readonly workers: number;
  readonly setting: Setting;
  readonly trace: boolean;
  readonly json: boolean;
}

/** Throws Error with a sentence where they do not read. */
export function readArguments(argv: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seeds: { type: "string" },
      base: { type: "string" },
      seed: { type: "string" },
      faults: { type: "string" },
      acts: { type: "string" },
      hosts: { type: "string" },
      mutant: { type: "string" },
      workers: { type: "string" },
      trace: { type: "boolean", default: false },
      "list-mutants": { type: "boolean", default: false },
      mutants: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const setting: Setting = {
    switches: values.faults === undefined ? fullSetting.switches : readFaults(values.faults),
    acts: readInteger("--acts", values.acts, 0, 10_000) ?? fullSetting.acts,
    hosts: readInteger("--hosts", values.hosts, 1, fullSetting.hosts) ?? fullSetting.hosts,
    keepLines: values.trace ? 1_000_000 : fullSetting.keepLines,
  };
  const seed = readInteger("--seed", values.seed, 0, 2 ** 32 - 1);
  return {
    what: values.help
      ? "help"
      : values["list-mutants"]
        ? "list-mutants"
        : values.mutants
          ? "mutants"
          : seed === null
            ? "seeds"
            : "seed",
    seed: seed ?? 0,
    seeds: readInteger("--seeds", values.seeds, 1, 1_000_000_000),
    base: values.base ?? null,
    mutant: values.mutant ?? null,
    workers: readInteger("--workers", values.workers, 1, 256) ?? availableParallelism(),
    setting,
    trace: values.trace,
    json: values.json,
  };
}

function readInteger(option: string, text: string | undefined, least: number, most: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < least || value > most)
    throw new Error(`${option} takes a number from ${least} to ${most}, not ${text}`);
  return value;
}

export function readFaults(text: string): Set<FaultName> {
  const names = text === "none" ? [] : text.split(",");
  return new Set(
    names.map((name) => {
      const known = faultNames.find((one) => one === name);
      if (known === undefined) throw new Error(`there is no class of faults ${name}: ${faultNames.join(", ")}`);
      return known;
    }),
  );
}
