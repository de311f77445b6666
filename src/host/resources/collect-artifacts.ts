import { readdir, readlink } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode } from "../../core/errors.ts";
import type { Digest, Name } from "../../core/names.ts";
import { shortDigest } from "../folders.ts";
import type { NodeContext } from "../node-context.ts";
import { openFolder, removeTree } from "./open-folder.ts";

/**
 * What this node was neither told nor runs, by `collectArtifacts`. `held`: modules of which nothing goes yet; half a
 * download that is not wanted any more goes all the same.
 */
export function collectUnneeded(
  { folders, declaration, supervisor }: Pick<NodeContext, "folders" | "declaration" | "supervisor">,
  held: ReadonlySet<Name>,
): Promise<readonly string[]> {
  const artifacts = declaration.content.resources.filter((resource) => resource.kind === "artifact");
  const running = supervisor.list().map(({ artifact }) => artifact);
  const keep = [...artifacts.map(({ digest }) => digest), ...running];
  const keepBlobs = artifacts.map(({ blob }) => blob);
  return collectArtifacts({ root: folders.root, keep, keepBlobs, held });
}

interface CollectInput {
  readonly root: string;
  /** In force or running. */
  readonly keep: readonly Digest[];
  /** Downloads that are still wanted. */
  readonly keepBlobs: readonly Digest[];
  readonly held: ReadonlySet<Name>;
}

/**
 * Removes the files of artifacts that are neither current, nor the one before, nor in force, nor running (R45), and
 * what kills have left half.
 */
async function collectArtifacts({ root, keep, keepBlobs, held }: CollectInput): Promise<readonly string[]> {
  const modules = path.join(root, "modules");
  const kept = new Set(keep.map(shortDigest));
  const blobs = new Set(keepBlobs.map((blob) => blob.slice("sha256:".length)));
  const removed: string[] = [];
  for (const module of await listFolder(modules)) {
    if (held.has(module)) continue;
    const folder = path.join(modules, module);
    await openFolder(folder);
    const links = new Set([
      await readTarget(path.join(folder, "current")),
      await readTarget(path.join(folder, "previous")),
    ]);
    for (const name of await listFolder(folder)) {
      const isWanted = module === ".staging" ? blobs.has(name) : isLink(name) || kept.has(name) || links.has(name);
      if (isWanted) continue;
      await removeTree(path.join(folder, name));
      removed.push(`${module}/${name}`);
    }
  }
  return removed;
}

function isLink(name: string): boolean {
  return name === "current" || name === "previous";
}

async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    // absence is the answer: no folder, so there is nothing to collect.
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

async function readTarget(link: string): Promise<string | null> {
  try {
    return await readlink(link);
  } catch (error) {
    // absence is the answer: no such link, so it keeps nothing; what is in force is kept by its digest.
    if (hasErrorCode(error, "ENOENT", "EINVAL", "ENOTDIR")) return null;
    throw error;
  }
}
