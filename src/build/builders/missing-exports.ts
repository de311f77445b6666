import type { Name } from "../../core/names.ts";

/**
 * Which modules lack what is imported from them, by what a compiler says: only where *nothing else* is wrong, sorted; empty
 * where the code is wrong in any other way too. `packages`: which dependency publishes what the code names.
 */
type Lacking = (log: string, packages: ReadonlyMap<string, Name>) => Name[];

/** Of one line: whose fault it is, null where it is no error, `another` where it is an error of another kind. */
type Line = (line: string) => { readonly of: string | undefined } | null;

function findIn(log: string, packages: ReadonlyMap<string, Name>, read: Line): Name[] {
  const lacking = new Set<Name>();
  for (const line of log.split("\n")) {
    const error = read(line);
    if (error === null) continue;
    const module = error.of === undefined ? undefined : packages.get(error.of);
    if (module === undefined) return [];
    lacking.add(module);
  }
  return [...lacking].toSorted();
}

/** A name that a package does not export, in one of the compiler's three ways to say so; and a path in it that is not there. */
const missing = /: error TS(?:2305|2614|2724|2307): (?:Module|Cannot find module) ['"]{1,2}([^'"]+)['"]{1,2}/;
const quoted = /: error TS(?:2724|2614): (?:'"([^"]+)"'|Module '"([^"]+)"')/;

/** TypeScript: by package name. `@mesh/core/names` is of `@mesh/core`. */
export const findLackingInTypeScript: Lacking = (log, packages) =>
  findIn(log, packages, (line) => {
    if (!/(?:^|: )error TS\d+: /.test(line)) return null;
    const found = missing.exec(line) ?? quoted.exec(line);
    const specifier = found?.[1] ?? found?.[2];
    return { of: specifier?.split("/", specifier.startsWith("@") ? 2 : 1).join("/") };
  });

/**
 * Go: by the package's own name, as code says it before the dot; one that an import calls otherwise is not found here. A
 * package that is not there at all is named by its path: it is of the module whose path is the longest that it begins with.
 */
export const findLackingInGo: Lacking = (log, packages) =>
  findIn(log, packages, (line) => {
    if (/^\t*too many errors$/.test(line)) return { of: undefined };
    if (!/^\S+\.go:\d+(:\d+)?: /.test(line)) return null;
    const path = /: cannot find module providing package ([^\s:]+): import lookup disabled/.exec(line)?.[1];
    if (path !== undefined) return { of: longestModule(path, packages) };
    const found =
      /: undefined: (\w+)\.\w+$/.exec(line) ?? / undefined \(type \*?(\w+)\.\w+ has no field or method \w+/.exec(line);
    return { of: found?.[1] };
  });

function longestModule(path: string, packages: ReadonlyMap<string, Name>): string | undefined {
  for (let prefix = path; prefix.includes("/"); prefix = prefix.slice(0, prefix.lastIndexOf("/")))
    if (packages.has(prefix)) return prefix;
  return undefined;
}

/** Python: by the name that is imported; what `importScript` prints of each module that cannot be imported. */
export function findLackingInPython(failures: readonly string[], packages: ReadonlyMap<string, Name>): Name[] {
  return findIn(failures.join("\n"), packages, (line) => {
    const found =
      /: ImportError: cannot import name '\w+' from '([\w.]+)'/.exec(line) ??
      /: ModuleNotFoundError: No module named '([\w.]+)'/.exec(line) ??
      /: AttributeError: (?:partially initialized )?module '([\w.]+)' has no attribute '\w+'/.exec(line);
    return { of: found?.[1]?.split(".", 1)[0] };
  });
}

/** Rust: by the crate's name in code. */
export const findLackingInRust: Lacking = (log, packages) =>
  findIn(log, packages, (line) => {
    if (!/^error(\[E\d+\])?: /.test(line) || /^error: (could not compile|aborting due to) /.test(line)) return null;
    // Of several imports in one line all must be of one crate.
    const imports = /: unresolved imports? (`.*`)$/.exec(line)?.[1]?.match(/`[^`]+`/g) ?? [];
    const crates = new Set(imports.map((path) => path.slice(1, -1).split("::", 1)[0]));
    const found =
      /: cannot find [a-z ,]+ `\w+` in (?:crate|module) `(\w+)(?:::[\w:]+)?`/.exec(line)?.[1] ??
      /(?:could not|cannot) find `\w+` in `(\w+)(?:::[\w:]+)?`/.exec(line)?.[1];
    return { of: crates.size === 1 ? [...crates][0] : found };
  });
