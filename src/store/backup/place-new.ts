import { link, open, rename, rm } from "node:fs/promises";
import { hasErrorCode } from "../../core/errors.ts";

/** File systems without hard links (FAT, some of networks) say it in several ways. */
const noLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"] as const;

/**
 * Gives a whole file its name, unless there is something under that name: then it is left alone, and the answer is false. The
 * temporary name is gone afterwards. `makeLink`: as the file system does it.
 */
export async function placeNew(temporary: string, file: string, makeLink: typeof link = link): Promise<boolean> {
  try {
    await makeLink(temporary, file);
  } catch (error) {
    // absence is the answer: the name was taken meanwhile, which is what the caller asks about
    if (hasErrorCode(error, "EEXIST")) return false;
    if (!hasErrorCode(error, ...noLinks)) throw error;
    return await placeOverOwn(temporary, file);
  }
  await rm(temporary);
  return true;
}

/** The name is taken by an empty file of our own first: nobody else makes one under it, and that one may be replaced. */
async function placeOverOwn(temporary: string, file: string): Promise<boolean> {
  try {
    await (await open(file, "wx", 0o600)).close();
  } catch (error) {
    // absence is the answer: as with a link
    if (hasErrorCode(error, "EEXIST")) return false;
    throw error;
  }
  try {
    await rename(temporary, file);
    return true;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}
