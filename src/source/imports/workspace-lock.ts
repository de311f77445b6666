import { z } from "zod";
import type { FactFiles, MemberLock } from "./import-reader.ts";
import { listedPackages, lockFile, type PackageJson, packageFile, readPackage } from "./package-facts.ts";
import { entryLimit, type LockedPackage, type LockedPackages, type LockFile, readLockFile } from "./package-lock.ts";

/**
 * npm keeps one lock file above all members of a workspace, and lifts what they share next to it. A member is built alone,
 * so it gets a lock file of its own: the same packages, laid out as they are found from its folder.
 */
export function readMemberLock(text: string, member: string, facts: FactFiles): MemberLock {
  const lock = readOnce(text);
  if (lock.kind === "refused") return lock;
  if (!lock.packages.has(member)) return { kind: "not-a-member" };
  const reading = readPackage(facts.get(packageFile));
  const own: PackageJson = reading.kind === "package" ? reading.value : {};
  const placed = placePackages(lock.packages, member, Object.keys(listedPackages(own)));
  if (placed === null) {
    const message = `what ${member} needs of it is more than ${entryLimit} packages when it is laid out alone`;
    return { kind: "refused", finding: { severity: "error", file: lockFile, line: 0, message } };
  }
  const marks = markNeeds(lock.packages, member, own);
  const entries = [...placed].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const packages = Object.fromEntries(
    entries.map(([path, from]) => [
      path,
      { ...unmarked(lock.packages.get(from)), ...pinNeeds(lock.packages, placed, { path, from }), ...marks(from) },
    ]),
  );
  const root = { [pinsKey]: pinOwn(lock.packages, placed, { own, locked: lock.packages.get(member) }) };
  return {
    kind: "lock",
    text: JSON.stringify({ lockfileVersion: 3, requires: true, packages: { "": root, ...packages } }),
  };
}

/**
 * In the root entry of a member's own lock file: its packages at the versions that were locked. The `overrides` of the
 * workspace are in its root's package.json alone, and npm takes what they changed for a mistake where it does not see them.
 */
export const pinsKey = "pins";

const needKinds = ["dependencies", "optionalDependencies", "peerDependencies"] as const;

/** What a package needs, at exactly the version that is locked for it: it was resolved once, with all that the root says. */
function pinNeeds(
  packages: LockedPackages,
  placed: ReadonlyMap<string, string>,
  { path, from }: { readonly path: string; readonly from: string },
): Partial<LockedPackage> {
  const entry = packages.get(from);
  const pinned: Partial<Record<(typeof needKinds)[number], Record<string, string>>> = {};
  for (const section of needKinds) {
    const needs = Object.entries(entry?.[section] ?? {});
    if (needs.length > 0)
      pinned[section] = Object.fromEntries(
        needs.map(([name, range]) => [
          name,
          pinOf(packages, placed.get(findPackage(placed, path, name) ?? "")) ?? range,
        ]),
      );
  }
  return pinned;
}

/** Only what is locked as its package.json asks now: where that was changed since, npm is to say so. */
function pinOwn(
  packages: LockedPackages,
  placed: ReadonlyMap<string, string>,
  { own, locked }: { readonly own: PackageJson; readonly locked: LockedPackage | undefined },
): Record<string, string> {
  const asked = {
    ...locked?.peerDependencies,
    ...locked?.optionalDependencies,
    ...readSection(locked),
    ...locked?.dependencies,
  };
  const pins: Record<string, string> = {};
  for (const [name, range] of Object.entries(listedPackages(own))) {
    const pin = pinOf(packages, placed.get(`node_modules/${name}`));
    if (pin !== null && asked[name] === range) pins[name] = pin;
  }
  return pins;
}

const versions = z.record(z.string(), z.string());

function readSection(locked: LockedPackage | undefined): Readonly<Record<string, string>> {
  const read = versions.safeParse(locked?.["devDependencies"]);
  // absence is the answer: what is not a section asks for nothing, so nothing is pinned and npm says what does not fit
  return read.success ? read.data : {};
}

