import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * What this process wrote under its own umask becomes readable by the sandbox's user: folders 755, files 644 or 755 by
 * their owner's bit. Links are left alone.
 */
export async function normaliseModes(path: string): Promise<void> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return;
  const mode = found.isDirectory() || (found.mode & 0o100) !== 0 ? 0o755 : 0o644;
  if ((found.mode & 0o7777) !== mode) await chmod(path, mode);
  if (found.isDirectory()) for (const name of await readdir(path)) await normaliseModes(join(path, name));
}
