import { isBuiltin } from "node:module";
import { posix } from "node:path";
import type { Name } from "../../core/names.ts";
import type { Finding } from "../finding.ts";
import type { DeclaredImport, Import, Resolution, Resolver, ResolverContext } from "./import-reader.ts";
import { isExported, leavesOf, matchPattern, targetsOfExport } from "./package-exports.ts";
import {
  describeMissingLock,
  listedPackages,
  lockFile,
  packageFile,
  type PackageJson,
  readPackage,
  tsconfigFile,
} from "./package-facts.ts";
import { readLockedNames } from "./package-lock.ts";
import { type BaseElsewhere, isTsconfig, readSettings, type SettingsImport } from "./tsconfig.ts";
import { isData, sourceFolder } from "./typescript-source.ts";
import { findCodeUnread, isThere } from "./typescript-unread.ts";

const inside: Resolution = { owner: null, finding: null };

/** Specifier → owner, by the names that modules publish (R4). What is nobody's is said, never dropped. */
export function createTypeScriptResolver(context: ResolverContext): Resolver {
  const facts = readFacts(context);
  const resolve = (file: string, found: Import, use: "build" | "test"): Resolution => {
    const { specifier } = found;
    if (/^\.\.?(\/|$)/.test(specifier)) return resolvePath(context, file, specifier);
    if (/^(\/|[A-Za-z]:[\\/]|file:)/.test(specifier))
      return refuse(`imports ${specifier}: an absolute path is another one on every machine`);
    if (specifier.startsWith("data:")) return inside;
    if (specifier.startsWith("#")) {
      const targets = targetsOf(specifier, facts.internal);
      if (targets !== null) return resolveTargets(targets, specifier, file, found, use);
      return refuse(`imports ${specifier}, which imports of package.json does not have`);
    }
    if (isBuiltin(specifier)) return resolveBuiltin(context, specifier);
    const path = targetsOf(specifier, facts.paths);
    // Where nothing is at the end of a path the compiler looks for a package too, and so does Node in any case.
    if (path?.some((target) => isThere(context, target)) === true)
      return resolveTargets(path, specifier, file, found, use);
    return resolvePackage(context, facts, found, use);
  };
  /** Which condition holds is not known here, so all targets count. Paths among them begin at the module's folder. */
  const resolveTargets = (
    targets: readonly string[],
    specifier: string,
    file: string,
    found: Import,
    use: "build" | "test",
  ): Resolution => {
    const resolutions = targets.map((target) =>
      target.startsWith("#")
        ? refuse(`${specifier} leads to ${target}`)
        : target.startsWith(".")
          ? resolvePath(context, packageFile, target)
          : resolve(file, { ...found, specifier: target }, use),
    );
    const owners = resolutions.flatMap((one) => [...(one.owner === null ? [] : [one.owner]), ...(one.more ?? [])]);
    const [owner = null, ...more] = new Set(owners);
    return { owner, more, finding: resolutions.find((one) => one.finding !== null)?.finding ?? null };
  };
  const declared: DeclaredImport[] = [];
  const findings = [...facts.findings];
  for (const { specifier, file, line } of facts.settings) {
    if (specifier.startsWith(".")) {
      const { finding } = resolvePath(context, file, specifier);
      if (finding !== null) findings.push({ ...finding, file, line });
      continue;
    }
    const { owner, finding } = resolvePackage(context, facts, { specifier, kind: "type", line: 1 }, "build");
    // Of other packages the compiler says itself what it misses; the types of Node it has without asking.
    if (owner === null) continue;
    declared.push({ owner, use: "build", file, line });
    if (finding !== null) findings.push({ ...finding, file, line });
  }
  return { findings, declared, resolve };
}

interface Facts {
  readonly findings: readonly Finding[];
  readonly package: PackageJson;
  readonly internal: ReadonlyMap<string, readonly string[]>;
  readonly paths: ReadonlyMap<string, readonly string[]>;
  readonly settings: readonly SettingsImport[];
  readonly locked: () => ReadonlySet<string>;
}

