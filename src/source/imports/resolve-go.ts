import { posix } from "node:path";
import type { Name } from "../../core/names.ts";
import type { Finding } from "../finding.ts";
import { isModulePath } from "./go-lock.ts";
import { goModFile, type GoMod, isFolder, isWithin, readGoMod } from "./go-mod.ts";
import { isGoSource, isGoTest, listNestedModules } from "./go-source.ts";
import { goStandardPackages } from "./go-standard-packages.ts";
import type { Import, ModuleText, PublishedNames, Resolution, Resolver, ResolverContext } from "./import-reader.ts";

const inside: Resolution = { owner: null, finding: null };

/** The module path of go.mod. Packages below it are the module's too: an import of one is an import of the module. */
export function publishGoName({ facts }: ModuleText): PublishedNames {
  const text = facts.get(goModFile);
  const { module, findings } = readGoMod(text ?? "");
  const say = (severity: "error" | "warning", message: string): Finding => {
    return { severity, file: goModFile, line: 0, message };
  };
  if (text === undefined) return { names: [], findings: [] };
  if (module === "")
    return { names: [], findings: [...findings, say("error", "names no module: its first line is `module PATH`")] };
  if (!isModulePath(module)) return { names: [], findings: [say("error", `${module} is no path of a module`)] };
  if (goStandardPackages.has(module))
    return {
      names: [module],
      findings: [say("warning", `${module} is a name of Go's own: an import of it is never this module`)],
    };
  if (hasHost(module)) return { names: [module], findings: [] };
  const message = `${module} has no dot before its first slash, and Go keeps such names: no other module can import it`;
  return { names: [module], findings: [say("warning", message)] };
}

function hasHost(path: string): boolean {
  return path.split("/", 1)[0]?.includes(".") === true;
}

interface Facts {
  readonly mod: GoMod;
  /** Folders that hold a package others may import, and folders that are modules of their own. */
  readonly packages: ReadonlySet<string>;
  readonly nested: readonly string[];
  readonly required: ReadonlySet<string>;
}

export function createGoResolver(context: ResolverContext): Resolver {
  const text = context.facts.get(goModFile);
  const mod = readGoMod(text ?? "module none.invalid/none\n");
  const nested = listNestedModules(context.files);
  const findings: Finding[] = [...mod.findings];
  if (text === undefined)
    findings.push({ severity: "error", file: goModFile, line: 0, message: "there is none: say `go mod init`" });
  for (const folder of nested) {
    const message = "makes a module of its own, which is no part of this one: register it as a module too";
    findings.push({ severity: "warning", file: `${folder}/${goModFile}`, line: 0, message });
  }
  for (const finding of [...describeReplaces(context, mod), ...describeVendored(context)]) findings.push(finding);
  const packages = context.files
    .filter((path) => isGoSource(path) && !isGoTest(path))
    .map((path) => posix.dirname(path));
  const facts: Facts = {
    mod,
    nested,
    packages: new Set(packages.filter((folder) => !isNested(nested, folder))),
    required: new Set(mod.requires.map(({ path }) => path)),
  };
  // By folder: one has many files, and each of them many imports.
  const left = new Map<string, boolean>();
  const resolve = (file: string, found: Import): Resolution => {
    const folder = posix.dirname(file);
    const isLeftOut = left.get(folder) ?? (isNested(nested, folder) || isIgnored(mod.ignores, folder));
    left.set(folder, isLeftOut);
    return isLeftOut ? inside : resolveImport(context, facts, file, found.specifier);
  };
  return { findings, declared: [], resolve };
}

function isNested(nested: readonly string[], folder: string): boolean {
  return nested.some((one) => isWithin(one, folder));
}

/** go.mod's `ignore`: `./a/b` is that folder, `a/b` every one of that name. */
function isIgnored(ignores: readonly string[], folder: string): boolean {
  return ignores.some((one) =>
    one.startsWith("./")
      ? isWithin(posix.normalize(one).replace(/\/$/, ""), folder)
      : `/${folder}/`.includes(`/${one.replace(/\/$/, "")}/`),
  );
}

function describeReplaces(context: ResolverContext, mod: GoMod): Finding[] {
  return mod.replaces.flatMap(({ path, to, line }): Finding[] => {
    const say = (message: string): Finding[] => [{ severity: "error", file: goModFile, line, message }];
    const owner = context.published.get(path);
    if (isFolder(to)) {
      const where = posix.normalize(to);
      const leaves = posix.isAbsolute(to) || where === ".." || where.startsWith("../");
      const place = leaves ? "which is outside the module's folder" : "which is a module of its own";
      return say(`replaces ${path} by ${to}, ${place}: register that as a module, and take the replace out`);
    }
    if (owner !== undefined && owner !== context.module)
      return say(`replaces ${path}, which module ${owner} publishes: take the replace out`);
    return [];
  });
}

