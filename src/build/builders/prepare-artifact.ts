import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isTypeScriptTest } from "../../source/imports/typescript-source.ts";
import { listFiles } from "../list-files.ts";
import { whenThere } from "../../core/errors.ts";
import { listDevelopmentPaths } from "./third-parties.ts";

export interface PrepareArtifact {
  readonly folder: string;
  /** package-lock.json, where there is one. */
  readonly lockedText: string | null;
  /** Names of packages that only tests need. */
  readonly testPackages: readonly string[];
  readonly remove: readonly string[];
}

/**
 * Leaves what runs: compiled code without tests, package.json, mesh.yaml, other files, and node_modules without what
 * only development needs. Documents and settings of tools go, so that changing them changes nothing on a machine (R10).
 */
export async function prepareArtifact(options: PrepareArtifact): Promise<void> {
  const { folder } = options;
  const drop = (path: string): Promise<void> => rm(join(folder, path), { recursive: true, force: true });
  for (const path of options.remove) await drop(path);
  for (const entry of await readdir(folder)) if (isForDevelopers(entry)) await drop(entry);
  for (const path of await listFiles(join(folder, "dist"))) {
    // The test itself, its declaration and its maps.
    if (isTypeScriptTest(path.replace(/\.map$/, "").replace(/\.d(\.[mc]?ts)$/, "$1"))) await drop(`dist/${path}`);
  }
  for (const name of options.testPackages) await drop(`node_modules/${name}`);
  if (options.lockedText !== null) for (const path of listDevelopmentPaths(options.lockedText)) await drop(path);
  await dropInstallerFiles(join(folder, "node_modules"));
}

function isForDevelopers(name: string): boolean {
  return name.startsWith(".") || /\.(md|markdown)$/i.test(name) || /^tsconfig(\..*)?\.json$/.test(name);
}

/** `.bin` holds links, and the hidden lock file names the registry: an installer's business, in every depth. */
async function dropInstallerFiles(modules: string): Promise<void> {
  for (const name of await readdirOrEmpty(modules)) {
    const path = join(modules, name);
    if (name === ".bin" || name === ".package-lock.json") await rm(path, { recursive: true, force: true });
    else if (name.startsWith("@"))
      for (const scoped of await readdirOrEmpty(path)) await dropInstallerFiles(join(path, scoped, "node_modules"));
    else await dropInstallerFiles(join(path, "node_modules"));
  }
}

async function readdirOrEmpty(path: string): Promise<string[]> {
  // Most packages bring no packages of their own.
  return (await whenThere(readdir(path), ["ENOENT", "ENOTDIR"])) ?? [];
}
