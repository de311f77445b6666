import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { JournalLine } from "./history.ts";

const lineSchema = z.object({
  time: z.string(),
  message: z.enum(["declaration accepted", "declaration is applied"]),
  epoch: z.number(),
  number: z.number(),
  digest: z.string(),
  incarnation: z.string(),
});

/** What one host wrote about what it accepted and went by, over all its starts. */
export async function readJournal(node: string, logFile: string): Promise<JournalLine[]> {
  return parseJournal(node, await readFile(logFile, "utf8"));
}

/** Lines that are about something else, or that a kill cut, say nothing about the order. */
export function parseJournal(node: string, text: string): JournalLine[] {
  return text.split("\n").flatMap((line): JournalLine[] => {
    if (!line.startsWith("{") || !line.endsWith("}")) return [];
    const parsed = lineSchema.safeParse(JSON.parse(line));
    if (!parsed.success) return [];
    const { time, message, ...rest } = parsed.data;
    return [
      { node, what: message === "declaration accepted" ? "accepted" : "applied", ...rest, atMs: Date.parse(time) },
    ];
  });
}
