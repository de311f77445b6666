import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { createTypeScriptReader } from "../../source/imports/typescript.ts";
import { isTypeScriptTest } from "../../source/imports/typescript-source.ts";
import { manifestFile } from "../../source/read-manifest.ts";
import { whenThere } from "../../core/errors.ts";
import { listFiles } from "../list-files.ts";

/** Whether what was compiled still needs a package: to run, only for its types, or not at all. */
export type Need = "run" | "types" | "none";

/**
 * What the compiled code needs of each of these packages. The compiler leaves out imports of types, so this is read
 * from what came out. Code that loads by a computed name, or that cannot be read, may need them all.
 */
export async function readNeeds(folder: string, packages: readonly string[]): Promise<ReadonlyMap<string, Need>> {
  if (packages.length === 0) return new Map();
  const reader = createTypeScriptReader();
  const specifiers: Record<"run" | "types", Set<string>> = { run: new Set(), types: new Set() };
  let isKnown = true;
  for (const path of await listFiles(folder)) {
    if (/^(node_modules|src)\//.test(path) || !/\.([mc]?js|jsx|d\.[mc]?ts)$/.test(path) || isTest(path)) continue;
    const [read] = await reader.readImports([{ path, text: await readFile(join(folder, path), "utf8") }]);
    const use = path.endsWith("ts") ? "types" : "run";
    if (use === "run" && read?.findings.length !== 0) isKnown = false;
    for (const { specifier } of read?.imports ?? []) specifiers[use].add(specifier);
  }
  // `#internal` names and start commands may lead to a package too.
  const settings = await Promise.all(
    ["package.json", manifestFile].map(async (path) => (await whenThere(readFile(join(folder, path), "utf8"))) ?? ""),
  );
  const aliases = [...specifiers.run].some((specifier) => specifier.startsWith("#"));
  const isNeeded = (name: string, use: "run" | "types"): boolean =>
    [...specifiers[use]].some((specifier) => specifier === name || specifier.startsWith(`${name}/`));
  return new Map(
    packages.map((name) => {
      const isStarted = settings.some((text) => text.includes(`node_modules/${name}/`));
      if (!isKnown || aliases || isStarted || isNeeded(name, "run")) return [name, "run"] as const;
      return [name, isNeeded(name, "types") ? "types" : "none"] as const;
    }),
  );
}

function isTest(path: string): boolean {
  return isTypeScriptTest(path.replace(/\.d(\.[mc]?ts)$/, "$1"));
}

/**
 * Takes out of `node_modules` what the compiled code does not need. Of a package that only its declarations name, the
 * declarations stay: whoever is built against this module reads them.
 */
export async function trimDependencies(folder: string, needs: ReadonlyMap<string, Need>): Promise<void> {
  for (const [name, need] of needs) {
    const target = join(folder, "node_modules", name);
    if (need === "none") await rm(target, { recursive: true, force: true });
    if (need !== "types") continue;
    for (const path of await listFiles(target))
      if (!/(^|\/)package\.json$|\.d\.[mc]?ts$/.test(path)) await rm(join(target, path));
  }
}
