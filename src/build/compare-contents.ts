import type { ContentEntry } from "../link/artifact/content-digest.ts";

/** More files than anybody reads. */
const shownFiles = 50;

/** In what two builds of the same inputs differ, a sentence for each file, sorted by path. None: they are the same. */
export function compareContents(first: readonly ContentEntry[], second: readonly ContentEntry[]): string[] {
  const [before, after] = [byPath(first), byPath(second)];
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const differences = paths.flatMap((path) => {
    const [one, two] = [before.get(path), after.get(path)];
    if (one === undefined) return [`${path}: only in the second`];
    if (two === undefined) return [`${path}: only in the first`];
    if (one.sha256 !== two.sha256)
      return [`${path}: ${one.bytes === two.bytes ? "other bytes" : `${one.bytes} bytes, then ${two.bytes}`}`];
    return one.mode === two.mode ? [] : [`${path}: mode ${one.mode}, then ${two.mode}`];
  });
  const more = differences.length - shownFiles;
  return more > 0 ? [...differences.slice(0, shownFiles), `… and ${more} files more`] : differences;
}

function byPath(entries: readonly ContentEntry[]): ReadonlyMap<string, ContentEntry> {
  return new Map(entries.map((entry) => [entry.path, entry]));
}
