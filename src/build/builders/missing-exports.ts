import type { Name } from "../../core/names.ts";

/** A name that a package does not export, in one of the compiler's three ways to say so; and a path in it that is not there. */
const missing = /: error TS(?:2305|2614|2724|2307): (?:Module|Cannot find module) ['"]{1,2}([^'"]+)['"]{1,2}/;
const quoted = /: error TS(?:2724|2614): (?:'"([^"]+)"'|Module '"([^"]+)"')/;
const anyError = /(?:^|: )error TS\d+: /;

/**
 * The modules that lack what is imported from them, where *nothing else* is wrong: sorted, empty where the code is wrong
 * in any other way too. `packages`: what each dependency publishes, by package name.
 */
export function findLacking(log: string, packages: ReadonlyMap<string, Name>): Name[] {
  const lacking = new Set<Name>();
  for (const line of log.split("\n")) {
    if (!anyError.test(line)) continue;
    const found = missing.exec(line) ?? quoted.exec(line);
    const module = found === null ? undefined : findOwner(found[1] ?? found[2] ?? "", packages);
    if (module === undefined) return [];
    lacking.add(module);
  }
  return [...lacking].toSorted();
}

/** `@mesh/core/names` is of `@mesh/core`. */
function findOwner(specifier: string, packages: ReadonlyMap<string, Name>): Name | undefined {
  const parts = specifier.split("/");
  return packages.get(parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/"));
}
