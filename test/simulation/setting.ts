import { faultNames, type FaultSwitches } from "./faults.ts";

/** What a run is made of, beside its seed: a failing one is shrunk by taking things away. */
export interface Setting {
  readonly switches: FaultSwitches;
  /** How often, at most, people and builds do something. */
  readonly acts: number;
  /** 1 to 4. */
  readonly hosts: number;
  /** How many of the last lines of the story are kept. */
  readonly keepLines: number;
}

export const fullSetting: Setting = { switches: new Set(faultNames), acts: 100, hosts: 4, keepLines: 200 };