/** What lies under vendor/ is never built; what would be mistaken for the module of that name is said. */
function describeVendored(context: ResolverContext): Finding[] {
  const copies = new Map<string, Name>();
  let vendored = false;
  for (const path of context.files) {
    if (!path.startsWith("vendor/")) continue;
    vendored = true;
    const owner = longestOf(posix.dirname(path).slice("vendor/".length), (prefix) => context.published.has(prefix));
    const module = owner === null ? undefined : context.published.get(owner);
    if (owner !== null && module !== undefined) copies.set(owner, module);
  }
  if (!vendored) return [];
  const say = (file: string, message: string): Finding => ({ severity: "warning", file, line: 0, message });
  return [
    say("vendor", "is not used: third parties come by go.sum, modules of the mesh by their artifacts"),
    ...[...copies].map(([path, module]) =>
      say(`vendor/${path}`, `is a copy of module ${module}, and not what is built`),
    ),
  ];
}

/** The longest of `a/b/c`, `a/b`, `a` that passes. */
function longestOf(path: string, passes: (prefix: string) => boolean): string | null {
  for (let prefix = path; prefix !== ""; prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf("/"))))
    if (passes(prefix)) return prefix;
  return null;
}

function resolveImport(context: ResolverContext, facts: Facts, file: string, path: string): Resolution {
  if (path === "C")
    return warn("imports C: there is no C compiler in the build (CGO_ENABLED=0), so it leaves this file out");
  if (isFolder(path)) return refuse(`imports ${path}: Go modules have no relative imports, say the whole path`);
  if (goStandardPackages.has(path)) return resolveStandard(context, path);
  if (/(^|\/)vendor\//.test(path)) return refuse(`imports ${path}: a vendored package has the path it has elsewhere`);
  const own = facts.mod.module;
  const from = posix.join(own, posix.dirname(file));
  const hidden = describeInternal(path, from);
  const name = longestOf(
    path,
    (prefix) => prefix === own || context.published.has(prefix) || facts.required.has(prefix),
  );
  const owner = name === null ? undefined : name === own ? context.module : context.published.get(name);
  if (name !== null && owner === context.module) return hidden ?? resolveOwn(facts, path);
  if (name !== null && owner !== undefined) {
    if (!hasHost(name))
      return { ...refuse(`imports ${path}: a name without a dot before its first slash is Go's own`), owner };
    if (hidden !== null) return { ...hidden, owner };
    if (facts.required.has(name)) return { owner, finding: null };
    const message = `imports ${path}, and go.mod does not require ${name}: it is built against module ${owner} all the same`;
    return { owner, finding: { severity: "warning", message } };
  }
  if (name !== null) return hidden ?? inside;
  if (!hasHost(path))
    return refuse(`imports ${path}, which is not in Go's standard library, and no module publishes it`);
  const lower = longestOf(path.toLowerCase(), (prefix) => context.published.has(prefix));
  const close = lower === null ? "" : ` (module ${context.published.get(lower)} publishes ${lower})`;
  return refuse(`imports ${path}, which no module publishes and go.mod does not require${close}`);
}

function resolveStandard(context: ResolverContext, path: string): Resolution {
  const clash = context.published.get(path);
  if (clash === undefined || clash === context.module) return inside;
  return warn(`${path} is Go's own: module ${clash}, which publishes that name, cannot be imported by it`);
}

/** A package of the module itself must be there. */
function resolveOwn(facts: Facts, path: string): Resolution {
  const folder = path === facts.mod.module ? "." : path.slice(facts.mod.module.length + 1);
  const other = facts.nested.find((one) => isWithin(one, folder));
  if (other !== undefined)
    return refuse(`imports ${path}, but ${other}/${goModFile} makes that folder a module of its own`);
  return facts.packages.has(folder) ? inside : refuse(`imports ${path}, and there is no package in folder ${folder}`);
}

/** Go's rule: what is below `a/internal` is for packages below `a`. */
function describeInternal(path: string, from: string): Resolution | null {
  const at = `/${path}/`.lastIndexOf("/internal/");
  if (at === -1) return null;
  const parent = path.slice(0, Math.max(0, at - 1));
  if (parent === "" ? false : isWithin(parent, from)) return null;
  return refuse(`imports ${path}: use of internal package not allowed outside ${parent === "" ? "Go itself" : parent}`);
}

function refuse(message: string): Resolution {
  return { owner: null, finding: { severity: "error", message } };
}

function warn(message: string): Resolution {
  return { owner: null, finding: { severity: "warning", message } };
}
