import { chmod, type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, InputError } from "../../core/errors.ts";
import type { Digest } from "../../core/names.ts";
import { contentDigest } from "./content-digest.ts";
import type { TarEntry } from "./tar-entries.ts";
import { walkArtifact, type WalkArtifact } from "./walk-artifact.ts";

export interface UnpackArtifact extends WalkArtifact {
  /** A folder that does not exist yet (its parent does); removed again when anything is wrong. */
  readonly into: string;
  /** Content digest: computed while unpacking and compared at the end. */
  readonly digest: Digest;
  /** `synced`: every file is on the disk when this returns, for machines whose power may go. */
  readonly durability?: "synced" | "cached";
}

/**
 * Unpacks what our packer packs, and nothing else: regular files with mode 644 or 755. Links, devices, setuid, `../`,
 * absolute and repeated names, sparse files and anything past the limits is an InputError, and nothing stays behind.
 */
export async function unpackArtifact(
  options: UnpackArtifact,
): Promise<{ readonly files: number; readonly bytes: number }> {
  await mkdir(options.into, { mode: 0o755 });
  try {
    const folders = new Set<string>([options.into]);
    const entries = await walkArtifact(options, (entry, body) => unpackFile(options, body, entry, folders));
    const found = contentDigest(entries);
    if (found !== options.digest) throw new InputError(`the artifact's content is ${found}, not ${options.digest}`);
    return { files: entries.length, bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0) };
  } catch (error) {
    await rm(options.into, { recursive: true, force: true });
    throw error;
  }
}

async function unpackFile(
  options: UnpackArtifact,
  body: AsyncIterable<Buffer>,
  entry: TarEntry,
  folders: Set<string>,
): Promise<void> {
  const path = join(options.into, entry.name);
  await makeFolders(options.into, dirname(path), folders);
  const file = await openNew(path, entry.name);
  try {
    for await (const chunk of body) await writeAll(file, chunk);
    // Not by the mode at opening: the umask of this process would be in it.
    await file.chmod(entry.mode === "755" ? 0o755 : 0o644);
    if (options.durability === "synced") await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
}

/** Only folders that we made ourselves are entered: nobody else can have put a link there. */
async function makeFolders(root: string, folder: string, made: Set<string>): Promise<void> {
  if (made.has(folder)) return;
  if (folder.length <= root.length) throw new InputError("a name outside the artifact");
  await makeFolders(root, dirname(folder), made);
  try {
    await mkdir(folder);
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw new InputError("a name that is a file and a folder", "", { cause: error });
    throw error;
  }
  await chmod(folder, 0o755);
  made.add(folder);
}

async function openNew(path: string, name: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (error) {
    if (errorCode(error) === "EEXIST")
      throw new InputError(`${JSON.stringify(name)} is there twice`, "", { cause: error });
    throw error;
  }
}
