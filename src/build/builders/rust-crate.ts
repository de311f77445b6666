import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { manifestFile } from "../../source/read-manifest.ts";
import { cargoFile, cargoLockFile, type CargoManifest } from "../../source/imports/rust-manifest.ts";
import { listFiles } from "../list-files.ts";
import { chooseCompiled } from "./rust-compiled-files.ts";

/**
 * The crate as it is compiled, delivered and given to dependents: without tests, comments, documents and settings of
 * tools, so that changing those changes nothing that comes out (R10). `targets`: what Cargo.toml names as code.
 */
export async function prepareCrate(from: string, into: string, targets: readonly string[]): Promise<void> {
  for (const [path, text] of await chooseCompiled(from, await listFiles(from), targets)) {
    const to = join(into, path);
    await mkdir(dirname(to), { recursive: true });
    if (text === null) await copyFile(join(from, path), to);
    else await writeFile(to, text);
  }
}

/** Code that Cargo.toml names by its path: it may lie where cargo would not look for it. */
export function listTargetPaths({ value }: CargoManifest): string[] {
  const tables = [value["package"], value["lib"], ...(Array.isArray(value["bin"]) ? value["bin"] : [])];
  const paths = tables.flatMap((table) => (isRecord(table) ? [table["path"], table["build"]] : []));
  return paths.flatMap((path) => (typeof path === "string" ? [posix.normalize(path)] : []));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/**
 * What a service finds beside its programs: everything of the module that is no code, also in `src/`. What is compiled in may be
 * read at run time too, and nothing says which is.
 */
export async function copyAssets(from: string, into: string): Promise<void> {
  for (const path of await listFiles(from)) {
    if (path.endsWith(".rs") || [cargoFile, cargoLockFile].includes(path)) continue;
    const to = join(into, path);
    await mkdir(dirname(to), { recursive: true });
    await copyFile(join(from, path), to);
  }
}

/** What of a prepared crate its dependents have no use for. */
export async function dropDelivery(folder: string): Promise<void> {
  for (const path of [manifestFile, cargoLockFile]) await rm(join(folder, path), { force: true });
}
