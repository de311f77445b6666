import { posix } from "node:path";
import type { Name } from "../../core/names.ts";
import type { Finding } from "../finding.ts";
import type { DeclaredImport, Import, Resolution, Resolver, ResolverContext } from "./import-reader.ts";
import { findRustFaults } from "./rust-faults.ts";
import { parseCargoLock } from "./rust-lock.ts";
import {
  type CargoDependency,
  cargoFile,
  cargoLockAbove,
  cargoLockFile,
  type CargoManifest,
  identifierOf,
  readCargoManifest,
  rustOwnNames,
  sayNotInherited,
} from "./rust-manifest.ts";

const inside: Resolution = { owner: null, finding: null };

/** Edges from Cargo.toml, and what the code uses without declaring it (R4). */
export function createRustResolver(context: ResolverContext): Resolver {
  const reading = readCargoManifest(context.facts.get(cargoFile));
  const fileFaults = findRustFaults(context.files);
  if (reading.kind !== "manifest") {
    const message = "there is none: Rust code is built by cargo, which needs it";
    const none: Finding = { severity: "error", file: cargoFile, line: 0, message };
    // One that cannot be read was said where the module's names were asked for.
    const findings = reading.kind === "refused" ? fileFaults : [...fileFaults, none];
    return { findings, declared: [], resolve: () => inside };
  }
  const facts = readFacts(context, reading.manifest);
  return {
    findings: [...fileFaults, ...facts.findings],
    declared: facts.declared,
    resolve: (file, found, use) => resolve(context, facts, file, found, use),
  };
}

interface Facts {
  readonly manifest: CargoManifest;
  readonly findings: readonly Finding[];
  readonly declared: readonly DeclaredImport[];
  /** By what code calls it. */
  readonly names: ReadonlyMap<string, { readonly owner: Name | null; readonly uses: ReadonlySet<"build" | "test"> }>;
}

function readFacts(context: ResolverContext, manifest: CargoManifest): Facts {
  const findings: Finding[] = [...manifest.findings, ...findManifestFaults(manifest)];
  const declared: DeclaredImport[] = [];
  const names = new Map<string, { owner: Name | null; uses: Set<"build" | "test"> }>();
  const locked = readLockedNames(context, manifest, findings);
  for (const dependency of manifest.dependencies) {
    const { owner, fault } = placeDependency(context, dependency, locked);
    const { line, key } = dependency;
    if (fault !== null) findings.push({ severity: "error", file: cargoFile, line, message: fault });
    const use = dependency.kind === "dev" ? "test" : "build";
    const known = names.get(identifierOf(key)) ?? { owner, uses: new Set() };
    known.uses.add(use);
    names.set(identifierOf(key), known);
    if (owner !== null) declared.push({ owner, use, file: cargoFile, line });
  }
  return { manifest, findings, declared, names };
}

/** Null: a fault that was said, so that nothing more is asked of it. */
function readLockedNames(context: ResolverContext, manifest: CargoManifest, findings: Finding[]): Set<string> | null {
  const text = context.facts.get(cargoLockFile);
  if (text === undefined) return new Set();
  // Large, and wanted only where there is a stranger among the dependencies.
  if (manifest.dependencies.every((one) => context.published.has(one.package))) return new Set();
  const lock = parseCargoLock(text);
  if (lock.kind === "crates") return new Set(lock.crates.map((one) => one.name));
  findings.push({ severity: "error", file: cargoLockFile, line: 0, message: lock.message });
  return null;
}

interface Placed {
  readonly owner: Name | null;
  readonly fault: string | null;
}

function placeDependency(
  context: ResolverContext,
  dependency: CargoDependency,
  locked: ReadonlySet<string> | null,
): Placed {
  const { key, package: name, path, table } = dependency;
  const refuse = (fault: string): Placed => ({ owner: null, fault });
  if ("git" in table) return refuse(`${key} comes from git: import a module, or a crate of the registry`);
  for (const other of ["registry", "registry-index", "base"])
    if (other in table) return refuse(`${key} names its own ${other}: only crates.io is fetched`);
  const owner = context.published.get(name) ?? null;
  if (path !== null) return placePath(context, dependency, path, owner);
  if (owner === context.module) return refuse(`${key} is the module itself`);
  if (owner !== null) {
    const exact = exactNames(context.published).get(owner);
    return exact === undefined || exact === name
      ? { owner, fault: null }
      : { owner, fault: `${key} is package ${name}, which module ${owner} writes ${exact}` };
  }
  if (rustOwnNames.has(identifierOf(name)))
    return refuse(`${key} is package ${name}, a name that Rust keeps for itself: no module is imported by it`);
  if (locked === null || locked.has(name)) return { owner: null, fault: null };
  if (context.facts.get(cargoLockFile) === undefined)
    return refuse(
      `${key}: no module publishes ${name}, and there is no ${cargoLockFile} to fetch it by${cargoLockAbove}`,
    );
  return refuse(`${key}: no module publishes ${name}, and ${cargoLockFile} does not have it`);
}

