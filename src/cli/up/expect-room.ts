import { UnavailableError } from "../../core/errors.ts";
import { sayRoom } from "../../core/tight-disk.ts";
import { findTightDisks } from "../../disk/measure-room.ts";

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
