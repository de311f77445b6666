import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../../core/errors.ts";
import type { Name } from "../../core/names.ts";
import { describeFinding, type Finding } from "../../source/finding.ts";
import { readGoLock } from "../../source/imports/go-lock.ts";
import { type GoMod, goModFile, goSumFile, readGoMod } from "../../source/imports/go-mod.ts";
import { type BuildJob, type BuildOutcome, outstanding, unfit } from "./builder.ts";
import { type PublishedModule, readPublished } from "./go-published.ts";
import { compareGoLines } from "./go-versions.ts";
import { compareSemanticVersions } from "./semantic-versions.ts";

/** What a Go module is built with: the mesh's own modules at exactly the closure, third parties as they are pinned. */
export interface GoPlan {
  readonly kind: "plan";
  readonly mod: GoMod;
  /** All modules of the mesh that are compiled in, those behind others too. */
  readonly modules: readonly PublishedModule[];
  /** Of these the ones that more than tests need: what dependents of this module get. */
  readonly carried: readonly PublishedModule[];
  /** Path → version. */
  readonly thirdParties: ReadonlyMap<string, string>;
  /** Lines of go.sum about third parties, sorted; and those of this module's own go.sum alone. */
  readonly sums: readonly string[];
  readonly ownSums: readonly string[];
  readonly findings: readonly Finding[];
  /** Package's own name (as code says it before the dot), or module's path → the dependency that has it. No name has a dot. */
  readonly owners: ReadonlyMap<string, Name>;
}

export async function planGoBuild(job: BuildJob, folder: string): Promise<GoPlan | BuildOutcome> {
  const text = await whenThere(readFile(join(folder, goModFile), "utf8"));
  if (text === null) return unfit("compile", `there is no ${goModFile}: say \`go mod init\``);
  const sumText = await whenThere(readFile(join(folder, goSumFile), "utf8"));
  const mod = readGoMod(text);
  const [fault] = mod.findings;
  if (fault !== undefined) return unfit("compile", describeFinding(fault));
  const lock = readGoLock(new Map([[goModFile, text], ...(sumText === null ? [] : [[goSumFile, sumText] as const])]));
  if (lock.kind === "refused") return unfit("compile", describeFinding(lock.finding));
  const gathered = await gatherModules(job, mod.module);
  if (gathered.kind !== "gathered") return gathered;
  const { modules, carried, owners } = gathered;
  const newer = modules.find((module) => compareGoLines(module.mod.go.version, mod.go.version) > 0);
  if (newer !== undefined)
    return unfit(
      "compile",
      `${goModFile}:${mod.go.line}: says go ${mod.go.version}, and ${newer.path}, which it is built against, says go ${newer.mod.go.version}: say at least that`,
    );
  return choosePins({ mod, modules, carried, owners, ownSums: lock.kind === "locked" ? lock.entries : [] });
}

interface Gathered {
  readonly kind: "gathered";
  readonly modules: readonly PublishedModule[];
  readonly carried: readonly PublishedModule[];
  readonly owners: ReadonlyMap<string, Name>;
}

/**
 * What the dependencies publish, and what they carry of theirs. One module in two versions (a diamond whose arms were
 * built at different times) is never mixed: the arm that is behind has to be built again first. `own`: the path of what is
 * built. What its tests use may carry an earlier build of it, which Go would not take, and whose pins must not count.
 */
async function gatherModules(job: BuildJob, own: string): Promise<Gathered | BuildOutcome> {
  const known = new Map<string, { readonly module: PublishedModule; readonly from: string }>();
  const carried = new Set<string>();
  const shelves: { readonly module: Name; readonly published: readonly PublishedModule[] }[] = [];
  for (const dependency of job.dependencies) {
    const all = await readPublished(dependency.folder);
    if (all.length === 0)
      return unfit("compile", `module ${dependency.module} has no Go package that others can import`);
    const published = all.filter((module) => module.path !== own);
    shelves.push({ module: dependency.module, published });
    for (const module of published) {
      const before = known.get(module.path);
      if (before !== undefined && before.module.id !== module.id)
        return outstanding(
          "dependency",
          `${before.from} and ${dependency.module} were built against two versions of ${module.path} (${before.module.version}, ${module.version}): the one that is behind has to be built again first`,
        );
      known.set(module.path, before ?? { module, from: dependency.module });
      if (dependency.kind === "build") carried.add(module.path);
    }
  }
  const modules = [...known.values()].map(({ module }) => module).toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return {
    kind: "gathered",
    modules,
    carried: modules.filter(({ path }) => carried.has(path)),
    owners: nameOwners(shelves),
  };
}

