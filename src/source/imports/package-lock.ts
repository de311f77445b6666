import { z } from "zod";
import type { Finding } from "../finding.ts";
import type { FactFiles, LockReading } from "./import-reader.ts";
import { listedPackages, lockFile, packageFile, parseJson, readPackage } from "./package-facts.ts";

/** A tree of packages is large, but not this large; past it the file is refused. */
export const entryLimit = 30_000;

const versionsSchema = z.record(z.string(), z.string()).optional();

const entrySchema = z.looseObject({
  /** Where the folder is called otherwise: `npm:` aliases. */
  name: z.string().optional(),
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  devOptional: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  bundleDependencies: z.union([z.array(z.string()), z.boolean()]).optional(),
  os: z.unknown().optional(),
  cpu: z.unknown().optional(),
  libc: z.unknown().optional(),
  dependencies: versionsSchema,
  optionalDependencies: versionsSchema,
  peerDependencies: versionsSchema,
});

const lockSchema = z.looseObject({
  lockfileVersion: z.literal([2, 3]),
  packages: z.record(z.string(), entrySchema),
});

export type LockedPackage = z.infer<typeof entrySchema>;
/** By path: `node_modules/a/node_modules/b`. */
export type LockedPackages = ReadonlyMap<string, LockedPackage>;

export type LockFile =
  | { readonly kind: "lock"; readonly packages: LockedPackages }
  | { readonly kind: "refused"; readonly finding: Finding };

export function readLockFile(text: string): LockFile {
  const lock = parseJson(text, lockFile, lockSchema);
  if (lock.kind === "refused") return lock;
  const packages = new Map(Object.entries(lock.value.packages));
  if (packages.size <= entryLimit) return { kind: "lock", packages };
  const message = `lists ${packages.size} packages, and the limit is ${entryLimit}`;
  return { kind: "refused", finding: { severity: "error", file: lockFile, line: 0, message } };
}

/** Paths of these packages and of everything they need, as Node finds it: the nearest folder, then those above. Sorted. */
export function listUsed(packages: LockedPackages, names: readonly string[]): string[] {
  const used = new Set<string>();
  const visit = (from: string, name: string): void => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
      const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
      if (packages.has(path)) {
        used.add(path);
        return;
      }
      if (folder === "") return;
    }
  };
  for (const name of names) visit("", name);
  // A set is walked in the order of adding, and what is added on the way is walked too.
  for (const path of used) {
    const entry = packages.get(path);
    const needs = { ...entry?.peerDependencies, ...entry?.optionalDependencies, ...entry?.dependencies };
    for (const name of Object.keys(needs)) visit(path, name);
  }
  return [...used].toSorted();
}

/**
 * What the lock file resolves for this module: packages that it needs, with their digests. Where they come from, how
 * the file is written and what else it holds may change without meaning.
 */
export function readPackageLock(facts: FactFiles): LockReading {
  const text = facts.get(lockFile);
  const own = readPackage(facts.get(packageFile));
  const names = own.kind === "package" ? Object.keys(listedPackages(own.value)) : [];
  if (text === undefined || names.length === 0) return { kind: "none" };
  const lock = readLockFile(text);
  if (lock.kind === "refused") return lock;
  return { kind: "locked", entries: listUsed(lock.packages, names).map((path) => describeEntry(lock.packages, path)) };
}

function describeEntry(packages: LockedPackages, path: string): string {
  const { name, version, integrity, dev, optional, devOptional, inBundle, link, os, cpu, libc } =
    packages.get(path) ?? {};
  return `${path} ${JSON.stringify([name, version, integrity, dev, optional, devOptional, inBundle, link, os, cpu, libc])}`;
}

/** Names of all packages that the lock file brings. Not of links: those are other members of a workspace, by their folders. */
export function readLockedNames(text: string | undefined): ReadonlySet<string> | Finding {
  if (text === undefined) return new Set();
  const lock = readLockFile(text);
  if (lock.kind === "refused") return lock.finding;
  const names = new Set<string>();
  for (const [path, { link }] of lock.packages) {
    const at = path.lastIndexOf("node_modules/");
    if (at !== -1 && link !== true) names.add(path.slice(at + "node_modules/".length));
  }
  return names;
}
