import { UnavailableError } from "../../core/errors.ts";
import { sayRoom } from "../../core/tight-disk.ts";
import { findTightDisks, measureRoom } from "../../disk/measure-room.ts";

/** Before servers are started that would end on it in words of their own. Little room is said, and kept an eye on. */
export async function expectRoom(folder: string, say: (line: string) => void): Promise<void> {
  const [tight] = await findTightDisks([folder]);
  if (tight === undefined) return;
  if (tight.room === "none")
    throw new UnavailableError(
      `the disk of ${folder} is full: ${sayRoom(tight)}`,
      "make room on it, or choose another folder with --state, then run mesh up again",
    );
  say(`the disk of ${folder} has little room left: ${sayRoom(tight)}`);
}

/** What servers and tools say where they found no room. */
const noRoom = /no space left|disk full|check free disk space|ENOSPC|EDQUOT|could not extend file|wrote only \d+ of/i;
/** Less than a mesh takes from its beginning: with so much another disk is the matter. */
const beginBytes = 512 * 1024 ** 2;

/**
 * A start that ended because the disk of `folder` is full: a server says so in many words, which name a file of its own and not
 * what to do. What made room again by being taken back does not hide it. Every other error is given back as it is.
 */
export async function explainFullDisk(error: unknown, folder: string): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const words = error.message.split("\n").find((line) => noRoom.test(line));
  const disk = words === undefined ? null : await describeShortDisk(folder, beginBytes);
  if (words === undefined || disk === null) return error;
  return new UnavailableError(
    `no room was left to write to (${words.trim().slice(0, 300)}); ${disk}`,
    "make room on it, or choose another folder with --state, then run mesh up again: it goes on from there",
    { cause: error },
  );
}

/** How much is left on the disk of a folder, as the beginning of a sentence; null: not less than this. */
export async function describeShortDisk(folder: string, lessThanBytes: number): Promise<string | null> {
  const room = await measureRoom(folder);
  return room.freeBytes < lessThanBytes ? `the disk of ${folder} has ${sayRoom(room)}` : null;
}
