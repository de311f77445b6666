import { z } from "zod";
import type { Condition } from "./condition.ts";

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

/** Of a disk of this machine, as the condition `disk-full` says it: by the controller, and by a command that looks itself. */
export function conditionOfDisk(
  disk: TightDisk,
): Pick<Condition, "code" | "subject" | "message" | "remedy" | "urgent"> {
  const [folder = ""] = disk.folders;
  return {
    code: "disk-full",
    subject: folder,
    message: `the disk of ${disk.folders.join(", ")} has ${sayHowMuch(disk)}: ${sayRoom(disk)}`,
    remedy: `make room on the disk of ${folder}: mesh artifact gc and mesh records prune show what nobody needs`,
    urgent: disk.room === "none",
  };
}

export function sayHowMuch({ room }: Pick<TightDisk, "room">): string {
  return room === "none" ? "no room left" : "little room left";
}

const mebibyte = 1024 ** 2;

function sayBytes(bytes: number): string {
  if (bytes < 10 * mebibyte) return `${Math.floor(bytes / 1024)} KiB`;
  if (bytes < 10 * 1024 * mebibyte) return `${Math.floor(bytes / mebibyte)} MiB`;
  return `${Math.floor(bytes / (1024 * mebibyte))} GiB`;
}
