import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../../core/errors.ts";
import { digestFile } from "../kept-contents.ts";
import { listFiles } from "../list-files.ts";

/** `v1 <what was asked for> <digest of what came out> <its size> <when>`: a whole one has no other length. */
const entryBytes = 175;
const entryWords = /^v1 ([0-9a-f]{64}) ([0-9a-f]{64}) +(\d+) +\d+\n$/;

/**
 * Takes out of the compiled standard library (`folder` of go-standard-cache.ts) what the disk changed, with the marks that say
 * what is in it, so that it is compiled again. Go looks at the size of what it keeps and never at its bytes, though it names
 * each file by their digest; a wrong one would be linked into every program. Answers whether there was any. Right also while
 * another build fills it: an entry is written when what it names is whole.
 */
export async function dropDamaged(folder: string): Promise<boolean> {
  const cache = join(folder, "cache");
  const byOutput = new Map<string, { readonly bytes: number; readonly entries: string[] }>();
  const damaged: string[] = [];
  for (const path of (await listFiles(cache)).filter((one) => one.endsWith("-a"))) {
    const text = await whenThere(readFile(join(cache, path), "latin1"));
    // Another build is writing it. Go takes it for none, too.
    if (text === null || text.length < entryBytes) continue;
    const [, asked, output, bytes] = entryWords.exec(text) ?? [];
    if (output === undefined || !path.endsWith(`/${asked}-a`)) damaged.push(path);
    else {
      const known = byOutput.get(output) ?? { bytes: Number(bytes), entries: [] };
      known.entries.push(path);
      byOutput.set(output, known);
    }
  }
  for (const [output, { bytes, entries }] of byOutput) {
    const path = `${output.slice(0, 2)}/${output}-d`;
    if (!(await isAsNamed(join(cache, path), output, bytes))) damaged.push(...entries, path);
  }
  if (damaged.length === 0) return false;
  // First: what is gone is not to be said to be there.
  for (const name of await readdir(folder)) if (name !== "cache") await rm(join(folder, name), { force: true });
  for (const path of damaged) await rm(join(cache, path), { force: true });
  return true;
}

async function isAsNamed(path: string, digest: string, bytes: number): Promise<boolean> {
  const found = await whenThere(lstat(path));
  return found?.isFile() === true && found.size === bytes && (await whenThere(digestFile(path))) === digest;
}
