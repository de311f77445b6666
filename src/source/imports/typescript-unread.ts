import { posix } from "node:path";
import type { ResolverContext } from "./import-reader.ts";
import { packageFile } from "./package-facts.ts";
import { isData, isOfNoBuild, isTypeScriptSource, sourceFolder } from "./typescript-source.ts";

/**
 * The compiler and Node follow a path to wherever it leads; edges come from `src/` alone, without its folders of data. Null:
 * read like everything there, no code, or nothing there.
 */
export function findCodeUnread(context: ResolverContext, target: string): string | null {
  const isInside = target === sourceFolder || target.startsWith(`${sourceFolder}/`);
  if (isOfNoBuild(target) || (isInside && !isData(target))) return null;
  const files = filesOf(context);
  const bare = target.replace(/\.[mc]?jsx?$/, "");
  // Data may have its declarations beside it, and a folder says in a package.json of its own what it is.
  const more = [target.replace(/\.([^./]+)$/, ".d.$1.ts"), `${target}/${packageFile}`];
  const candidates = [target, ...endings.map((ending) => `${bare}${ending}`), ...more];
  const found = candidates.find((path) => files.has(path) && (isCode(path) || path.endsWith(`/${packageFile}`)));
  // `./fixtures` may be a file of that name.
  return found === undefined || isTypeScriptSource(found) ? null : found;
}

function isCode(path: string): boolean {
  return /\.[mc]?[tj]sx?$/.test(path);
}

/** A file of the module, as a path of tsconfig.json may name it; or one that leaves the folder, which is refused later. */
export function isThere(context: ResolverContext, target: string): boolean {
  const path = posix.normalize(target);
  if (path === ".." || path.startsWith("../")) return true;
  const bare = path.replace(/\.[mc]?jsx?$/, "");
  const files = filesOf(context);
  return files.has(path) || endings.some((ending) => files.has(`${bare}${ending}`));
}

const endings = ["", "/index"].flatMap((index) =>
  ["", ".d"].flatMap((declared) =>
    ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json"].map((one) => `${index}${declared}.${one}`),
  ),
);

const fileSets = new WeakMap<ResolverContext["files"], ReadonlySet<string>>();

/** Asked for each import: a folder of thousands of files is not walked each time. */
function filesOf({ files }: ResolverContext): ReadonlySet<string> {
  const known = fileSets.get(files) ?? new Set(files);
  fileSets.set(files, known);
  return known;
}
