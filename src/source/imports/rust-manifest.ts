import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { sayIssue } from "../../core/say-issue.ts";
import type { Finding } from "../finding.ts";
import { findTomlLines } from "./toml-lines.ts";

export const cargoFile = "Cargo.toml";
export const cargoLockFile = "Cargo.lock";

/** Behind the words that there is none. */
export const cargoLockAbove =
  " in the module's folder: that of a workspace around it is not read, so copy it here, or run `cargo generate-lockfile` in a copy of the folder";
const bytesLimit = 1024 * 1024;

/** Names that Rust keeps for itself: no module can be imported by one. */
export const rustOwnNames: ReadonlySet<string> = new Set(["std", "core", "alloc", "proc_macro", "test"]);

export type DependencyKind = "normal" | "dev" | "build";

/** One entry of Cargo.toml, as cargo understands it. */
export interface CargoDependency {
  /** What code calls it, as it is written. */
  readonly key: string;
  /** The name of the package: another one than the key where it is renamed. */
  readonly package: string;
  readonly kind: DependencyKind;
  /** `cfg(windows)` or a triple; null: everywhere. */
  readonly target: string | null;
  readonly optional: boolean;
  readonly path: string | null;
  /** Path of keys to it, and to where it is inherited from. */
  readonly place: readonly string[];
  readonly line: number;
  /** The table itself, with what it inherits; a version alone is `{ version }`. */
  readonly table: Readonly<Record<string, unknown>>;
}

export interface CargoManifest {
  readonly name: string;
  readonly edition: string;
  readonly dependencies: readonly CargoDependency[];
  /** Everything, as parsed. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly lineOf: (path: readonly string[]) => number;
  readonly findings: readonly Finding[];
}

export type ManifestReading =
  | { readonly kind: "none" }
  | { readonly kind: "manifest"; readonly manifest: CargoManifest }
  | { readonly kind: "refused"; readonly finding: Finding };

const tableSchema = z.record(z.string(), z.unknown());
const dependencySchema = z.union([
  z.string().transform((version) => ({ version })),
  z.looseObject({
    version: z.string().optional(),
    path: z.string().optional(),
    package: z.string().optional(),
    optional: z.boolean().optional(),
    workspace: z.boolean().optional(),
  }),
]);

/** What cargo reads as dependencies; the forms with `_` are old and still taken. */
const sections: readonly (readonly [string, DependencyKind])[] = [
  ["dependencies", "normal"],
  ["dev-dependencies", "dev"],
  ["dev_dependencies", "dev"],
  ["build-dependencies", "build"],
  ["build_dependencies", "build"],
];

export function readCargoManifest(text: string | undefined): ManifestReading {
  if (text === undefined) return { kind: "none" };
  const refuse = (line: number, message: string): ManifestReading => ({
    kind: "refused",
    finding: { severity: "error", file: cargoFile, line, message },
  });
  if (text.length > bytesLimit) return refuse(0, `is larger than ${bytesLimit} bytes`);
  let parsed: unknown;
  try {
    parsed = parse(text, { maxDepth: 50 });
  } catch (error) {
    if (error instanceof TomlError)
      return refuse(error.line, `is not TOML: ${error.message.split("\n", 1)[0]?.slice(0, 200) ?? ""}`);
    throw error;
  }
  const lineOf = findTomlLines(text);
  // Objects of ours would lose such a key, and what it declares with it.
  const poison = findPrototypeKey(parsed, []);
  if (poison !== null) return refuse(lineOf(poison), "has a key __proto__");
  const value = tableSchema.parse(parsed);
  const own = tableSchema.safeParse(value["package"]);
  if (!own.success)
    return refuse(
      lineOf(["workspace"]),
      "has no [package]: a module is one crate, and a workspace of several is not built",
    );
  const name = own.data["name"];
  if (typeof name !== "string" || !/^[a-z_][a-z0-9_-]{0,63}$/.test(name))
    return refuse(lineOf(["package", "name"]), "package.name must be lower-case letters, digits, - and _ (at most 64)");
  const findings: Finding[] = [];
  const say = (path: readonly string[], message: string): void =>
    void findings.push({ severity: "error", file: cargoFile, line: lineOf(path), message });
  const dependencies = readDependencies(value, lineOf, say);
  const edition = inherit(value, own.data["edition"], "edition");
  return {
    kind: "manifest",
    manifest: { name, edition: typeof edition === "string" ? edition : "2015", dependencies, value, lineOf, findings },
  };
}

function findPrototypeKey(value: unknown, above: readonly string[]): readonly string[] | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const path = [...above, key];
    const found = key === "__proto__" ? path : findPrototypeKey(inner, path);
    if (found !== null) return found;
  }
  return null;
}

