import type { Finding } from "../finding.ts";
import type { Name } from "../../core/names.ts";
import type { Import, Resolution, Resolver, ResolverContext } from "./import-reader.ts";
import { listRequirements, pyprojectFile, type Pyproject, readPyproject } from "./python-facts.ts";
import { pythonLockFiles, readPythonLock } from "./python-lock.ts";
import {
  isPythonSource,
  normaliseDistribution,
  type PythonLayout,
  type PythonPlace,
  placeOf,
  readPythonLayout,
} from "./python-source.ts";
import { pythonStandardNames } from "./python-standard-names.ts";

const inside: Resolution = { owner: null, finding: null };

/** Two modules may not share it, and pyproject.toml lists it; nobody imports it. */
export function distributionKey(distribution: string): string {
  return `distribution ${normaliseDistribution(distribution)}`;
}

/** Import → owner, by the names of top-level packages (R4). What is nobody's is said, never dropped. */
export function createPythonResolver(context: ResolverContext): Resolver {
  const facts = readFacts(context);
  const files = new Set(context.files);
  const has = (path: string): boolean => files.has(path);
  const layout = readPythonLayout(context.files, facts.project.project?.name ?? null);
  let besideTests: ReadonlySet<string> | null = null;
  const resolve = (file: string, found: Import, use: "build" | "test"): Resolution => {
    const place = placeOf(file, layout, has);
    if (place.kind === "none") return inside;
    if (found.specifier.startsWith(".")) return resolveRelative(found, place);
    const top = found.specifier.split(".", 1)[0] ?? "";
    const owner = context.published.get(top);
    const local = place.kind === "test" ? findLocal(has, place.top, top) : null;
    if (local !== null && !layout.names.includes(top))
      return owner === undefined
        ? inside
        : warn(`${local} of this module hides ${top}, which module ${owner} publishes`);
    if (pythonStandardNames.has(top)) {
      if (owner === undefined || owner === context.module) return inside;
      return warn(`${top} is Python's own: module ${owner}, which publishes that name, cannot be imported by it`);
    }
    if (layout.names.includes(top) || owner === context.module) return inside;
    if (owner !== undefined) return { owner, finding: describeUnlisted(facts, owner, top, use) };
    if (use === "test" && (besideTests ??= listBesideTests(context.files, layout, has)).has(top)) return inside;
    return resolveThirdParty(context, facts, found, top, use);
  };
  return { findings: facts.findings, declared: [], resolve };
}

interface Facts {
  readonly findings: readonly Finding[];
  readonly project: Pyproject;
  /** Normalised distributions. */
  readonly runtime: ReadonlySet<string>;
  readonly development: ReadonlySet<string>;
  readonly locked: ReadonlySet<string>;
  /** Import name → distribution, by what pyproject.toml says of it. */
  readonly declared: ReadonlyMap<string, string>;
  readonly distributionsOf: (owner: Name) => readonly string[];
}

function readFacts(context: ResolverContext): Facts {
  const findings: Finding[] = [];
  const fault = (message: string): void =>
    void findings.push({ severity: "error", file: pyprojectFile, line: 0, message });
  const reading = readPyproject(context.facts.get(pyprojectFile));
  if (reading.kind === "none") fault("there is none: it names the project and its build backend");
  const project = reading.kind === "project" ? reading.value : {};
  const lock = readPythonLock(context.facts);
  const locked = new Set(lock.kind === "locked" ? lock.distributions.map(({ name }) => name) : []);
  const { runtime, development } = listRequirements(project);
  const distributions = new Map<Name, string[]>();
  for (const [key, owner] of context.published) {
    if (!key.startsWith("distribution ")) continue;
    distributions.set(owner, [...(distributions.get(owner) ?? []), key.slice("distribution ".length)]);
  }
  const isMesh = (name: string): boolean => context.published.has(distributionKey(name));
  for (const { distribution, marker } of lock.kind === "refused" ? [] : runtime) {
    // With a marker it may be for another platform, and then no lock of this one has it.
    if (marker !== "" || locked.has(distribution) || isMesh(distribution)) continue;
    fault(
      `lists ${distribution}, which no module publishes and neither ${pythonLockFiles.join(" nor ")} has: lock it, if it is a third party's; if it was a module, register it again`,
    );
  }
  const declared = Object.entries(project.tool?.mesh?.imports ?? {}).flatMap(([distribution, names]) =>
    names.map((name) => [name, normaliseDistribution(distribution)] as const),
  );
  return {
    findings,
    project,
    locked,
    runtime: new Set(runtime.map(({ distribution }) => distribution)),
    development: new Set(development.map(({ distribution }) => distribution)),
    declared: new Map(declared),
    distributionsOf: (owner) => distributions.get(owner) ?? [],
  };
}

