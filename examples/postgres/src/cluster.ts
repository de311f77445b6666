import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { clusterFolder, passwordFile, type Settings } from "./settings.ts";
import { runTool } from "./tools.ts";

const unfinished = "cluster.new-";

/**
 * Makes the database cluster on the first start. It is made beside its place and renamed when whole, so a start that
 * was killed half way leaves nothing that the next one could take for a cluster.
 */
export async function prepareCluster(settings: Settings, say: (line: string) => void): Promise<void> {
  for (const name of await readdir(settings.data)) {
    if (name.startsWith(unfinished)) await rm(join(settings.data, name), { recursive: true, force: true });
  }
  if (existsSync(join(clusterFolder(settings), "PG_VERSION"))) return;
  await preparePassword(settings);
  const folder = join(settings.data, `${unfinished}${process.pid}`);
  say("making the database cluster");
  await runTool(settings, "initdb", [
    `--pgdata=${folder}`,
    "--username=admin",
    `--pwfile=${passwordFile(settings)}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
  ]);
  await rename(folder, clusterFolder(settings));
  await syncFolder(settings.data);
}

/** The administrator's password: made here, readable by this service's user only, never leaves this node. */
async function preparePassword(settings: Settings): Promise<void> {
  const path = passwordFile(settings);
  if (existsSync(path) && (await readFile(path, "utf8")).trim().length >= 32) return;
  const beside = `${path}.new`;
  await rm(beside, { force: true });
  const file = await open(beside, "wx", 0o600);
  try {
    await file.writeFile(`${randomBytes(24).toString("base64url")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(beside, path);
  await syncFolder(settings.data);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
