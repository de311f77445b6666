import { parse } from "smol-toml";
import { z } from "zod";
import { type LockedCrate, parseCargoLock } from "../../source/imports/rust-lock.ts";
import { isMeshVersion } from "./rust-vendor.ts";
import { compareSemanticVersions } from "./semantic-versions.ts";

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
  | {
      readonly kind: "lock";
      readonly text: string;
      /** Those of the text, and later ones of what this is built against: cargo takes one where the locked one is too old. */
      readonly crates: readonly LockedCrate[];
    }
  | { readonly kind: "refused"; readonly message: string };

interface Locked {
  readonly crate: LockedCrate;
  readonly entry: LockPackage;
}

/**
 * What a build starts from: the module's own lock file, and the third parties of what it is built against where its own
 * has none that could stand for them. Of two versions of one range the locked one is in the text, and a higher one beside
 * it. Mesh crates are left out: cargo adds them, from the only versions that are there.
 */
export function mergeLocks(own: string | null, others: readonly string[], module: string): MergedLock {
  const modules: LockPackage[] = [];
  const kept = new Map<string, Locked>();
  const higher = new Map<string, Locked>();
  for (const [at, text] of [own ?? "", ...others.toSorted()].entries()) {
    const lock = parseCargoLock(text);
    if (lock.kind === "refused") return lock;
    const packages = packagesSchema.parse(parse(text)).package;
    const taken = new Map([...kept.values()].map(({ crate }) => [rangeOf(crate), crate]));
    const found = new Map(lock.crates.map((crate) => [keyOf(crate), crate]));
    for (const entry of packages) {
      const key = keyOf(entry);
      const crate = found.get(key);
      if (crate === undefined) {
        // Only the module's own entry: it says which of two versions it takes.
        if (at === 0 && entry.source === undefined && entry.name === module) modules.push(qualify(entry, packages));
        continue;
      }
      const range = rangeOf(crate);
      const highest = higher.get(range)?.crate;
      const known = [kept.get(key)?.crate, highest].find((one) => one?.version === crate.version);
      if (known !== undefined && known.checksum !== crate.checksum)
        return {
          kind: "refused",
          message: `${key} has one digest here and another in the lock of what it is built against`,
        };
      if (known !== undefined) continue;
      const before = at > 0 ? (highest ?? taken.get(range)) : undefined;
      const locked = { crate, entry: { ...qualify(entry, packages), source: registry } };
      if (before === undefined) kept.set(key, locked);
      else if (compareSemanticVersions(crate.version, before.version) > 0) higher.set(range, locked);
    }
  }
  return {
    kind: "lock",
    text: writeLock([...modules, ...[...kept.values()].map(({ entry }) => entry)]),
    crates: [...kept.values(), ...higher.values()].map(({ crate }) => crate),
  };
}

/** What cargo took a later version of than was locked, for people: `serde 1.0.100, and 1.0.200 was taken`. */
export function listRaised(locked: string, resolved: string): string[] {
  const [before, after] = [locked, resolved].map((text) => packagesSchema.parse(parse(text)).package);
  const taken = new Map((after ?? []).map((entry) => [rangeOf(entry), entry.version]));
  return (before ?? []).flatMap((entry) => {
    const version = taken.get(rangeOf(entry));
    if (entry.source === undefined || version === undefined || version === entry.version) return [];
    return [`${keyOf(entry)}, and ${version} was taken`];
  });
}

function keyOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `${name} ${version}`;
}

/** Two versions of one range cannot both be in a build: `1`, `0.3`, `0.0.7`. */
function rangeOf({ name, version }: { readonly name: string; readonly version: string }): string {
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
