import { createHash } from "node:crypto";
import type { Digest } from "../../core/names.ts";

export interface ContentEntry {
  readonly path: string;
  readonly mode: "644" | "755";
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** What an artifact *is*: the sorted list of its files, free of clocks, owners, order and compression (R10). */
export function contentDigest(entries: readonly ContentEntry[]): Digest {
  const hash = createHash("sha256");
  const lines = entries.map((entry) => ({ path: Buffer.from(entry.path, "utf8"), entry }));
  lines.sort((a, b) => Buffer.compare(a.path, b.path));
  for (const { entry } of lines) hash.update(`${entry.mode} ${entry.bytes} ${entry.sha256} ${entry.path}\n`, "utf8");
  return `sha256:${hash.digest("hex")}`;
}
