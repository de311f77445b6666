import { readFile } from "node:fs/promises";
import type { Setting } from "../setting.ts";
import { fullSetting } from "../setting.ts";
import { readFaults } from "./read-arguments.ts";

export interface Regression {
  readonly seed: number;
  readonly setting: Setting;
  /** The promise that it broke. */
  readonly invariant: string;
}

/** Throws where a line does not read. */
export async function readRegressions(): Promise<readonly Regression[]> {
  const text = await readFile(new URL("../regressions.txt", import.meta.url), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [seed, faults, acts, hosts, invariant, ...rest] = line.split(" ");
      if (invariant === undefined || rest.length > 0) throw new Error(`regressions.txt: cannot read ${line}`);
      const switches = faults === "all" ? fullSetting.switches : readFaults(faults ?? "");
      return {
        seed: Number(seed),
        setting: { ...fullSetting, switches, acts: Number(acts), hosts: Number(hosts) },
        invariant,
      };
    });
}
