import { z } from "zod";
import type { Finding } from "../../source/finding.ts";
import { listedPackages, lockFile, packageFile, type PackageJson } from "../../source/imports/package-facts.ts";
import { pinsKey } from "../../source/imports/workspace-lock.ts";
import { type LockedPackage, type LockedPackages, listUsed, readLockFile } from "../../source/imports/package-lock.ts";

/** npm asks the registry it is told instead of this one, whatever the lock file says. */
const publicRegistry = "https://registry.npmjs.org";

export type FetchPlan =
  | { readonly kind: "nothing"; readonly findings: readonly Finding[] }
  /** Texts of the two files that npm is given: only what this module needs, in an order of their own. */
  | {
      readonly kind: "fetch";
      readonly packageText: string;
      readonly lockText: string;
      readonly findings: readonly Finding[];
    }
  /**
   * `by`: what it was seen in. The module's inputs: then it is so for these inputs whatever comes. Or parts of the lock
   * file that are no inputs (addresses, what a package asks for), and settings: they may change and the inputs stay.
   */
  | { readonly kind: "refused"; readonly by: "inputs" | "lock-text"; readonly message: string };

export interface PlanFetch {
  readonly own: PackageJson;
  /** Null: there is none. */
  readonly lockText: string | null;
  /** Packages that modules of the mesh bring: never fetched, whatever a registry has under their names. */
  readonly modules: ReadonlySet<string>;
  readonly registry: string;
}

/** What is fetched for a module, from its lock file alone. Only packages with a digest, and only from the registry. */
export function planFetch({ own, lockText, modules, registry }: PlanFetch): FetchPlan {
  const listed = Object.keys(listedPackages(own)).filter((name) => !modules.has(name));
  if (listed.length === 0) return { kind: "nothing", findings: [] };
  // The reader of imports refuses a module whose packages nobody publishes and no lock file has; these are modules.
  if (lockText === null) return { kind: "nothing", findings: listed.map(describeLeftOut) };
  const lock = readLockFile(lockText);
  if (lock.kind === "refused")
    return { kind: "refused", by: "inputs", message: `${lockFile}: ${lock.finding.message}` };
  const wanted = listed.filter((name) => {
    const entry = lock.packages.get(`node_modules/${name}`);
    // A link is another member of the workspace. Who imports it has it from the mesh; who only lists it goes without.
    return entry !== undefined && entry.link !== true;
  });
  const findings = listed.filter((name) => !wanted.includes(name)).map(describeLeftOut);
  if (wanted.length === 0) return { kind: "nothing", findings };
  const used = listUsed(lock.packages, wanted);
  for (const path of used) {
    const refusal = findRefusal(path, lock.packages.get(path) ?? {}, lock.packages, registry);
    if (refusal !== null)
      return { kind: "refused", by: refusal.by, message: `${lockFile}: ${path.slice(0, 200)} ${refusal.why}` };
  }
  const root = pickSections(own, new Set(wanted), readPins(lock.packages));
  const asked = findElsewhere(root);
  if (asked !== null) return { kind: "refused", by: "inputs", message: asked };
  const askedBelow = findElsewhereIn(used, lock.packages);
  if (askedBelow !== null) return { kind: "refused", by: "lock-text", message: askedBelow };
  const packages = Object.fromEntries(used.map((path) => [path, lock.packages.get(path)] as const));
  return {
    kind: "fetch",
    packageText: JSON.stringify(root),
    lockText: JSON.stringify({ ...root, lockfileVersion: 3, requires: true, packages: { "": root, ...packages } }),
    findings,
  };
}

function describeLeftOut(name: string): Finding {
  const message = `lists ${name}, which ${lockFile} does not have from a registry and no module that is imported publishes: it was left out`;
  return { severity: "warning", file: packageFile, line: 0, message };
}

/** Why an entry must not be fetched, and whether another text of the lock file could change that; null where it may. */
function findRefusal(
  path: string,
  entry: LockedPackage,
  packages: LockedPackages,
  registry: string,
): { readonly by: "inputs" | "lock-text"; readonly why: string } | null {
  const own = describeEntryRefusal(path, entry);
  if (own !== null) return { by: "inputs", why: own };
  const why = describeAddressRefusal(path, entry, packages, registry);
  if (why === null) return null;
  // Without a digest it is refused wherever it comes from.
  return { by: entry.integrity === undefined && entry.inBundle !== true ? "inputs" : "lock-text", why };
}

/** By its name and its digest: those are inputs. */
function describeEntryRefusal(path: string, { link, integrity }: LockedPackage): string | null {
  if (link === true) return "is a link to another folder: import that module by the name it publishes";
  if (!/^(node_modules\/(@[^/]+\/)?[^/@.][^/@]*\/?)+$/.test(`${path}/`)) return "is outside node_modules";
  if (integrity !== undefined && !/^(sha(1|256|384|512)-[A-Za-z0-9+/]+={0,2}( |$))+$/.test(integrity))
    return "has a digest of no known kind";
  return null;
}

