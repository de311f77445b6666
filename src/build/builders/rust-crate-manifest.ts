import { stringify } from "smol-toml";
import { type CargoManifest, inherit } from "../../source/imports/rust-manifest.ts";

export interface PinnedCrate {
  /** As its own Cargo.toml writes it. */
  readonly name: string;
  readonly version: string;
}

/**
 * `test`: everything, for the module's own tests. `compile`: what runs and what others need, without development.
 * `publish`: the library alone, as others compile it.
 */
export type ManifestForm = "test" | "compile" | "publish";

const sections = { normal: "dependencies", dev: "dev-dependencies", build: "build-dependencies" } as const;

/** A Cargo.toml of one crate: mesh crates pinned to the artifacts of the closure, nothing inherited, no paths. */
export function writeCrateManifest(
  manifest: CargoManifest,
  form: ManifestForm,
  pins: ReadonlyMap<string, PinnedCrate>,
): string {
  const { value } = manifest;
  const written: Record<string, unknown> = { package: writePackage(value, form) };
  const targets: Record<string, Record<string, Record<string, unknown>>> = {};
  for (const dependency of manifest.dependencies) {
    if (form !== "test" && dependency.kind === "dev") continue;
    const section = sections[dependency.kind];
    const holder: Record<string, unknown> = dependency.target === null ? written : (targets[dependency.target] ??= {});
    const pinned = pinDependency(dependency.table, pins.get(dependency.package));
    holder[section] = { ...asRecord(holder[section]), [dependency.key]: pinned };
  }
  if (Object.keys(targets).length > 0) written["target"] = targets;
  for (const key of keptTables(form)) if (value[key] !== undefined) written[key] = value[key];
  if (form !== "test" && value["features"] !== undefined) written["features"] = keepFeatures(manifest);
  if (form !== "publish") {
    // Ends the search for a workspace in the folders above.
    written["workspace"] = {};
    const lints = asRecord(value["lints"]);
    if (lints["workspace"] !== true && value["lints"] !== undefined) written["lints"] = lints;
    if (lints["workspace"] === true) written["lints"] = asRecord(asRecord(value["workspace"])["lints"]);
  }
  return stringify(written);
}

/** Without what features set of crates for development, which are left out: cargo refuses `a/b` where there is no `a` at all. */
function keepFeatures({ value, dependencies }: CargoManifest): Record<string, unknown> {
  const kept = new Set(dependencies.flatMap(({ key, kind }) => (kind === "dev" ? [] : [key])));
  const dropped = new Set(dependencies.flatMap(({ key }) => (kept.has(key) ? [] : [`${key}/`, `${key}?/`])));
  const isKept = (one: unknown): boolean => typeof one !== "string" || !dropped.has(one.slice(0, one.indexOf("/") + 1));
  return Object.fromEntries(
    Object.entries(asRecord(value["features"])).map(([name, sets]) => [
      name,
      Array.isArray(sets) ? sets.filter(isKept) : sets,
    ]),
  );
}

function keptTables(form: ManifestForm): readonly string[] {
  const all = ["cargo-features", "lib", "features"];
  if (form === "publish") return all;
  return form === "compile" ? [...all, "bin", "profile"] : [...all, "bin", "profile", "test", "bench", "example"];
}

function writePackage(value: Readonly<Record<string, unknown>>, form: ManifestForm): Record<string, unknown> {
  const own = asRecord(value["package"]);
  // Paths to documents, and words for a registry or another tool.
  const dropped = new Set(["workspace", "readme", "license-file", "include", "exclude", "publish"]);
  const written: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(own)) if (!dropped.has(key)) written[key] = inherit(value, entry, key);
  if (form === "test") return written;
  for (const key of ["autotests", "autobenches", "autoexamples"]) written[key] = false;
  if (form === "compile") return written;
  written["autobins"] = false;
  // Whoever is built against it gives it the version that its artifact's digest makes.
  written["version"] = "0.0.0";
  delete written["default-run"];
  delete written["metadata"];
  return written;
}

function pinDependency(table: Readonly<Record<string, unknown>>, pin: PinnedCrate | undefined): unknown {
  const written: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(table))
    if (!["path", "workspace"].includes(key) || (pin === undefined && key === "path")) written[key] = entry;
  if (pin === undefined) return written;
  return { ...written, package: pin.name, version: `=${pin.version}` };
}

/**
 * The crate that is built, for what its tests use and was built against an earlier build of it: there must be one of it,
 * or its types would be two. Null: the manifest, one that was published, does not depend on it.
 */
export function pinToOwn(
  published: Readonly<Record<string, unknown>>,
  own: PinnedCrate,
): Record<string, unknown> | null {
  const manifest = structuredClone(published);
  const version = `=${own.version.replace(/\+.*$/, "")}`;
  let found: Record<string, unknown> | null = null;
  for (const holder of [manifest, ...Object.values(asRecord(manifest["target"]))])
    for (const section of [sections.normal, sections.build]) {
      const dependencies = asRecord(asRecord(holder)[section]);
      for (const entry of Object.values(dependencies))
        if (isTable(entry) && entry["package"] === own.name) [entry["version"], found] = [version, manifest];
    }
  return found;
}

/** Behind a manifest: whoever asks for this crate gets the one in this folder. */
export function patchOwn(name: string): string {
  return `\n[patch.crates-io]\n${name} = { path = "." }\n`;
}

/** Of what is being built, as pins have it. */
export function pinOf({ name, value }: CargoManifest): PinnedCrate {
  const version = inherit(value, asRecord(value["package"])["version"], "version");
  return { name, version: typeof version === "string" ? version : "0.0.0" };
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
