import { lstat, mkdir, readlink, rename, rm, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode } from "../../core/errors.ts";
import { unpackArtifact } from "../../link/artifact/unpack.ts";
import type { ResourceOf } from "../../core/resource.ts";
import { shortDigest } from "../folders.ts";
import type { NodeContext } from "../node-context.ts";
import { syncFolder } from "../../disk/write-durably.ts";
import { collectUnneeded } from "./collect-artifacts.ts";
import { makingRoom } from "./make-room.ts";
import { readArtifactDigest, syncFolders } from "./artifact-content.ts";
import { openFolder, removeTree } from "./open-folder.ts";
import type { Conclusion, Difference, ResourceHandler } from "./resource-handler.ts";

export type WantedArtifact = Pick<ResourceOf<"artifact">, "module" | "digest" | "blob" | "blobBytes">;

export interface ObservedArtifact {
  /** Digest of the files that are there; null: nothing there. `unreadable` says what cannot be an artifact's. */
  readonly digest: string | null;
  /** Where the module's `current` link points, or null. */
  readonly current: string | null;
}

/**
 * An artifact's files, unpacked beside the running ones and switched by one rename (R45). What is in force or running
 * is never written over: a folder is named by the digest of what is in it.
 */
export function createArtifactHandler(
  context: Pick<NodeContext, "folders" | "controller" | "signal" | "declaration" | "supervisor" | "log">,
): ResourceHandler<ResourceOf<"artifact">, WantedArtifact, ObservedArtifact> {
  const modules = path.join(context.folders.root, "modules");
  const room = { log: context.log, collect: () => collectUnneeded(context, new Set()) };
  return {
    async want({ module, digest, blob, blobBytes }) {
      return { module, digest, blob, blobBytes };
    },
    async read(wanted) {
      const folder = path.join(modules, wanted.module);
      const digest = await readArtifactDigest(path.join(folder, shortDigest(wanted.digest)));
      return { digest, current: await readLink(path.join(folder, "current")) };
    },
    diff: diffArtifact,
    async apply(wanted, observed) {
      const folder = path.join(modules, wanted.module);
      await makingRoom(room, async () => {
        await openFolder(modules);
        await mkdir(folder, { recursive: true, mode: 0o755 });
        await openFolder(folder);
        if (observed.digest !== wanted.digest) await placeFiles(context, modules, wanted);
      });
      if (observed.current === shortDigest(wanted.digest)) return;
      await makingRoom(room, () => switchCurrent(folder, wanted, observed));
    },
    conclude: concludeArtifact,
    async remove({ module }) {
      // The files are collected when nothing that runs is made of them any more.
      await rm(path.join(modules, module, "current"), { force: true });
      await rm(path.join(modules, module, "previous"), { force: true });
      return { kind: "removed" };
    },
  };
}

export function diffArtifact(wanted: WantedArtifact, observed: ObservedArtifact): Difference | null {
  const name = shortDigest(wanted.digest);
  const found =
    observed.digest === null
      ? "nothing there"
      : observed.digest === wanted.digest
        ? `files ${name}`
        : `other files (${observed.digest.slice(0, 60)})`;
  const foundWords = `${found}, current ${observed.current ?? "nothing"}`;
  const wantedWords = `files ${name}, current ${name}`;
  return foundWords === wantedWords ? null : { wanted: wantedWords, found: foundWords };
}

export function concludeArtifact(wanted: WantedArtifact, observed: ObservedArtifact): Conclusion {
  const difference = diffArtifact(wanted, observed);
  if (difference === null) return { state: "applied", message: `files ${shortDigest(wanted.digest)} are current` };
  return { state: "failed", message: `wanted ${difference.wanted}, found ${difference.found}` };
}

async function placeFiles(
  context: Pick<NodeContext, "controller" | "signal">,
  modules: string,
  wanted: WantedArtifact,
): Promise<void> {
  const folder = path.join(modules, wanted.module);
  const name = shortDigest(wanted.digest);
  const unpacked = path.join(folder, `.new-${name}`);
  const replaced = path.join(folder, `.old-${name}`);
  const blob = await download(context, modules, wanted);
  await removeTree(unpacked);
  await removeTree(replaced);
  try {
    const { signal } = context;
    await unpackArtifact({ from: blob, into: unpacked, digest: wanted.digest, signal, durability: "synced" });
    await syncFolders(unpacked);
  } catch (error) {
    await removeTree(unpacked);
    // Kept, it would fill the disk that is full, or be the same wrong bytes again.
    await rm(blob, { force: true });
    throw error;
  }
  await renameIfThere(path.join(folder, name), replaced);
  await rename(unpacked, path.join(folder, name));
  await syncFolder(folder);
  await removeTree(replaced);
  await rm(blob, { force: true });
}

/** Into a file named by its digest: a cut download goes on where it was, also after a kill. */
async function download(
  context: Pick<NodeContext, "controller" | "signal">,
  modules: string,
  wanted: WantedArtifact,
): Promise<string> {
  const staging = path.join(modules, ".staging");
  await mkdir(staging, { recursive: true, mode: 0o700 });
  await openFolder(staging);
  const file = path.join(staging, wanted.blob.slice("sha256:".length));
  let fromByte = await readSize(file);
  if (fromByte > wanted.blobBytes) {
    await rm(file);
    fromByte = 0;
  }
  try {
    await context.controller.downloadBlob(wanted.blob, file, {
      fromByte,
      maxBytes: wanted.blobBytes,
      signal: context.signal,
    });
  } catch (error) {
    if (hasErrorCode(error, "ENOSPC", "EDQUOT", "EACCES")) await rm(file, { force: true });
    throw error;
  }
  return file;
}

async function switchCurrent(folder: string, wanted: WantedArtifact, observed: ObservedArtifact): Promise<void> {
  if (observed.current !== null && (await isFolder(path.join(folder, observed.current)))) {
    await placeLink(path.join(folder, "previous"), observed.current);
  }
  await placeLink(path.join(folder, "current"), shortDigest(wanted.digest));
}

/** One rename: whoever looks sees the old one or the new one. */
async function placeLink(link: string, target: string): Promise<void> {
  const temporary = path.join(path.dirname(link), `.${path.basename(link)}.mesh-new`);
  await rm(temporary, { force: true });
  await symlink(target, temporary);
  await rename(temporary, link);
  await syncFolder(path.dirname(link));
}

async function readLink(link: string): Promise<string | null> {
  try {
    return await readlink(link);
  } catch (error) {
    // absence is the answer: no link, so nothing is current yet.
    if (hasErrorCode(error, "ENOENT")) return null;
    if (hasErrorCode(error, "EINVAL")) return "something that is no link";
    if (hasErrorCode(error, "EACCES")) return "something that cannot be read";
    throw error;
  }
}

async function readSize(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    // absence is the answer: nothing of it was downloaded yet.
    if (hasErrorCode(error, "ENOENT")) return 0;
    throw error;
  }
}

async function isFolder(file: string): Promise<boolean> {
  try {
    return (await lstat(file)).isDirectory();
  } catch (error) {
    // absence is the answer: whether it is there is the question.
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}
