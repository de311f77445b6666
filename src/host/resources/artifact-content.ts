import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { hasErrorCode, whenThere } from "../../core/errors.ts";
import { contentDigest, type ContentEntry } from "../../link/artifact/content-digest.ts";
import { syncFolder } from "../../disk/write-durably.ts";

/** What was hashed once is not hashed again while nothing about it has changed. */
const verified = new Map<string, { readonly fingerprint: string; readonly digest: string }>();

/**
 * Digest of the files in a folder as an artifact's; null when there is no folder; words when it holds what no
 * artifact holds. After a start of the host everything is hashed once: a power cut can leave zeros behind. Then only
 * what has another size, time or inode than when it was hashed.
 */
export async function readArtifactDigest(folder: string): Promise<string | null> {
  try {
    return await readDigest(folder);
  } catch (error) {
    if (!hasErrorCode(error, "EACCES", "ENOENT", "ENOTDIR")) throw error;
    // What was unpacked can be read, and nobody takes of it: this is a difference, and unpacking it anew mends it (case 48).
    const file = error instanceof Error && "path" in error ? String(error.path) : folder;
    const what = hasErrorCode(error, "EACCES") ? "cannot be read" : "went while it was read";
    return `${path.relative(folder, file) || "its folder"} ${what}`;
  }
}

async function readDigest(folder: string): Promise<string | null> {
  const files = await listTree(folder);
  if (files === null) return null;
  const odd = files.find(({ kind }) => kind === "other");
  if (odd !== undefined) return `${path.relative(folder, odd.file)} is a link or no file`;
  const fingerprint = createHash("sha256")
    .update(files.map(({ trace }) => trace).join("\n"))
    .digest("hex");
  const before = verified.get(folder);
  if (before?.fingerprint === fingerprint) return before.digest;
  const entries: ContentEntry[] = [];
  for (const { file, kind, mode, bytes } of files) {
    if (kind !== "file") continue;
    entries.push({ path: path.relative(folder, file), mode, bytes, sha256: await hashFile(file) });
  }
  const digest = contentDigest(entries);
  verified.set(folder, { fingerprint, digest });
  return digest;
}

/** The names reach the disk as the files have: before a rename makes the folder the one that counts. */
export async function syncFolders(folder: string): Promise<void> {
  for (const { file, kind } of (await listTree(folder)) ?? []) if (kind === "folder") await syncFolder(file);
  await syncFolder(folder);
}

interface TreeFile {
  readonly file: string;
  readonly kind: "file" | "folder" | "other";
  readonly mode: "644" | "755";
  readonly bytes: number;
  /** Changes when the file does. */
  readonly trace: string;
}

/** Null: no folder. No link is followed: it may lead to anything, or round in a ring. */
async function listTree(folder: string): Promise<readonly TreeFile[] | null> {
  const top = await whenThere(lstat(folder));
  // absence is the answer: no folder, so nothing was unpacked there.
  if (top === null) return null;
  if (!top.isDirectory()) return [{ file: folder, kind: "other", mode: "644", bytes: 0, trace: "" }];
  const files: TreeFile[] = [];
  const folders = [folder];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const name of (await readdir(at)).toSorted()) {
      const file = path.join(at, name);
      const stats = await lstat(file);
      if (stats.isDirectory()) folders.push(file);
      files.push({
        file,
        kind: stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other",
        mode: (stats.mode & 0o100) === 0 ? "644" : "755",
        bytes: stats.size,
        trace: `${file}\0${stats.size}\0${stats.mtimeMs}\0${stats.ctimeMs}\0${stats.ino}\0${stats.mode}`,
      });
    }
  }
  return files;
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
