import { parse } from "smol-toml";
import { z } from "zod";
import { type LockedCrate, parseCargoLock } from "../../source/imports/rust-lock.ts";
import { isMeshVersion } from "./rust-vendor.ts";

const registry = "registry+https://github.com/rust-lang/crates.io-index";

const packagesSchema = z.looseObject({
  package: z
    .array(
      z.looseObject({
        name: z.string(),
        version: z.string(),
        source: z.string().optional(),
        checksum: z.string().optional(),
        dependencies: z.array(z.string()).optional(),
      }),
    )
    .default([]),
});
type LockPackage = z.infer<typeof packagesSchema>["package"][number];

export type MergedLock =
  | { readonly kind: "lock"; readonly text: string; readonly crates: readonly LockedCrate[] }
  | { readonly kind: "refused"; readonly message: string };

/**
 * What a build starts from: the module's own lock file, and the third parties of what it is built against where its own
 * has none that could stand for them. Mesh crates are left out: cargo adds them, from the only versions that are there.
 */
export function mergeLocks(own: string | null, others: readonly string[], module: string): MergedLock {
  const kept = new Map<string, LockPackage>();
  const crates = new Map<string, LockedCrate>();
  const [first, ...rest] = [own ?? "", ...others.toSorted()];
  for (const [at, text] of [first, ...rest].entries()) {
    const lock = parseCargoLock(text);
    if (lock.kind === "refused") return lock;
    const packages = packagesSchema.parse(parse(text)).package;
    const taken = new Set([...crates.values()].map(rangeOf));
    const found = new Map(lock.crates.map((crate) => [`${crate.name} ${crate.version}`, crate]));
    for (const entry of packages) {
      const key = `${entry.name} ${entry.version}`;
      const crate = found.get(key);
      if (crate === undefined) {
        // Only the module's own entry: it says which of two versions it takes.
        if (at === 0 && entry.source === undefined && entry.name === module) kept.set(key, qualify(entry, packages));
        continue;
      }
      const known = crates.get(key);
      if (known !== undefined && known.checksum !== crate.checksum)
        return {
          kind: "refused",
          message: `${key} has one digest here and another in the lock of what it is built against`,
        };
      if (known !== undefined || (at > 0 && taken.has(rangeOf(crate)))) continue;
      crates.set(key, crate);
      kept.set(key, { ...qualify(entry, packages), source: registry });
    }
  }
  const text = writeLock([...kept.values()]);
  return { kind: "lock", text, crates: [...crates.values()] };
}

/** Two versions of one range cannot both be in a build: `1`, `0.3`, `0.0.7`. */
function rangeOf({ name, version }: LockedCrate): string {
  const [major = "0", minor = "0", patch = "0"] = version.split(/[.+-]/);
  return `${name} ${major !== "0" ? major : minor !== "0" ? `0.${minor}` : `0.0.${patch}`}`;
}

/** With the version in each name, so that it means the same among more packages; those of no registry are left out. */
function qualify(entry: LockPackage, packages: readonly LockPackage[]): LockPackage {
  const dependencies = (entry.dependencies ?? []).flatMap((text) => {
    const [name, version] = text.split(" ");
    const target = packages.find((one) => one.name === name && (version === undefined || one.version === version));
    return target?.source === undefined ? [] : [`${target.name} ${target.version}`];
  });
  return { name: entry.name, version: entry.version, source: entry.source, checksum: entry.checksum, dependencies };
}

function writeLock(packages: readonly LockPackage[]): string {
  const parts = packages
    .toSorted((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
    .map(({ name, version, source, checksum, dependencies }) =>
      [
        "[[package]]",
        `name = ${JSON.stringify(name)}`,
        `version = ${JSON.stringify(version)}`,
        ...(source === undefined ? [] : [`source = ${JSON.stringify(source)}`]),
        ...(checksum === undefined ? [] : [`checksum = ${JSON.stringify(checksum)}`]),
        ...((dependencies ?? []).length === 0 ? [] : [`dependencies = ${JSON.stringify(dependencies)}`]),
        "",
      ].join("\n"),
    );
  return `version = 3\n\n${parts.join("\n")}`;
}

export interface ResolvedLock {
  /** Folders of mesh crates among cargo's crates. */
  readonly mesh: readonly string[];
  /** A lock file of the third parties alone; null: there are none. */
  readonly thirdParties: string | null;
}

/** What cargo resolved for the crate without its tests: what its dependents will need. */
export function splitResolved(text: string): ResolvedLock {
  const packages = packagesSchema.parse(parse(text)).package.filter((entry) => entry.source !== undefined);
  const mesh = packages.filter((entry) => isMeshVersion(entry.version));
  const third = packages.filter((entry) => !isMeshVersion(entry.version));
  return {
    mesh: mesh.map((entry) => `${entry.name}-${entry.version}`).toSorted(),
    thirdParties: third.length === 0 ? null : writeLock(third.map((entry) => qualify(entry, packages))),
  };
}
