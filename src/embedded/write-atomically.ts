import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

/** Whoever reads `path` sees the old content or the new, also after a kill or a power cut in the middle. */
export async function writeAtomically(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const half = `${path}.${randomBytes(4).toString("hex")}.half`;
  const file = await open(half, "wx", mode);
  try {
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(half, path);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
}