/** Null: another member, or what has no version. */
function pinOf(packages: LockedPackages, from: string | undefined): string | null {
  const { name, version, link } = packages.get(from ?? "") ?? {};
  if (version === undefined || link === true) return null;
  return name === undefined ? version : `npm:${name}@${version}`;
}

let last: { readonly text: string; readonly lock: LockFile } | null = null;

/** Members of one workspace are read one after the other, and its file is large. */
function readOnce(text: string): LockFile {
  if (last?.text !== text) last = { text, lock: readLockFile(text) };
  return last.lock;
}

/** New path → path in the workspace's file; null: past the limit. Top level first, below who needs it where that is taken. */
function placePackages(
  packages: LockedPackages,
  member: string,
  names: readonly string[],
): ReadonlyMap<string, string> | null {
  const placed = new Map<string, string>();
  const left: { readonly at: string; readonly from: string }[] = [];
  const place = (at: string, name: string, from: string): void => {
    const path = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
    placed.set(path, from);
    left.push({ at: path, from });
  };
  for (const name of names.toSorted()) {
    const from = findPackage(packages, member, name);
    if (from !== null) place("", name, from);
  }
  for (let one = left.shift(); one !== undefined; one = left.shift()) {
    if (placed.size > entryLimit) return null;
    const entry = packages.get(one.from);
    // A link is another member: what it needs is its own matter.
    if (entry === undefined || entry.link === true) continue;
    for (const name of Object.keys(needsOf(entry)).toSorted()) {
      const from = findPackage(packages, one.from, name);
      if (from === null) continue;
      const visible = findPackage(placed, one.at, name);
      if (visible !== null && placed.get(visible) === from) continue;
      place(visible === null ? "" : one.at, name, from);
    }
  }
  return placed;
}

/** As Node finds a package from a folder: in it, then in those above. Null: nowhere. */
function findPackage(packages: ReadonlyMap<string, unknown>, from: string, name: string): string | null {
  for (let folder = from; ; folder = parentOf(folder)) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages.has(path)) return path;
    if (folder === "") return null;
  }
}

function parentOf(folder: string): string {
  const at = folder.lastIndexOf("/");
  return at === -1 ? "" : folder.slice(0, at);
}

function needsOf(entry: LockedPackage): Readonly<Record<string, string>> {
  return { ...entry.peerDependencies, ...entry.optionalDependencies, ...entry.dependencies };
}

function unmarked(entry: LockedPackage | undefined): Partial<LockedPackage> {
  const { dev: _dev, optional: _optional, devOptional: _devOptional, ...rest } = entry ?? {};
  return rest;
}

type Marks = { readonly dev?: true; readonly optional?: true };

/** The workspace's marks are about all its members together; these are about one. */
function markNeeds(packages: LockedPackages, member: string, own: PackageJson): (path: string) => Marks {
  const reach = (
    sections: readonly (Readonly<Record<string, string>> | undefined)[],
    optional: boolean,
  ): Set<string> => {
    const reached = new Set<string>();
    const visit = (from: string, name: string): void => {
      const path = findPackage(packages, from, name);
      if (path !== null) reached.add(path);
    };
    for (const section of sections) for (const name of Object.keys(section ?? {})) visit(member, name);
    for (const path of reached) {
      const entry = packages.get(path);
      if (entry === undefined || entry.link === true) continue;
      const needs = optional ? needsOf(entry) : { ...entry.peerDependencies, ...entry.dependencies };
      for (const name of Object.keys(needs)) visit(path, name);
    }
    return reached;
  };
  const production = [own.dependencies, own.peerDependencies];
  const run = reach([...production, own.optionalDependencies], true);
  const required = reach([...production, own.devDependencies], false);
  return (path) => ({
    ...(run.has(path) ? {} : { dev: true as const }),
    ...(required.has(path) ? {} : { optional: true as const }),
  });
}
