import type { ModuleLabels } from "../../store/module-labels.ts";
import { describeAge } from "./ages.ts";
import { plainLine } from "./plain.ts";

export type HeldCommit = { readonly commit: string; readonly waitsFor: string | null } | null;
export type NotReproducible = { readonly since: string; readonly files: readonly string[] } | null;

/** The labels of a module as documents have them. */
export function labelsOf(labels: ModuleLabels | undefined): {
  readonly heldCommit: HeldCommit;
  readonly notReproducible: NotReproducible;
} {
  const { heldCommit = null, heldFor = null, notReproducibleSince: since = null, differing = [] } = labels ?? {};
  return {
    heldCommit: heldCommit === null ? null : { commit: heldCommit, waitsFor: heldFor },
    notReproducible: since === null ? null : { since, files: differing },
  };
}

export function sayHeldCommit(held: HeldCommit): string[] {
  if (held === null) return [];
  const until =
    held.waitsFor === null ? "what waited too long is judged" : `${held.waitsFor} is judged, which waited too long`;
  return [`a newer commit ${held.commit.slice(0, 7)} was seen, and is taken as soon as ${until}`];
}

/** One line for a list; `all`: one more for each file. */
export function sayNotReproducible(found: NotReproducible, now: Date, { all = false } = {}): string[] {
  if (found === null) return [];
  const { files } = found;
  const head = `not reproducible, found ${describeAge(found.since, now)}: two builds of the same inputs differ`;
  if (files.length === 0) return [head];
  if (all) return [`${head} in`, ...files.map((file) => `  ${plainLine(file, 300)}`)];
  return [
    `${head} in ${plainLine(files[0] ?? "", 160)}${files.length === 1 ? "" : `, and ${files.length - 1} more (mesh why says all)`}`,
  ];
}
