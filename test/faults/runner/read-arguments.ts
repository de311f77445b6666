import { parseArgs } from "node:util";

export const usage = `npm run faults -- [options]

  --scenario NAME  only this one (repeat for more); three-controllers and clock-* only run so
  --seed S         order, places and directions are drawn from it (default: a fresh one, which is printed)
  --minutes N      begin nothing new after so long (default 5); the length of three-controllers
  --all            every scenario, however long it takes
  --short          the fixed list that npm test runs, in its order
  --times N        so many rounds, each with the next seed, over one mesh
  --list           what there is
  --mutant NAME    with this bug in the real code: exit 2 where the promise it breaks is named, 3 where it is not
  --list-mutants   what can be planted
  --check FILE     ask a history that was kept of an earlier run
  --json           answer in JSON lines

Exit 0: no promise was broken. 2: one was, or a scenario did not come to its end; it is named. 3: a planted bug was not named by the
promise that it breaks. 1: nothing could be run.`;

export interface Arguments {
  readonly what: "help" | "list" | "list-mutants" | "check" | "run";
  readonly scenarios: readonly string[];
  readonly seed: number | null;
  readonly minutes: number;
  readonly all: boolean;
  readonly short: boolean;
  readonly times: number;
  readonly mutant: string | null;
  readonly file: string;
  readonly json: boolean;
}

/** Throws Error with a sentence where they do not read. */
export function readArguments(argv: readonly string[]): Arguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      scenario: { type: "string", multiple: true, default: [] },
      seed: { type: "string" },
      minutes: { type: "string", default: "5" },
      times: { type: "string", default: "1" },
      all: { type: "boolean", default: false },
      short: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      "list-mutants": { type: "boolean", default: false },
      mutant: { type: "string" },
      check: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  return {
    what: values.help
      ? "help"
      : values.list
        ? "list"
        : values["list-mutants"]
          ? "list-mutants"
          : values.check === undefined
            ? "run"
            : "check",
    scenarios: values.scenario,
    seed: values.seed === undefined ? null : readNumber("--seed", values.seed, 0, 2 ** 32 - 1),
    minutes: readNumber("--minutes", values.minutes, 0, 10_000),
    all: values.all,
    short: values.short,
    times: readNumber("--times", values.times, 1, 1_000),
    mutant: values.mutant ?? null,
    file: values.check ?? "",
    json: values.json,
  };
}

function readNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^[0-9]+$/.test(text) || value < least || value > most)
    throw new Error(`${option} takes a number from ${least} to ${most}, not ${text}`);
  return value;
}
