import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, rm, rmdir } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode, whenThere } from "../../core/errors.ts";
import type { ResourceOf } from "../../core/resource.ts";
import type { NodeContext } from "../node-context.ts";
import type { Owner } from "../service-user.ts";
import { syncFolder, writeDurably } from "../../disk/write-durably.ts";
import { prepareInRoot, reachInRoot, resolveInRoot } from "./path-in-root.ts";
import { writeProvisions } from "./provisions-file.ts";
import type { Conclusion, Difference, ResourceHandler } from "./resource-handler.ts";

export interface WantedFile {
  readonly path: string;
  readonly mode: number;
  readonly owner: Owner;
  readonly bytes: Buffer;
  /** Hex. */
  readonly sha256: string;
  /** Says what is in it without showing it, e.g. `credentials database v2`. */
  readonly content: string;
}

export type ObservedFile =
  | { readonly type: "missing" }
  | { readonly type: "other" }
  /** It, or a folder on the way to it, was shut to this host: what is there is not known. */
  | { readonly type: "unreadable" }
  | { readonly type: "file"; readonly mode: number; readonly owner: Owner; readonly sha256: string };

/** Larger than any file the host writes: one that is larger is different, however it goes on. */
const readBytesLimit = 1024 * 1024;

/** A file of settings, or the credentials a service is given. Written whole or not at all. */
export function createFileHandler(
  context: Pick<NodeContext, "folders" | "host" | "service" | "openSecret">,
): ResourceHandler<ResourceOf<"file">, WantedFile, ObservedFile> {
  const { root } = context.folders;
  return {
    async want(resource) {
      const { content } = resource;
      const owner = resource.owner === "service" ? context.service : context.host;
      const text =
        content.from === "text" ? content.text : await writeProvisions(content.references, context.openSecret);
      const bytes = Buffer.from(text, "utf8");
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return {
        path: resource.path,
        mode: Number.parseInt(resource.mode, 8),
        owner: { uid: owner.uid, gid: owner.gid },
        bytes,
        sha256,
        content:
          content.from === "text"
            ? `text ${sha256.slice(0, 12)}`
            : `credentials ${content.references.map(({ requirement, version }) => `${requirement} v${version}`).join(", ")}`,
      };
    },
    async read(wanted) {
      const observed = async (): Promise<ObservedFile> => readRegularFile(await resolveInRoot(root, wanted.path));
      // A difference like any other: written anew it can be read again (case 48).
      return (await whenThere(observed(), ["EACCES"])) ?? { type: "unreadable" };
    },
    diff: diffFile,
    async apply(wanted, observed) {
      const file = await prepareInRoot(root, wanted.path);
      // What is no file is not ours to delete, except a link: renaming over it would do the same.
      const isUnknown = observed.type === "other" || observed.type === "unreadable";
      if (isUnknown && (await whenThere(lstat(file)))?.isDirectory() === true) await rmdir(file);
      await writeDurably(file, wanted.bytes, { mode: wanted.mode, owner: wanted.owner, writers: "one" });
    },
    conclude: concludeFile,
    async remove(resource) {
      const file = await reachInRoot(root, resource.path);
      await rm(file, { force: true });
      await removeEmptyFolders(root, path.dirname(resource.path));
      return { kind: "removed" };
    },
  };
}

export function diffFile(wanted: WantedFile, observed: ObservedFile): Difference | null {
  const wantedWords = describe(wanted.content, wanted.mode, wanted.owner);
  if (observed.type === "missing") return { wanted: wantedWords, found: "nothing there" };
  if (observed.type === "other") return { wanted: wantedWords, found: "something that is no file" };
  if (observed.type === "unreadable") return { wanted: wantedWords, found: "something that cannot be read" };
  const content = observed.sha256 === wanted.sha256 ? wanted.content : `other content ${observed.sha256.slice(0, 12)}`;
  const foundWords = describe(content, observed.mode, observed.owner);
  return foundWords === wantedWords ? null : { wanted: wantedWords, found: foundWords };
}

export function concludeFile(wanted: WantedFile, observed: ObservedFile): Conclusion {
  const difference = diffFile(wanted, observed);
  if (difference === null) {
    return { state: "applied", message: `${wanted.path}: ${describe(wanted.content, wanted.mode, wanted.owner)}` };
  }
  return { state: "failed", message: `${wanted.path}: wanted ${difference.wanted}, found ${difference.found}` };
}

function describe(content: string, mode: number, owner: Owner): string {
  return `${content}, mode ${mode.toString(8)}, owner ${owner.uid}:${owner.gid}`;
}

async function readRegularFile(file: string): Promise<ObservedFile> {
  let handle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return { type: "missing" };
    if (hasErrorCode(error, "ELOOP", "ENXIO")) return { type: "other" };
    throw error;
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return { type: "other" };
    const owner = { uid: stats.uid, gid: stats.gid };
    const mode = stats.mode & 0o7777;
    if (stats.size > readBytesLimit) return { type: "file", mode, owner, sha256: `of ${stats.size} bytes` };
    const sha256 = createHash("sha256")
      .update(await handle.readFile())
      .digest("hex");
    return { type: "file", mode, owner, sha256 };
  } finally {
    await handle.close();
  }
}

/** `etc/<module>` goes with its last file. Data folders are never touched (R20). */
async function removeEmptyFolders(root: string, nodePath: string): Promise<void> {
  let parts = nodePath.split("/");
  while (parts.length > 1 && parts[0] === "etc") {
    try {
      await rmdir(path.join(root, ...parts));
    } catch (error) {
      // absence is the answer: others are still in it, or it is gone already.
      if (hasErrorCode(error, "ENOTEMPTY", "ENOENT")) return;
      throw error;
    }
    parts = parts.slice(0, -1);
    await syncFolder(path.join(root, ...parts));
  }
}