function resolveRelative({ specifier, kind }: Import, place: Exclude<PythonPlace, { kind: "none" }>): Resolution {
  const level = /^\.+/.exec(specifier)?.[0].length ?? 0;
  // import_module(".x", package) is relative to a package that it names itself.
  if (kind === "dynamic" || level <= place.parents) return inside;
  const why = place.parents === 0 ? "the file is in no package" : `the file is only ${place.parents} deep`;
  return refuse(`imports ${specifier}, which leaves the package (${why}): import modules by the name they publish`);
}

/** A file or folder that Python finds first, because it lies in the folder of the test. */
function findLocal(has: (path: string) => boolean, top: string, name: string): string | null {
  const prefix = top === "" ? "" : `${top}/`;
  return [`${prefix}${name}/__init__.py`, `${prefix}${name}.py`].find(has) ?? null;
}

/**
 * What a test run may find by itself: whatever lies in a folder that it looks in, which each test and each conftest.py
 * adds to. A folder needs no file of its own to be a package. Whether it is found in fact, the run says.
 */
function listBesideTests(
  files: readonly string[],
  layout: PythonLayout,
  has: (path: string) => boolean,
): ReadonlySet<string> {
  const tops = new Set<string>();
  for (const path of files) {
    if (!isPythonSource(path) || !/(^|\/)(test_[^/]*|[^/]*_test|conftest)\.py$/.test(path)) continue;
    const place = placeOf(path, layout, has);
    if (place.kind === "test") tops.add(place.top);
  }
  const names = new Set<string>();
  for (const path of files) {
    if (!path.endsWith(".py")) continue;
    const segments = path.split("/");
    for (let at = 0; at < segments.length; at += 1)
      if (tops.has(segments.slice(0, at).join("/"))) names.add((segments[at] ?? "").replace(/\.py$/, ""));
  }
  return names;
}

function describeUnlisted(facts: Facts, owner: Name, top: string, use: "build" | "test"): Resolution["finding"] {
  const names = [...facts.distributionsOf(owner), normaliseDistribution(owner), normaliseDistribution(top)];
  const lists = use === "test" ? [facts.runtime, facts.development] : [facts.runtime];
  if (names.some((name) => lists.some((list) => list.has(name)))) return null;
  const [name] = names;
  return {
    severity: "warning",
    message: `imports ${top} of module ${owner}, and dependencies in ${pyprojectFile} do not list ${name}`,
  };
}

function resolveThirdParty(
  context: ResolverContext,
  facts: Facts,
  found: Import,
  top: string,
  use: "build" | "test",
): Resolution {
  const distribution = facts.declared.get(top) ?? normaliseDistribution(top);
  if (facts.locked.has(distribution)) {
    if (facts.runtime.has(distribution) || (use === "test" && facts.development.has(distribution))) return inside;
    if (found.kind === "type") return inside;
    const listed = facts.development.has(distribution)
      ? "for development only: the artifact will not have it"
      : "nowhere: it is here only because something else needs it";
    return warn(`imports ${top}, and ${pyprojectFile} lists ${distribution} ${listed}`);
  }
  const lower = context.published.get(top.toLowerCase());
  const close = lower === undefined ? "" : ` (module ${lower} publishes ${top.toLowerCase()}: case matters)`;
  const message =
    `imports ${found.specifier}, which no module publishes and no locked distribution is known to bring${close}. ` +
    `Where one of another name brings it, say so in ${pyprojectFile}: [tool.mesh.imports] "that-distribution" = ["${top}"]`;
  // Types are not checked in the build, and what is optional is not missed.
  const severity = found.optional === true || found.kind === "type" ? "warning" : "error";
  return { owner: null, finding: { severity, message } };
}

function warn(message: string): Resolution {
  return { owner: null, finding: { severity: "warning", message } };
}

function refuse(message: string): Resolution {
  return { owner: null, finding: { severity: "error", message } };
}
