import { z } from "zod";

const countSchema = z.number().int().nonnegative();

/** A file system with little or no room left, by the folders of ours that lie on it (R33). */
export const tightDiskSchema = z.object({
  /** Absolute; a long one is cut at its beginning. */
  folders: z.array(z.string().min(1).max(200)).min(1).max(16),
  /** `none`: what needs room fails. `little`: somebody should look before it does. */
  room: z.enum(["little", "none"]),
  freeBytes: countSchema,
  totalBytes: countSchema,
  /** How many more files it can have, of how many; 0 of 0 where it does not count them. */
  freeNames: countSchema,
  totalNames: countSchema,
});
export type TightDisk = z.infer<typeof tightDiskSchema>;

/** In words: how much is left of how much. Names are only said where they are what is short. */
export function sayRoom({ freeBytes, totalBytes, freeNames, totalNames }: Omit<TightDisk, "folders" | "room">): string {
  const bytes = `${sayBytes(freeBytes)} of ${sayBytes(totalBytes)} left`;
  if (totalNames === 0 || freeNames >= totalNames / 100) return bytes;
  return `${bytes}, and ${freeNames} of ${totalNames} file names`;
}

const mebibyte = 1024 ** 2;

function sayBytes(bytes: number): string {
  if (bytes < 10 * mebibyte) return `${Math.floor(bytes / 1024)} KiB`;
  if (bytes < 10 * 1024 * mebibyte) return `${Math.floor(bytes / mebibyte)} MiB`;
  return `${Math.floor(bytes / (1024 * mebibyte))} GiB`;
}
