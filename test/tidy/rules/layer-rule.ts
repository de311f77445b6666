import { builtinModules } from "node:module";
import { posix } from "node:path";
import { importsOf, type Import } from "../imports.ts";
import { layers, type Layer } from "../layers.ts";
import type { Finding, SourceFile } from "../source-file.ts";

const builtins = new Set(builtinModules);

/** Who may import whom: the table in `layers.ts`, for files below `src`. */
export function layerRule(file: SourceFile): readonly Finding[] {
  if (!file.path.startsWith("src/")) return [];
  const layer = layerOf(file.path);
  if (layer === null) {
    return [{ path: file.path, line: 1, rule: "layer", message: "no layer has this folder: see test/tidy/layers.ts" }];
  }
  return importsOf(file).flatMap((one) => {
    const message = refusalOf(file.path, layer, one);
    return message === null ? [] : [{ path: file.path, line: one.line, rule: "layer", message }];
  });
}

/** The layer with the longest folder that holds the file. */
export function layerOf(path: string): Layer | null {
  const holding = layers.filter((layer) => path.startsWith(`src/${layer.folder}/`));
  return holding.toSorted((a, b) => b.folder.length - a.folder.length)[0] ?? null;
}

function refusalOf(path: string, layer: Layer, one: Import): string | null {
  if (one.specifier === null) return `${layer.folder} has an import whose name is computed: nobody can check it`;
  if (one.specifier.startsWith(".")) return relativeRefusal(path, layer, one, one.specifier);
  if (one.specifier.startsWith("node:") || builtins.has(one.specifier)) return nodeRefusal(path, layer, one.specifier);
  const name = packageOf(one.specifier);
  if (layer.packages.some((allowed) => matchesPackage(allowed, name))) return null;
  return `${layer.folder} may not import the package ${name}`;
}

function relativeRefusal(path: string, layer: Layer, one: Import, specifier: string): string | null {
  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith("src/")) return `${layer.folder} may not import ${target}: it is outside src`;
  if (!target.endsWith(".ts")) return `${specifier}: imports name the file with its .ts`;
  const other = layerOf(target);
  if (other === null) return `no layer holds ${target}`;
  if (other.folder === layer.folder || layer.imports.includes(other.folder)) return null;
  const inside = target.slice("src/".length, -".ts".length);
  if (filesAllowed(layer).some((allowed) => inside === allowed || inside.startsWith(`${allowed}/`))) return null;
  if (!layer.types.includes(other.folder)) return `${layer.folder} may not import ${other.folder} (${specifier})`;
  return one.typeOnly
    ? null
    : `${layer.folder} may import only types of ${other.folder}: write \`import type\` (${specifier})`;
}

/** Entries that name a file or a folder inside another layer, not a layer. */
function filesAllowed(layer: Layer): readonly string[] {
  return layer.imports.filter((allowed) => !layers.some((one) => one.folder === allowed));
}

function nodeRefusal(path: string, layer: Layer, specifier: string): string | null {
  if (!specifier.startsWith("node:")) return `write node:${specifier}`;
  if (layer.node === "all") return null;
  if (
    layer.node !== "none" &&
    path === `src/${layer.folder}/${layer.node.file}` &&
    layer.node.modules.includes(specifier)
  ) {
    return null;
  }
  return `${layer.folder} may not import ${specifier}: it does no I/O`;
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function matchesPackage(allowed: string, name: string): boolean {
  return allowed.endsWith("/*") ? name.startsWith(allowed.slice(0, -1)) : allowed === name;
}
