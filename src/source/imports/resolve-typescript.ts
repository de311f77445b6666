import { isBuiltin } from "node:module";
import { posix } from "node:path";
import { z } from "zod";
import type { Finding } from "../finding.ts";
import type { Import, Resolution, Resolver, ResolverContext } from "./import-reader.ts";
import {
  lockFile,
  packageFile,
  type PackageJson,
  parseJson,
  readLockedNames,
  readPackage,
  stripJsonComments,
  tsconfigFile,
} from "./package-facts.ts";

const inside: Resolution = { owner: null, finding: null };

const tsconfigSchema = z.looseObject({
  extends: z.union([z.string(), z.array(z.string())]).optional(),
  compilerOptions: z.looseObject({ paths: z.record(z.string(), z.array(z.string())).optional() }).optional(),
});

/** Specifier → owner, by the names that modules publish (R4). What is nobody's is said, never dropped. */
export function createTypeScriptResolver(context: ResolverContext): Resolver {
  const facts = readFacts(context);
  const resolve = (file: string, found: Import, use: "build" | "test"): Resolution => {
    const { specifier } = found;
    if (/^\.\.?(\/|$)/.test(specifier)) return resolvePath(context, file, specifier);
    if (/^(\/|[A-Za-z]:[\\/]|file:)/.test(specifier))
      return refuse(`imports ${specifier}: an absolute path is another one on every machine`);
    if (specifier.startsWith("data:")) return inside;
    if (specifier.startsWith("#"))
      return resolveAliases(specifier, facts.internal, "imports of package.json", file, found, use);
    if (isBuiltin(specifier)) return resolveBuiltin(context, specifier);
    const paths = targetsOf(specifier, facts.paths);
    if (paths !== null)
      return resolveAliases(specifier, facts.paths, "paths of tsconfig.json", tsconfigFile, found, use);
    return resolvePackage(context, facts, found, use);
  };
  const resolveAliases = (
    specifier: string,
    aliases: ReadonlyMap<string, readonly string[]>,
    where: string,
    file: string,
    found: Import,
    use: "build" | "test",
  ): Resolution => {
    const targets = targetsOf(specifier, aliases);
    if (targets === null) return refuse(`imports ${specifier}, which ${where} does not have`);
    const resolutions = targets.map((target) =>
      target.startsWith("#")
        ? refuse(`${specifier} leads to ${target}`)
        : target.startsWith(".")
          ? resolvePath(context, tsconfigFile, target)
          : resolve(file, { ...found, specifier: target }, use),
    );
    return resolutions.find((one) => one.finding !== null) ?? resolutions.find((one) => one.owner !== null) ?? inside;
  };
  return { findings: facts.findings, declared: [], resolve };
}

interface Facts {
  readonly findings: readonly Finding[];
  readonly package: PackageJson;
  readonly internal: ReadonlyMap<string, readonly string[]>;
  readonly paths: ReadonlyMap<string, readonly string[]>;
  readonly locked: () => ReadonlySet<string>;
}

function readFacts(context: ResolverContext): Facts {
  const findings: Finding[] = [];
  const reading = readPackage(context.facts.get(packageFile));
  const own = reading.kind === "package" ? reading.value : {};
  const internal = new Map(Object.entries(own.imports ?? {}).map(([key, target]) => [key, leavesOf(target)] as const));
  const paths = new Map<string, readonly string[]>();
  const tsconfigText = context.facts.get(tsconfigFile);
  if (tsconfigText !== undefined) {
    const tsconfig = parseJson(stripJsonComments(tsconfigText), tsconfigFile, tsconfigSchema);
    if (tsconfig.kind === "refused") findings.push(tsconfig.finding);
    else {
      for (const [key, targets] of Object.entries(tsconfig.value.compilerOptions?.paths ?? {})) {
        paths.set(
          key,
          targets.map((target) => (target.startsWith(".") ? target : `./${target}`)),
        );
      }
      for (const base of [tsconfig.value.extends ?? []].flat()) {
        if (!leaves(tsconfigFile, base)) continue;
        findings.push({
          severity: "error",
          file: tsconfigFile,
          line: 0,
          message: `extends ${base}, which is outside the module's folder: the build does not have it`,
        });
      }
    }
  }
  // Parsed only when it is asked: lock files are large, and most imports are found before.
  let locked: ReadonlySet<string> | null = null;
  const lockText = context.facts.get(lockFile);
  const readLock = (): ReadonlySet<string> => {
    const names = readLockedNames(lockText);
    return "severity" in names ? new Set() : names;
  };
  if (Object.keys(thirdParties(own)).length > 0) {
    const names = readLockedNames(lockText);
    if ("severity" in names) findings.push(names);
    else if (lockText === undefined) {
      findings.push({
        severity: "error",
        file: packageFile,
        line: 0,
        message: "lists packages, but there is no package-lock.json to fetch them by",
      });
    } else locked = names;
  }
  return { findings, package: own, internal, paths, locked: () => (locked ??= readLock()) };
}

function thirdParties(own: PackageJson): Record<string, string> {
  return { ...own.peerDependencies, ...own.optionalDependencies, ...own.devDependencies, ...own.dependencies };
}

function resolvePath(context: ResolverContext, file: string, specifier: string): Resolution {
  const target = posix.normalize(posix.join(posix.dirname(file), specifier));
  const owner = context.ownerOfPath(target);
  if (owner !== null)
    return refuse(`imports ${specifier}, which belongs to module ${owner}: import it by the name it publishes`);
  if (leaves(file, specifier))
    return refuse(`imports ${specifier}, which is outside the module's folder and belongs to no module`);
  return inside;
}

function leaves(file: string, specifier: string): boolean {
  const target = posix.normalize(posix.join(posix.dirname(file), specifier));
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
  if (owner === context.module || name === own.name) return inside;
  if (owner !== undefined) return { owner, finding: null };
  const types = typesPackage(name);
  const has = (names: Record<string, string> | undefined): boolean =>
    names !== undefined && (Object.hasOwn(names, name) || Object.hasOwn(names, types));
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
  if (facts.locked().has(name) || facts.locked().has(types)) {
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
  // A bare require may be guarded and optional; everything else is looked up by the compiler too.
  return { owner: null, finding: { severity: found.kind === "require" ? "warning" : "error", message } };
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function typesPackage(name: string): string {
  return `@types/${name.startsWith("@") ? name.slice(1).replace("/", "__") : name}`;
}

/** All strings of a conditional target, in any depth. */
function leavesOf(target: unknown): string[] {
  if (typeof target === "string") return [target];
  if (typeof target !== "object" || target === null) return [];
  return Object.values(target).flatMap(leavesOf);
}

/** The targets of the longest pattern that fits, with `*` filled in; null where none fits. */
function targetsOf(specifier: string, aliases: ReadonlyMap<string, readonly string[]>): string[] | null {
  const exact = aliases.get(specifier);
  if (exact !== undefined) return [...exact];
  let best: { length: number; targets: string[] } | null = null;
  for (const [pattern, targets] of aliases) {
    const [before = "", after] = pattern.split("*", 2);
    if (
      after === undefined ||
      !specifier.startsWith(before) ||
      !specifier.endsWith(after) ||
      specifier.length < before.length + after.length
    )
      continue;
    const middle = specifier.slice(before.length, specifier.length - after.length);
    if (best === null || before.length > best.length)
      best = { length: before.length, targets: targets.map((target) => target.replace("*", () => middle)) };
  }
  return best === null ? null : best.targets;
}

function refuse(message: string): Resolution {
  return { owner: null, finding: { severity: "error", message } };
}