type Say = (path: readonly string[], message: string) => void;

function readDependencies(
  value: Readonly<Record<string, unknown>>,
  lineOf: CargoManifest["lineOf"],
  say: Say,
): CargoDependency[] {
  const found: CargoDependency[] = [];
  const read = (holder: Readonly<Record<string, unknown>>, above: readonly string[], target: string | null): void => {
    for (const [section, kind] of sections) {
      const table = asTable(holder[section], [...above, section], say);
      for (const [key, entry] of Object.entries(table)) {
        const place = [...above, section, key];
        const dependency = readDependency(value, entry, { key, kind, target, place, line: lineOf(place) }, say);
        if (dependency !== null) found.push(dependency);
      }
    }
  };
  read(value, [], null);
  const targets = asTable(value["target"], ["target"], say);
  for (const [target, holder] of Object.entries(targets))
    read(asTable(holder, ["target", target], say), ["target", target], target);
  return found;
}

function readDependency(
  value: Readonly<Record<string, unknown>>,
  entry: unknown,
  where: Pick<CargoDependency, "key" | "kind" | "target" | "place" | "line">,
  say: Say,
): CargoDependency | null {
  const own = dependencySchema.safeParse(entry);
  if (!own.success) {
    say(where.place, `${where.key} is no dependency: ${sayIssue(own.error.issues[0])}`);
    return null;
  }
  let table: Record<string, unknown> = { ...own.data };
  if (table["workspace"] === true) {
    const shared = dependencySchema.safeParse(sharedTable(value, "dependencies")?.[where.key]);
    if (!shared.success) {
      say(where.place, `${where.key} ${sayNotInherited("dependencies")}`);
      return null;
    }
    const { workspace: _, features, ...rest } = table;
    const inherited: Record<string, unknown> = shared.data;
    const all = [...listOf(inherited["features"]), ...listOf(features)];
    table = { ...inherited, ...rest, ...(all.length > 0 ? { features: all } : {}) };
  }
  const name = table["package"] ?? where.key;
  const path = table["path"];
  return {
    ...where,
    package: typeof name === "string" ? name : where.key,
    optional: table["optional"] === true,
    path: typeof path === "string" ? path : null,
    table,
  };
}

/** A module is built from its own folder: the workspace around it is no part of its closure, so nothing may come from there. */
export function sayNotInherited(table: "dependencies" | "package" | "lints"): string {
  const where = table === "lints" ? "[workspace.lints]" : `[workspace.${table}]`;
  return `is inherited from a workspace, and the module's own Cargo.toml has none with it: write it out here, or under ${where} in this file`;
}

/** `edition.workspace = true` and its like: from the workspace that the same file declares. */
export function inherit(value: Readonly<Record<string, unknown>>, own: unknown, key: string): unknown {
  const table = tableSchema.safeParse(own);
  return table.success && table.data["workspace"] === true ? sharedTable(value, "package")?.[key] : own;
}

function sharedTable(value: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> | null {
  const workspace = tableSchema.safeParse(value["workspace"]);
  const shared = tableSchema.safeParse(workspace.success ? workspace.data[key] : undefined);
  return shared.success ? shared.data : null;
}

function asTable(value: unknown, path: readonly string[], say: Say): Record<string, unknown> {
  if (value === undefined) return {};
  const table = tableSchema.safeParse(value);
  if (table.success) return table.data;
  say(path, `${path.join(".")} is no table`);
  return {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `rust-core` is `rust_core` in code. */
export function identifierOf(name: string): string {
  return name.replaceAll("-", "_");
}
