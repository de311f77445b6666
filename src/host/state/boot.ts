import { randomUUID } from "node:crypto";
import path from "node:path";
import { z } from "zod";
import { readStateFile, writeStateFile } from "./state-file.ts";

const bootSchema = z.object({ schema: z.literal(1), boot: z.number().int().nonnegative() });

/** One start of the host: orders its reports against those of other starts (R38). */
export interface Boot {
  /** 0: the very first could not be written down. */
  readonly boot: number;
  readonly bootId: string;
  /** The first report's sequence number. */
  readonly firstSequence: number;
  /** Why the number could not be written down, or null. */
  readonly problem: unknown;
}

/**
 * Raises the counter of starts. With a full disk the host still comes up (R44). Then it counts as a part of the start
 * before it, and reports after what that one reported: it begins at the time in seconds, which is a guess that is mostly
 * right, and goes on above what the controller says to be kept where it was not. The next number is left to the start that
 * can write it down, whose reports come after these.
 */
export async function beginBoot(stateFolder: string, now: Date): Promise<Boot> {
  const file = path.join(stateFolder, "boot.json");
  const before = await readStateFile(file, bootSchema);
  const last = before?.boot ?? 0;
  const boot = last + 1;
  const bootId = randomUUID();
  try {
    await writeStateFile(file, { schema: 1, boot });
    return { boot, bootId, firstSequence: 1, problem: null };
  } catch (problem) {
    return { boot: last, bootId, firstSequence: Math.max(1, Math.floor(now.getTime() / 1000)), problem };
  }
}
