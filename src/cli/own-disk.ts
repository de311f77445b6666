import type { Condition } from "../core/condition.ts";
import { conditionOfDisk, type TightDisk } from "../core/tight-disk.ts";
import type { CliContext } from "./context.ts";

/** The disk of the state folder, where it has no room at all; null: it has some. */
export async function findFullDisk(
  context: Pick<CliContext, "findTightDisks">,
  state: string,
): Promise<TightDisk | null> {
  return (await context.findTightDisks([state])).find(({ room }) => room === "none") ?? null;
}

/**
 * What is open, and with it that the state folder's disk is full: with the records on it, nobody can write that down. Looks
 * anew at each call; what it sees begins when it saw it first.
 */
export function createDiskLook(
  context: Pick<CliContext, "findTightDisks" | "now">,
  state: string,
): (open: readonly Condition[]) => Promise<readonly Condition[]> {
  let since: string | null = null;
  let count = 0;
  return async (open) => {
    const disk = await findFullDisk(context, state);
    if (disk === null) {
      [since, count] = [null, 0];
      return open;
    }
    const now = context.now().toISOString();
    [since, count] = [since ?? now, count + 1];
    const seen = conditionOfDisk(disk);
    const isRecorded = open.some(
      ({ code, subject, urgent }) => code === seen.code && subject === seen.subject && urgent,
    );
    return isRecorded ? open : [{ ...seen, since, lastSeen: now, count }, ...open];
  };
}
