/**
 * What the build of a TypeScript module includes: code under `src/`, nothing else. The builder compiles exactly this,
 * so what is read and what is built cannot differ.
 */
export const sourceFolder = "src";

/** Folders of things that look like code and are data. */
export const dataFolders = ["fixtures", "__fixtures__", "node_modules", "dist"] as const;

export function isTypeScriptSource(path: string): boolean {
  if (!path.startsWith(`${sourceFolder}/`) || !/\.[mc]?[tj]sx?$/.test(path) || /\.[mc][tj]sx$/.test(path)) return false;
  return !isData(path);
}

/** In a folder of data, or one itself. */
export function isData(path: string): boolean {
  return path.split("/").some((segment) => dataFolders.some((folder) => folder === segment));
}

/** What the build makes by itself, and so takes from no commit. */
export function isOfNoBuild(path: string): boolean {
  return /^(dist|node_modules)\//.test(path);
}

/** `x.test.ts` and its relations: run by the build, not part of the artifact. */
export function isTypeScriptTest(path: string): boolean {
  return /\.test\.[mc]?[tj]sx?$/.test(path);
}