function readFacts(context: ResolverContext): Facts {
  const settings = readSettings(context.facts, (specifier) => findBase(context, specifier));
  const findings: Finding[] = [...settings.findings];
  const reading = readPackage(context.facts.get(packageFile));
  const own = reading.kind === "package" ? reading.value : {};
  const internal = new Map(Object.entries(own.imports ?? {}).map(([key, target]) => [key, leavesOf(target)] as const));
  const paths = new Map(
    [...settings.paths].map(([key, targets]) => [key, targets.map((target) => `./${target}`)] as const),
  );
  // Parsed only when it is asked: lock files are large, and most imports are found before.
  let locked: ReadonlySet<string> | null = null;
  const lockText = context.facts.get(lockFile);
  const readLock = (): ReadonlySet<string> => {
    const names = readLockedNames(lockText);
    return "severity" in names ? new Set() : names;
  };
  // Modules of the mesh may be listed too: they come from the mesh, whatever a registry has under their names.
  const others = Object.keys(listedPackages(own)).filter((name) => !context.published.has(name));
  if (others.length > 0) {
    const names = readLockedNames(lockText);
    if ("severity" in names) findings.push(names);
    else if (lockText === undefined) {
      findings.push({
        severity: "error",
        file: packageFile,
        line: 0,
        message: describeMissingLock(others),
      });
    } else locked = names;
  }
  return { findings, package: own, internal, paths, settings: settings.imports, locked: () => (locked ??= readLock()) };
}

/** Where the settings of another module lie that this one extends: by its exports, else by the path behind its name. */
function findBase(context: ResolverContext, specifier: string): BaseElsewhere | null {
  const name = packageOf(specifier);
  const owner = context.published.get(name);
  if (owner === undefined || owner === context.module) return null;
  const facts = context.factsOf(owner);
  const reading = readPackage(facts.get(packageFile));
  const exported = reading.kind === "package" ? reading.value.exports : undefined;
  const subpath = `.${specifier.slice(name.length)}`;
  const targets = exported === undefined ? [subpath] : targetsOfExport(exported, subpath);
  const paths = targets.map((target) => posix.normalize(target === "." ? tsconfigFile : target));
  const file = paths.flatMap((path) => [path, `${path}.json`]).find((path) => facts.has(path) && isTsconfig(path));
  return { module: owner, facts, file: file ?? null };
}

function resolvePath(context: ResolverContext, file: string, specifier: string): Resolution {
  const target = posix.join(posix.dirname(file), specifier);
  const owner = context.ownerOfPath(target);
  if (owner !== null)
    return refuse(`imports ${specifier}, which belongs to module ${owner}: import it by the name it publishes`);
  if (leaves(file, specifier))
    return refuse(`imports ${specifier}, which is outside the module's folder and belongs to no module`);
  const code = findCodeUnread(context, target);
  if (code === null) return inside;
  // Most of what lies there imports nothing, and its module is fit: an error would break it for what may not be.
  if (isData(code))
    return warn(
      `imports ${specifier}: ${code} is in a folder of data, and what it imports is not known: it makes no edge`,
    );
  return refuse(
    `imports ${specifier}: ${code} is code outside ${sourceFolder}/, and what it imports is not known. Move it below ${sourceFolder}/`,
  );
}

/** By its own name the compiler and Node go where its exports lead: to what is compiled, or to code beside that. */
function resolveOwn(context: ResolverContext, own: PackageJson, specifier: string): Resolution {
  const targets = targetsOfExport(own.exports, `.${specifier.slice(packageOf(specifier).length)}`);
  const found = targets.filter((one) => one.startsWith("./")).map((one) => resolvePath(context, packageFile, one));
  return found.find(({ finding }) => finding !== null) ?? inside;
}

function leaves(file: string, specifier: string): boolean {
  const target = posix.join(posix.dirname(file), specifier);
  return specifier.startsWith(".") ? target === ".." || target.startsWith("../") : posix.isAbsolute(specifier);
}

