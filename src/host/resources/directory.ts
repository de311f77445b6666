import { constants } from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import { nothingThere } from "../../core/report.ts";
import type { ResourceOf } from "../../core/resource.ts";
import type { NodeContext } from "../node-context.ts";
import type { Owner } from "../service-user.ts";
import { syncFolder } from "../../disk/write-durably.ts";
import path from "node:path";
import { hasErrorCode, whenThere } from "../../core/errors.ts";
import { openFolder } from "./open-folder.ts";
import { prepareInRoot, resolveInRoot } from "./path-in-root.ts";
import type { Conclusion, Difference, ResourceHandler } from "./resource-handler.ts";

export interface WantedDirectory {
  readonly path: string;
  readonly mode: number;
  readonly owner: Owner;
}

export type ObservedDirectory =
  | { readonly type: "missing" }
  | { readonly type: "other" }
  /** A folder on the way to it was shut to this host. */
  | { readonly type: "unreadable" }
  | { readonly type: "folder"; readonly mode: number; readonly owner: Owner };

/** A folder with its mode and owner. What is in it is nobody's but the module's; it is never deleted (R20). */
export function createDirectoryHandler(
  context: Pick<NodeContext, "folders" | "host" | "service">,
): ResourceHandler<ResourceOf<"directory">, WantedDirectory, ObservedDirectory> {
  const { root } = context.folders;
  return {
    async want(resource) {
      const owner = resource.owner === "service" ? context.service : context.host;
      return {
        path: resource.path,
        mode: Number.parseInt(resource.mode, 8),
        owner: { uid: owner.uid, gid: owner.gid },
      };
    },
    async read(wanted) {
      const observed = async (): Promise<ObservedDirectory> => readDirectory(await resolveInRoot(root, wanted.path));
      return (await whenThere(observed(), ["EACCES"])) ?? { type: "unreadable" };
    },
    diff: diffDirectory,
    async apply(wanted) {
      const folder = await prepareInRoot(root, wanted.path);
      await makeFolder(folder);
      // It may be shut to the host itself (chmod 000 by a service that is the same user): then it cannot be opened.
      await openFolder(folder);
      const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      try {
        await handle.chown(wanted.owner.uid, wanted.owner.gid);
        await handle.chmod(wanted.mode);
      } finally {
        await handle.close();
      }
      await syncFolder(path.dirname(folder));
    },
    conclude: concludeDirectory,
    async remove(resource) {
      return { kind: "kept", why: `${resource.path} is kept: the host never deletes data` };
    },
  };
}

export function diffDirectory(wanted: WantedDirectory, observed: ObservedDirectory): Difference | null {
  const wantedWords = describe(wanted.mode, wanted.owner);
  if (observed.type === "missing") return { wanted: wantedWords, found: nothingThere };
  if (observed.type === "other") return { wanted: wantedWords, found: "something that is no folder" };
  if (observed.type === "unreadable") return { wanted: wantedWords, found: "something that cannot be read" };
  const foundWords = describe(observed.mode, observed.owner);
  return foundWords === wantedWords ? null : { wanted: wantedWords, found: foundWords };
}

export function concludeDirectory(wanted: WantedDirectory, observed: ObservedDirectory): Conclusion {
  const difference = diffDirectory(wanted, observed);
  if (difference === null)
    return { state: "applied", message: `${wanted.path}: ${describe(wanted.mode, wanted.owner)}` };
  return { state: "failed", message: `${wanted.path}: wanted ${difference.wanted}, found ${difference.found}` };
}

function describe(mode: number, owner: Owner): string {
  return `folder, mode ${mode.toString(8)}, owner ${owner.uid}:${owner.gid}`;
}

async function readDirectory(folder: string): Promise<ObservedDirectory> {
  try {
    const stats = await lstat(folder);
    if (!stats.isDirectory()) return { type: "other" };
    return { type: "folder", mode: stats.mode & 0o7777, owner: { uid: stats.uid, gid: stats.gid } };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return { type: "missing" };
    throw error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    // It may be there already; whether it is a folder is seen when it is opened as one.
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}
