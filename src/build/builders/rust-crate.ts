import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { manifestFile } from "../../source/read-manifest.ts";
import { cargoFile, cargoLockFile } from "../../source/imports/rust-manifest.ts";
import { isRustTest } from "../../source/imports/rust-source.ts";
import { listFiles } from "../list-files.ts";
import { stripRustSources } from "./rust-strip.ts";

/**
 * The crate as it is compiled, delivered and given to dependents: without tests, comments, documents and settings of
 * tools, so that changing those changes nothing that comes out (R10).
 */
export async function prepareCrate(from: string, into: string): Promise<void> {
  const files = (await listFiles(from)).filter((path) => !isRustTest(path) && !isForDevelopers(path));
  const sources = new Map<string, string>();
  for (const path of files) if (path.endsWith(".rs")) sources.set(path, await readFile(join(from, path), "utf8"));
  const stripped = await stripRustSources(sources);
  const tests = new Set([...stripped.values()].flatMap((source) => source.testPaths));
  // What a library has for its tests alone, the program beside it may be made of.
  const live = new Set([...stripped.values()].flatMap((source) => source.livePaths));
  const all = [...sources.values()].join("\n");
  for (const path of files) {
    if (isAtOrBelow(tests, path) && !isAtOrBelow(live, path)) continue;
    // A document that code takes in is code.
    if (isDocument(path) && !all.includes(posix.basename(path))) continue;
    const to = join(into, path);
    await mkdir(dirname(to), { recursive: true });
    const source = stripped.get(path);
    if (source === undefined) await copyFile(join(from, path), to);
    else await writeFile(to, source.text);
  }
}

function isAtOrBelow(places: ReadonlySet<string>, path: string): boolean {
  if (places.has(path)) return true;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
    if (places.has(path.slice(0, at))) return true;
  return false;
}

function isForDevelopers(path: string): boolean {
  return path.startsWith(".") || /^(rustfmt|\.rustfmt|clippy|deny|cross|release|cbindgen)\.toml$/.test(path);
}

function isDocument(path: string): boolean {
  return /\.(md|markdown)$/i.test(path);
}

/** What a service finds beside its programs: everything of the module that is no code. */
export async function copyAssets(from: string, into: string): Promise<void> {
  for (const path of await listFiles(from)) {
    if (path.startsWith("src/") || path.endsWith(".rs") || [cargoFile, cargoLockFile].includes(path)) continue;
    const to = join(into, path);
    await mkdir(dirname(to), { recursive: true });
    await copyFile(join(from, path), to);
  }
}

/** What of a prepared crate its dependents have no use for. */
export async function dropDelivery(folder: string): Promise<void> {
  for (const path of [manifestFile, cargoLockFile]) await rm(join(folder, path), { force: true });
}
