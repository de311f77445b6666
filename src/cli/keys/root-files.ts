import { createReadStream, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { hasErrorCode, InputError, UnavailableError } from "../../core/errors.ts";
import { verifyNextRoot } from "../../link/next-root.ts";
import { rootBytesLimit } from "../../link/limits.ts";
import { verifyRoot, type Root } from "../../link/root.ts";
import { listRootFilesAfter, rootFileOf, rootFolderOf } from "../../worker/root-folder.ts";
import type { CommandCall } from "../command.ts";
import { findMesh, meshFileName } from "../find-mesh.ts";
import { meshPaths, type MeshPaths } from "../mesh-setup.ts";

/** The files of the mesh that a command is about, one that was never started among them. Nothing is connected to. */
export function findPaths({ context, options }: CommandCall): MeshPaths {
  const isState = (folder: string): boolean =>
    existsSync(join(folder, meshFileName)) || existsSync(meshPaths(folder).rootDocument);
  return meshPaths(findMesh({ state: options.state, env: context.env, cwd: context.cwd, isState }));
}

/** Throws UnavailableError where it cannot be read, InputError where it is no root that its own keys have signed. */
export async function readRootFile(file: string): Promise<{ readonly root: Root; readonly bytes: Buffer }> {
  const bytes = await readBounded(file);
  const verified = verifyRoot(bytes, {});
  if (verified.ok) return { root: verified.root, bytes };
  throw new InputError(`the root document ${file} is refused: ${verified.message}`, "restore it from a copy");
}

/**
 * The newest root that this folder has: the root document's, or one that was published elsewhere and that the controller has put into
 * the folder of roots. `file` holds it. Throws InputError for one that does not follow.
 */
export async function readNewestRoot(
  rootDocument: string,
): Promise<{ readonly root: Root; readonly bytes: Buffer; readonly file: string }> {
  let newest = { ...(await readRootFile(rootDocument)), file: rootDocument };
  const folder = rootFolderOf(rootDocument);
  for (const version of await listRootFilesAfter(folder, newest.root.version)) {
    const file = rootFileOf(folder, version);
    const bytes = await readBounded(file);
    const next = verifyNextRoot(bytes, { have: newest.root });
    if (!next.ok)
      throw new InputError(
        `${file} is refused: ${next.message}`,
        "restore it from a copy, or remove it (mesh conditions)",
      );
    newest = { root: next.root, bytes, file };
  }
  return newest;
}

/** A file that a person named: never more of it is read than a root has, whatever lies there. */
export async function readBounded(file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    // One byte more than is allowed: whether there is one is the question. A device has no size to ask for.
    const stream: AsyncIterable<Buffer> = createReadStream(file, { end: rootBytesLimit });
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR"))
      throw new InputError(`there is no file ${file}`, "is the path right?");
    throw new UnavailableError(`${file} cannot be read`, "is the path right?", { cause: error });
  }
  const bytes = Buffer.concat(chunks);
  if (bytes.length > rootBytesLimit)
    throw new InputError(`${file} has more than ${rootBytesLimit} bytes, no root has so many`);
  return bytes;
}

/** An option that names a file or folder, from where the person stands; null when it was left out. */
export function pathOption({ context, options }: CommandCall, name: string): string | null {
  const value = options[name];
  return typeof value === "string" && value !== "" ? resolve(context.cwd, value) : null;
}