function describeAddressRefusal(
  path: string,
  entry: LockedPackage,
  packages: LockedPackages,
  registry: string,
): string | null {
  if (entry.inBundle === true && entry.resolved === undefined)
    return isBundled(path, packages) ? null : "says it is bundled, and nothing around it bundles anything";
  if (entry.resolved === undefined) {
    // A lock file may leave the address out (npm's `omit-lockfile-registry-resolved`): then the version names it.
    if (!/^\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?$/.test(entry.version ?? "")) return "does not come from a registry";
  } else {
    if (!/^https?:\/\//.test(entry.resolved)) return "does not come from a registry";
    const host = originOf(entry.resolved);
    const own = originOf(registry);
    if (host === null || (host !== own && host !== publicRegistry))
      return (
        `comes from ${host ?? "nowhere"}, which is not the registry of this mesh (${own ?? registry}). Lock it again ` +
        "from there, or set registries.npm of settings.json to where it comes from; then it is tried again by itself"
      );
  }
  return entry.integrity === undefined ? "has no digest" : null;
}

/** What npm would fetch by what a package.json asks for, whatever the lock file says of it; null: nothing. */
function findElsewhere(root: Record<string, unknown>): string | null {
  for (const section of [...sections, "overrides"]) {
    const found = listSpecs(root[section]).find(([, spec]) => !isOfRegistry(spec));
    if (found !== undefined) return `${packageFile}: ${describeElsewhere(section, found)}`;
  }
  return null;
}

function findElsewhereIn(used: readonly string[], packages: LockedPackages): string | null {
  for (const path of used) {
    const entry = packages.get(path);
    if (entry === undefined || entry.inBundle === true) continue;
    for (const section of ["dependencies", "optionalDependencies", "peerDependencies"] as const) {
      const found = listSpecs(entry[section]).find(([, spec]) => !isOfRegistry(spec));
      if (found !== undefined)
        return `${lockFile}: ${path.slice(0, 200)} asks in its ${describeElsewhere(section, found)}`;
    }
  }
  return null;
}

function describeElsewhere(section: string, [name, spec]: readonly [string, string]): string {
  return `${section} for ${name.slice(0, 200)} as ${JSON.stringify(spec.slice(0, 200))}: only versions of a registry are fetched`;
}

/** Names with what is asked for, in any depth: overrides nest. */
function listSpecs(value: unknown): (readonly [string, string])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, spec]: [string, unknown]) =>
    typeof spec === "string" ? [[name, spec] as const] : listSpecs(spec),
  );
}

/** A range, a tag, `$name` of an override, or another name for any of these. An address, a folder and git's have a `/` or a `:`. */
function isOfRegistry(spec: string): boolean {
  return !/[/:\\]|^\.|\.(tgz|tar|tar\.gz)$/i.test(
    spec.replace(/^npm:(@[^/@:]+\/)?[^/@:]+@?/, "").replace(/^\$(@[^/@:]+\/)?/, ""),
  );
}

function isBundled(path: string, packages: LockedPackages): boolean {
  for (let at = path.lastIndexOf("/node_modules/"); at !== -1; at = path.lastIndexOf("/node_modules/", at - 1)) {
    const bundled = packages.get(path.slice(0, at))?.bundleDependencies;
    if (bundled === true || (Array.isArray(bundled) && bundled.length > 0)) return true;
  }
  return false;
}

/** Without a name and a password, which no message may hold. */
function originOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).origin : null;
}

const sections = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"] as const;

const pinsSchema = z.record(z.string(), z.string());

/** Of the lock file that a member of a workspace was given; null: the lock file is the module's own. */
function readPins(packages: LockedPackages): Readonly<Record<string, string>> | null {
  const pins = pinsSchema.safeParse(packages.get("")?.[pinsKey]);
  return pins.success ? pins.data : null;
}

function pickSections(
  own: PackageJson,
  wanted: ReadonlySet<string>,
  pins: Readonly<Record<string, string>> | null,
): Record<string, unknown> {
  const root: Record<string, unknown> = { name: "module", version: "0.0.0" };
  for (const section of sections) {
    const kept = Object.entries(own[section] ?? {}).filter(([name]) => wanted.has(name));
    const exact = kept.map(([name, range]) => [name, pins?.[name] ?? range] as const);
    if (exact.length > 0) root[section] = Object.fromEntries(exact.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
  // In a member of a workspace npm does not heed it.
  const more = pins === null ? (["peerDependenciesMeta", "overrides"] as const) : (["peerDependenciesMeta"] as const);
  for (const key of more) if (key in own) root[key] = own[key];
  return root;
}