/** `path = "../core"` is how people work on two crates at once: right where that folder's module publishes that name. */
function placePath(context: ResolverContext, dependency: CargoDependency, path: string, owner: Name | null): Placed {
  const { key, package: name } = dependency;
  const place = context.ownerOfPath(path);
  if (!posix.isAbsolute(path) && owner !== null && owner !== context.module && place === owner)
    return { owner, fault: null };
  if (!posix.isAbsolute(path) && place !== null)
    return {
      owner: null,
      fault: `${key} is at ${path}, which belongs to module ${place}: that module does not publish ${name}`,
    };
  if (posix.isAbsolute(path) || posix.normalize(path).startsWith(".."))
    return {
      owner: null,
      fault: `${key} is at ${path}, which is outside the module's folder and belongs to no module that publishes ${name}: leave path out`,
    };
  return { owner: null, fault: `${key} is at ${path}, inside this module: a module is one crate` };
}

/** Keys that would bring other code than the closure's, or that need a workspace around the module. */
function findManifestFaults({ value, lineOf }: CargoManifest): Finding[] {
  const findings: Finding[] = [];
  const say = (path: readonly string[], message: string): void =>
    void findings.push({ severity: "error", file: cargoFile, line: lineOf(path), message });
  if ("patch" in value) say(["patch"], "[patch] puts other code in the place of what is declared");
  if ("replace" in value) say(["replace"], "[replace] puts other code in the place of what is declared");
  const workspace = asRecord(value["workspace"]);
  const members = workspace["members"];
  if (Array.isArray(members) && members.some((member) => member !== "." && member !== ""))
    say(["workspace", "members"], "a workspace of several crates: a module is one crate");
  const own = asRecord(value["package"]);
  if (own["workspace"] !== undefined)
    say(
      ["package", "workspace"],
      "the workspace is outside the module's folder, and the build does not have it: leave this line out",
    );
  const shared = asRecord(workspace["package"]);
  for (const [key, entry] of Object.entries(own))
    if (asRecord(entry)["workspace"] === true && !(key in shared))
      say(["package", key], `${key} ${sayNotInherited("package")}`);
  if (asRecord(value["lints"])["workspace"] === true && !("lints" in workspace))
    say(["lints"], `what is checked ${sayNotInherited("lints")}`);
  const paths: (readonly [readonly string[], unknown])[] = [
    [["package", "build"], own["build"]],
    [["lib", "path"], asRecord(value["lib"])["path"]],
  ];
  for (const section of ["bin", "test", "bench", "example"])
    for (const target of listOf(value[section])) paths.push([[section], asRecord(target)["path"]]);
  for (const [where, path] of paths)
    if (typeof path === "string" && leaves(path)) say(where, `${path} is outside the module's folder`);
  return findings;
}

function resolve(
  context: ResolverContext,
  facts: Facts,
  file: string,
  found: Import,
  use: "build" | "test",
): Resolution {
  const { specifier: name, kind } = found;
  if (/^[./]/.test(name)) return resolveFile(context, file, name);
  const known = facts.names.get(name);
  if (known !== undefined) {
    // What only tests are built against is no build edge, wherever it is named: `mod tests;` in a file of its own.
    const reaches = known.uses.has("build") || use === "test";
    return { owner: reaches && known.owner !== context.module ? known.owner : null, finding: null };
  }
  if (rustOwnNames.has(name) || name === identifierOf(facts.manifest.name)) return inside;
  const owner = context.published.get(name) ?? null;
  if (owner === context.module) return inside;
  const warn = (message: string): Resolution => ({ owner, finding: { severity: "warning", message } });
  if (owner !== null)
    return warn(`uses ${name}, which module ${owner} publishes, and ${cargoFile} does not list: cargo will refuse it`);
  // Before 2018 such names begin at the crate itself.
  if (kind === "type" || (facts.manifest.edition === "2015" && kind !== "require")) return inside;
  const message = `uses ${name}, which no module publishes and ${cargoFile} does not list`;
  // The compiler says it too where it matters: tests may be data for other tests, and a name may be made by a macro.
  return { owner: null, finding: { severity: kind === "dynamic" || use === "test" ? "warning" : "error", message } };
}

function resolveFile(context: ResolverContext, file: string, path: string): Resolution {
  const target = posix.isAbsolute(path) ? path : posix.normalize(posix.join(posix.dirname(file), path));
  if (!leaves(target)) return inside;
  const owner = posix.isAbsolute(path) ? null : context.ownerOfPath(target);
  const whose = owner === null ? "is outside the module's folder" : `belongs to module ${owner}`;
  return { owner: null, finding: { severity: "error", message: `takes in ${path}, which ${whose}` } };
}

function leaves(path: string): boolean {
  return posix.isAbsolute(path) || /^\.\.(\/|$)/.test(posix.normalize(path));
}

const exactByPublished = new WeakMap<ReadonlyMap<string, Name>, Map<Name, string>>();

/** How each module itself writes its package's name. Worked out once for all modules of a comparison. */
function exactNames(published: ReadonlyMap<string, Name>): Map<Name, string> {
  const known = exactByPublished.get(published);
  if (known !== undefined) return known;
  const exact = new Map<Name, string>();
  for (const [name, module] of published)
    if (!exact.has(module) || name !== identifierOf(name)) exact.set(module, name);
  exactByPublished.set(published, exact);
  return exact;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
