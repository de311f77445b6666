import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { UnavailableError, whenThere } from "../core/errors.ts";
import { isDamage, listPacks } from "./bare-clone.ts";
import { runGit } from "./git.ts";

const repackMs = 10 * 60_000;
/** Each fetch keeps a pack and a ref of its own. Past so many they become one, with the refs that were used last. */
const packLimit = 50;
const keptRefs = 64;
const usedWithinMs = 3_600_000;
/** What failed is left alone for so long: it may take minutes, and fetches wait for it. */
const failedRestMs = 3_600_000;

/** By folder of the clone: when a failed one may be tried again. */
const restsUntilMs = new Map<string, number>();

/**
 * Bounds what the clone of a busy repository holds. What was dropped and is asked for again is fetched again.
 * UnavailableError where it cannot be done, or git's own where the clone is damaged: what was fetched is here all the same.
 */
export async function tidyClone({ dir, url }: { readonly dir: string; readonly url: string }): Promise<void> {
  if (Date.now() < (restsUntilMs.get(dir) ?? 0)) return;
  try {
    await repackMany(dir);
    restsUntilMs.delete(dir);
  } catch (cause) {
    if (isDamage(cause)) throw cause;
    restsUntilMs.set(dir, Date.now() + failedRestMs);
    throw new UnavailableError(
      `the clone ${dir} of repository ${url} has more than ${packLimit} packs, which could not be made one: ${
        cause instanceof Error ? cause.message : String(cause)
      }`,
      "See that its disk has room for it once more. Commits are fetched all the same; it is tried again in an hour.",
      { cause },
    );
  }
}

async function repackMany(dir: string): Promise<void> {
  const packs = (await listPacks(dir)).filter(({ name }) => name.endsWith(".pack"));
  if (packs.length <= packLimit) return;
  const folder = join(dir, "refs", "mesh", "commits");
  const refs: { name: string; usedMs: number }[] = [];
  for (const name of (await whenThere(readdir(folder))) ?? []) {
    const found = await whenThere(stat(join(folder, name)));
    if (found !== null) refs.push({ name, usedMs: found.mtimeMs });
  }
  const old = refs
    .toSorted((a, b) => b.usedMs - a.usedMs)
    .slice(keptRefs)
    .filter(({ usedMs }) => usedMs < Date.now() - usedWithinMs);
  for (const { name } of old) await rm(join(folder, name), { force: true });
  await runGit({ dir, args: ["repack", "-a", "-d", "-q"], waitMs: repackMs });
  await runGit({ dir, args: ["prune", "--expire=1.hour.ago"], waitMs: repackMs });
}

/**
 * Removes what fetches and repacks that were killed left among the packs: git itself does so only when it prunes, and it
 * counts for the limit. Younger ones may be those of another process that is at work.
 */
export async function removeCutOff(dir: string, ageMs: number): Promise<void> {
  for (const { name, writtenMs } of await listPacks(dir))
    if (/^\.?tmp[-_]/.test(name) && Date.now() - writtenMs > ageMs)
      await rm(join(dir, "objects", "pack", name), { force: true });
}
