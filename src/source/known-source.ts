import { createHash } from "node:crypto";
import type { KnownSource } from "../core/known-source.ts";
import type { Name } from "../core/names.ts";
import type { FactFiles, ImportReader } from "./imports/import-reader.ts";

/** Fact files as other modules may ask for them: what a module locks is its own matter. */
export function shareFacts(facts: FactFiles, reader: Pick<ImportReader, "lockFiles"> | undefined): FactFiles {
  return new Map([...facts].filter(([path]) => reader?.lockFiles.includes(path) !== true));
}

export function keyOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

export function factsKeyOf(facts: FactFiles): string {
  return facts.size === 0 ? "" : keyOf(JSON.stringify([...facts].toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

/** Does what a module asked of others still hold? `factsKey`: of a module as it is now; null: it is not there. */
export function hasSameContext(
  known: KnownSource,
  namesKey: string,
  factsKey: (module: Name) => string | null,
): boolean {
  if (known.language === null) return true;
  return known.namesKey === namesKey && Object.entries(known.uses).every(([name, key]) => factsKey(name) === key);
}