function resolveBuiltin(context: ResolverContext, specifier: string): Resolution {
  const clash = specifier.startsWith("node:") ? undefined : context.published.get(packageOf(specifier));
  if (clash === undefined) return inside;
  return {
    owner: null,
    finding: {
      severity: "warning",
      message: `${specifier} is Node's own: module ${clash}, which publishes that name, cannot be imported by it`,
    },
  };
}

function resolvePackage(context: ResolverContext, facts: Facts, found: Import, use: "build" | "test"): Resolution {
  const name = packageOf(found.specifier);
  const own = facts.package;
  const owner = context.published.get(name);
  if (owner === context.module || name === own.name) return resolveOwn(context, own, found.specifier);
  if (owner !== undefined) return { owner, finding: judgeOwner(context, facts, owner, found.specifier) };
  const types = typesPackage(name);
  const has = (names: Record<string, string> | undefined): boolean =>
    names !== undefined && (Object.hasOwn(names, name) || Object.hasOwn(names, types));
  const isLocked = facts.locked().has(name) || facts.locked().has(types);
  if (Object.keys(listedPackages(own)).some((one) => one === name || one === types) && !isLocked)
    return refuse(`imports ${name}, which no module publishes and ${lockFile} does not have from a registry`);
  if (has(own.dependencies) || has(own.optionalDependencies) || has(own.peerDependencies)) return inside;
  if (has(own.devDependencies)) {
    if (use === "test" || found.kind === "type") return inside;
    return {
      owner: null,
      finding: {
        severity: "warning",
        message: `imports ${name}, which is in devDependencies only: the artifact will not have it`,
      },
    };
  }
  if (isLocked) {
    return {
      owner: null,
      finding: {
        severity: "warning",
        message: `imports ${name}, which package.json does not list: it is here only because something else needs it`,
      },
    };
  }
  const lower = context.published.get(name.toLowerCase());
  const close = lower === undefined ? "" : ` (module ${lower} publishes ${name.toLowerCase()}: names are lower case)`;
  const message = `imports ${name}, which no module publishes and package.json does not list${close}`;
  // A bare require may be guarded and optional, and of what is said in comments the compiler misses nothing that is not
  // checked; everything else is looked up by the compiler too.
  const isMissed = found.kind !== "require" && found.optional !== true;
  return { owner: null, finding: { severity: isMissed ? "error" : "warning", message } };
}

/** The edge is there in any case; what is wrong with the import is said beside it. */
function judgeOwner(context: ResolverContext, facts: Facts, owner: Name, specifier: string): Resolution["finding"] {
  const name = packageOf(specifier);
  const reading = readPackage(context.factsOf(owner).get(packageFile));
  const subpath = `.${specifier.slice(name.length)}`;
  if (reading.kind === "package" && !isExported(reading.value.exports, subpath)) {
    const what = subpath === "." ? "itself" : subpath;
    const message = `imports ${specifier}: module ${owner} does not export ${what} (exports of its package.json)`;
    return { severity: "error", message };
  }
  if (Object.hasOwn(listedPackages(facts.package), name)) return null;
  return {
    severity: "warning",
    message: `imports ${name}, which is module ${owner} and is not listed in package.json: the mesh builds against it, other tools will not find it`,
  };
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function typesPackage(name: string): string {
  return `@types/${name.startsWith("@") ? name.slice(1).replace("/", "__") : name}`;
}

/** The targets of the longest pattern that fits, with `*` filled in; null where none fits. */
function targetsOf(specifier: string, aliases: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const exact = aliases.get(specifier);
  if (exact !== undefined) return exact;
  const best = matchPattern(specifier, aliases.keys());
  if (best === null) return null;
  return (aliases.get(best.pattern) ?? []).map((target) => target.replaceAll("*", () => best.middle));
}

function refuse(message: string): Resolution {
  return { owner: null, finding: { severity: "error", message } };
}

function warn(message: string): Resolution {
  return { owner: null, finding: { severity: "warning", message } };
}
