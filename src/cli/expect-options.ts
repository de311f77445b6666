import { InputError } from "../core/errors.ts";
import type { CommandCall } from "./command.ts";

type Typed = Pick<CommandCall, "typed">;

/** Of each row no two do anything together: one would be ignored without a word. Options by their keys, as `dryRun`. */
export function expectApart({ typed }: Typed, ...rows: readonly (readonly [string, readonly string[]])[]): void {
  for (const [one, others] of rows) {
    const other = typed.has(one) ? others.find((key) => typed.has(key)) : undefined;
    if (other !== undefined)
      throw new InputError(`${typed.get(one)} and ${typed.get(other)} do not go together`, "give one of them");
  }
}

/** Says something only of what one of the others asks for. `others`: keys with the flags that a person would type. */
export function expectBeside({ typed }: Typed, key: string, others: Readonly<Record<string, string>>): void {
  if (!typed.has(key) || Object.keys(others).some((other) => typed.has(other))) return;
  const flags = Object.values(others);
  const list = flags.length === 1 ? flags[0] : `${flags.slice(0, -1).join(", ")} and ${flags.at(-1)}`;
  throw new InputError(`${typed.get(key)} is of ${list}`, `leave it out, or give ${flags[0]} too`);
}
