import { hostMutants } from "./host-mutants.ts";
import type { Mutant } from "./mutant.ts";
import { orderMutants } from "./order-mutants.ts";
import { pushMutants } from "./push-mutants.ts";

/** What can be planted. Texts are those of the source today: one that no longer stands there is an error, not a pass. */
export const mutants: readonly Mutant[] = [...orderMutants, ...pushMutants, ...hostMutants];

/** Throws where there is none of this name. */
export function findMutant(name: string): Mutant {
  const found = mutants.find((mutant) => mutant.name === name);
  if (found === undefined) throw new Error(`there is no mutant ${name}: see --list-mutants`);
  return found;
}
