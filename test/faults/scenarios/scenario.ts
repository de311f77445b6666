import type { Random } from "../../simulation/random.ts";
import type { FaultBed } from "../mesh/bed.ts";

export interface Scenario {
  /** What a person types after `--scenario`. */
  readonly name: string;
  /** What happens, in words; with the rules and cases that it is about. */
  readonly what: string;
  /** Scenarios of one group are alike: a short round takes from each. */
  readonly group: "controller" | "host" | "build" | "records" | "temporal" | "network" | "load" | "clock";
  /** What it needs that not every machine has. */
  readonly needs?: "namespaces" | "libfaketime";
  /** Plants its fault, and goes on until it is over. What must hold then is asked of the whole history. */
  run(bed: FaultBed, random: Random): Promise<void>;
}
