import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { isRustTest } from "../../source/imports/rust-source.ts";
import { type StrippedSource, stripRustSources } from "./rust-strip.ts";

/**
 * Which files a crate is compiled of, each with its text where that is another one than it was. Left out is what only
 * people, tools and tests read, unless the code that is compiled names it: cargo on the whole folder would find it.
 * `targets`: what Cargo.toml names as code.
 */
export async function chooseCompiled(
  folder: string,
  files: readonly string[],
  targets: readonly string[],
): Promise<Map<string, string | null>> {
  const mine = files.filter((path) => !isRustTest(path) && !isForDevelopers(path));
  const sources = await readSources(folder, mine);
  const stripped = await stripRustSources(sources);
  const tests = new Set([...stripped.values()].flatMap((source) => source.testPaths));
  // What a library has for its tests alone, the program beside it may be made of.
  const live = new Set([...stripped.values()].flatMap((source) => source.livePaths));
  const all = [...sources.values()].join("\n");
  const chosen = new Map<string, string | null>();
  for (const path of mine) {
    if (isAtOrBelow(tests, path) && !isAtOrBelow(live, path)) continue;
    // A document that code takes in is code.
    if (isDocument(path) && !all.includes(posix.basename(path))) continue;
    chosen.set(path, stripped.get(path)?.text ?? null);
  }
  await addNamed(folder, chosen, {
    rest: files.filter((path) => !chosen.has(path)),
    named: [...targets, ...[...stripped].flatMap(([path, source]) => (chosen.has(path) ? source.names : []))],
  });
  return chosen;
}

interface Named {
  /** Files that are not chosen. */
  readonly rest: readonly string[];
  /** Files and folders. */
  readonly named: readonly string[];
}

/** What is taken in is code too: it may name more. */
async function addNamed(folder: string, chosen: Map<string, string | null>, { rest, named }: Named): Promise<void> {
  const below = indexByPlace(rest);
  for (let next = named; next.length > 0;) {
    const found = new Set(next.flatMap((place) => [...(below.get(place) ?? [])]));
    for (const place of next) below.delete(place);
    const added = [...found].filter((path) => !chosen.has(path));
    const stripped = await stripRustSources(await readSources(folder, added));
    for (const path of added) chosen.set(path, stripped.get(path)?.text ?? null);
    next = [...stripped.values()].flatMap(namesOf);
  }
}

function namesOf({ names, livePaths }: StrippedSource): readonly string[] {
  return [...names, ...livePaths];
}

/** Each file by its own path and by every folder above it. */
function indexByPlace(files: readonly string[]): Map<string, string[]> {
  const below = new Map<string, string[]>();
  for (const path of files)
    for (let place = path; place !== "."; place = posix.dirname(place)) {
      const known = below.get(place);
      if (known === undefined) below.set(place, [path]);
      else known.push(path);
    }
  return below;
}

async function readSources(folder: string, files: readonly string[]): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  for (const path of files) if (path.endsWith(".rs")) sources.set(path, await readFile(join(folder, path), "utf8"));
  return sources;
}

function isAtOrBelow(places: ReadonlySet<string>, path: string): boolean {
  if (places.has(path)) return true;
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
    if (places.has(path.slice(0, at))) return true;
  return false;
}

/** Of other hidden folders macros read what they need by a name of their own, as those of sqlx do in `.sqlx`. */
const toolFolders = /^\.(cargo|git[^/]*|vscode|vs|idea|zed|devcontainer|circleci|buildkite|husky|config)\//;

function isForDevelopers(path: string): boolean {
  if (path.startsWith(".")) return !path.includes("/") || toolFolders.test(path);
  return /^(rustfmt|clippy|deny|cross|release)\.toml$/.test(path);
}

function isDocument(path: string): boolean {
  return /\.(md|markdown)$/i.test(path);
}
