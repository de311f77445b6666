import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isIdentity } from "../../src/embedded/pid-file.ts";
import { isAlive, readProcessIdentity } from "../../src/embedded/process-identity.ts";
import { listProcesses } from "../../src/embedded/processes.ts";
import { readJson } from "../../src/embedded/read-json.ts";
import { writeDurably } from "../../src/disk/write-durably.ts";

/** A temp folder that says whose it is. The user nobody may enter it: servers run as nobody where tests run as root. */
export async function makeTestFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  await writeDurably(join(folder, "owner.json"), JSON.stringify(readProcessIdentity(process.pid)), { mode: 0o644 });
  return folder;
}

/** A run that was killed leaves its servers and folders: they end with the next run. */
export async function removeLeftoverFolders(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(prefix) || (await isOwned(folder))) continue;
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      for (const left of await listProcesses({ cwd: join(folder, entry.name) })) process.kill(left.pid, "SIGKILL");
    }
    await rm(folder, { recursive: true, force: true });
  }
}

/** A folder without an owner was made this moment by another run: it is left alone. */
async function isOwned(folder: string): Promise<boolean> {
  const owner = await readJson(join(folder, "owner.json"), isIdentity);
  return owner === null || isAlive(owner);
}