/** Who carries a module beside its own has more of them than that module itself. A name of two packages is nobody's. */
function nameOwners(
  shelves: readonly { readonly module: Name; readonly published: readonly PublishedModule[] }[],
): ReadonlyMap<string, Name> {
  const ownerOf = new Map<string, Name>();
  const named = new Map<string, Set<string>>();
  for (const { module, published } of shelves.toSorted((a, b) => a.published.length - b.published.length))
    for (const { path, files } of published) {
      if (ownerOf.has(path)) continue;
      ownerOf.set(path, module);
      for (const name of listPackageNames(files)) named.set(name, (named.get(name) ?? new Set()).add(path));
    }
  const ofNames = [...named].flatMap(([name, paths]) => {
    const [path] = paths;
    const owner = path === undefined || paths.size > 1 ? undefined : ownerOf.get(path);
    return owner === undefined ? [] : [[name, owner] as const];
  });
  // Without a dot it is a path that nobody imports by, and may be called what a package is.
  return new Map([...[...ownerOf].filter(([path]) => path.includes(".")), ...ofNames]);
}

function listPackageNames(files: PublishedModule["files"]): ReadonlySet<string> {
  const names = files.flatMap(({ name, bytes }) =>
    name.endsWith(".go") ? (/^package (\w+)/m.exec(bytes.toString("utf8"))?.[1] ?? []) : [],
  );
  return new Set(names);
}

function choosePins(given: Pick<GoPlan, "mod" | "modules" | "carried" | "ownSums" | "owners">): GoPlan | BuildOutcome {
  const { mod, modules } = given;
  const pins = new Map<string, string>();
  for (const line of [...given.ownSums, ...modules.flatMap(({ sums }) => sums)]) {
    const [path, version, hash] = line.split(" ");
    const what = `${path} ${version}`;
    const known = pins.get(what);
    if (known !== undefined && known !== hash)
      return unfit("compile", `${goSumFile}: ${what} has another hash in a module that this one is built against`);
    pins.set(what, hash ?? "");
  }
  const ofMesh = new Set(modules.map(({ path }) => path));
  const thirdParties = new Map<string, string>();
  const findings: Finding[] = [];
  for (const { requires, own } of [
    { requires: mod.requires, own: true },
    ...modules.map((one) => ({ requires: one.mod.requires, own: false })),
  ]) {
    for (const { path, version, line } of requires) {
      if (ofMesh.has(path)) continue;
      if (own && !isPinned(mod, pins, path, version)) {
        const message = `requires ${path} ${version}, which go.sum does not pin: it is left out`;
        findings.push({ severity: "warning", file: goModFile, line, message });
        continue;
      }
      const known = thirdParties.get(path);
      if (known === undefined || compareSemanticVersions(version, known) > 0) thirdParties.set(path, version);
    }
  }
  const sums = [...pins].map(([what, hash]) => `${what} ${hash}`).toSorted();
  return { ...given, kind: "plan", thirdParties, sums, findings };
}

function isPinned(mod: GoMod, pins: ReadonlyMap<string, string>, path: string, version: string): boolean {
  const other = mod.replaces.find((one) => one.path === path && (one.version === null || one.version === version));
  const what = other === undefined ? `${path} ${version}` : `${other.to} ${other.toVersion}`;
  return pins.has(what) || pins.has(`${what}/go.mod`);
}

/** The go.mod that is built with. `module`: another name where only third parties are fetched by it. */
export function writeGoMod(
  plan: GoPlan,
  modules: readonly PublishedModule[],
  module: string = plan.mod.module,
): string {
  const { mod, thirdParties } = plan;
  const ofMesh = new Set(plan.modules.map(({ path }) => path));
  return [
    `module ${module}`,
    `go ${mod.go.version}`,
    ...mod.godebugs.map((one) => `godebug ${one}`),
    ...mod.ignores.map((one) => `ignore ${JSON.stringify(one)}`),
    ...[...thirdParties].map(([path, version]) => `require ${path} ${version}`).toSorted(),
    // Replaced by itself: whatever version anybody asks for, it is this one.
    ...modules.flatMap(({ path, version }) => [`require ${path} ${version}`, `replace ${path} => ${path} ${version}`]),
    ...mod.excludes.map(({ path, version }) => `exclude ${path} ${version}`),
    ...mod.replaces
      .filter(({ path, toVersion }) => !ofMesh.has(path) && toVersion !== null)
      .map(
        ({ path, version, to, toVersion }) =>
          `replace ${path}${version === null ? "" : ` ${version}`} => ${to} ${toVersion}`,
      ),
    "",
  ].join("\n");
}
