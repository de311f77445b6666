import { lstat, mkdir } from "node:fs/promises";
import path from "node:path";
import { hasErrorCode, InputError } from "../../core/errors.ts";
import { nodePathSchema } from "../../core/resource.ts";
import { openFolder } from "./open-folder.ts";

/**
 * The absolute path of a resource's path. Every folder on the way must be a real folder: a link that a service has
 * planted in its data folder must not make the host write or read outside (case 49). The last part is the caller's:
 * it is opened without following links. Throws InputError.
 */
export async function resolveInRoot(root: string, nodePath: string): Promise<string> {
  return walk(root, nodePath, "look");
}

/** The same, and makes the folders on the way (mode 755, the host's own), or opens those that were shut to the host. */
export async function prepareInRoot(root: string, nodePath: string): Promise<string> {
  return walk(root, nodePath, "make");
}

/** The same, makes nothing, and opens those folders on the way that were shut to the host. */
export async function reachInRoot(root: string, nodePath: string): Promise<string> {
  return walk(root, nodePath, "open");
}

async function walk(root: string, nodePath: string, how: "look" | "open" | "make"): Promise<string> {
  if (!nodePathSchema.safeParse(nodePath).success) throw new InputError(`${nodePath} is no path inside the root`);
  const parts = nodePath.split("/");
  let folder = root;
  for (const part of parts.slice(0, -1)) {
    folder = path.join(folder, part);
    const kind = await readKind(folder);
    if (kind === "missing" && how === "make") await mkdir(folder, { mode: 0o755 });
    if (kind === "folder" && how !== "look") await openFolder(folder);
    if (kind === "other") {
      throw new InputError(
        `${path.relative(root, folder)} is a link or no folder`,
        "Remove it: the host follows no links.",
      );
    }
  }
  return path.join(folder, parts.at(-1) ?? "");
}

async function readKind(file: string): Promise<"missing" | "folder" | "other"> {
  try {
    const stats = await lstat(file);
    return stats.isDirectory() ? "folder" : "other";
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return "missing";
    throw error;
  }
}
