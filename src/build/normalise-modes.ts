import { chmod, lstat, readdir } from "node:fs/promises";
import { joinRaw } from "./raw-path.ts";

/**
 * What this process wrote under its own umask becomes readable by the sandbox's user: folders 755, files 644 or 755 by
 * their owner's bit. Links are left alone.
 */
export async function normaliseModes(folder: string): Promise<void> {
  await normalise(Buffer.from(folder));
}

async function normalise(path: Buffer): Promise<void> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return;
  const mode = found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644;
  if ((found.mode & 0o7777) !== mode) await chmod(path, mode);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path, { encoding: "buffer" })) await normalise(joinRaw(path, name));
}
