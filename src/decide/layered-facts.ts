import type { Name } from "../core/names.ts";
import type { BuildFacts, ModuleFacts } from "./build-facts.ts";

type Modules = BuildFacts["modules"];

interface Layer {
  readonly base: Modules;
  readonly names: ReadonlySet<Name>;
}

const layers = new WeakMap<Modules, Layer>();

/**
 * `base` with what is newer of some of its modules in its place; null: that module is not there. What was laid over the same
 * base is compared by `listDiffering` without going through all of it. Neither is written to afterwards.
 */
export function layFacts(base: Modules, newer: ReadonlyMap<Name, ModuleFacts | null>): Modules {
  const facts = new Map(base);
  for (const [name, module] of newer) {
    if (!base.has(name)) throw new Error(`facts of ${name} cannot be laid over facts that do not know it`);
    if (module === null) facts.delete(name);
    else facts.set(name, module);
  }
  layers.set(facts, { base, names: new Set(newer.keys()) });
  return facts;
}

/** Modules whose facts are another object in one than in the other. Null: not known without going through all of them. */
export function listDiffering(now: Modules, before: Modules): readonly Name[] | null {
  const [one, other] = [layers.get(now), layers.get(before)];
  if ((one?.base ?? now) !== (other?.base ?? before)) return null;
  const touched = new Set([...(one?.names ?? []), ...(other?.names ?? [])]);
  return [...touched].filter((name) => now.get(name) !== before.get(name));
}
