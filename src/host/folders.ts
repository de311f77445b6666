import path from "node:path";
import type { Digest, Name } from "../core/names.ts";

/** The folders of one host, all absolute. */
export interface HostFolders {
  readonly dir: string;
  readonly keys: string;
  readonly state: string;
  readonly root: string;
  readonly log: string;
}

export function hostFolders(dir: string): HostFolders {
  const absolute = path.resolve(dir);
  return {
    dir: absolute,
    keys: path.join(absolute, "keys"),
    state: path.join(absolute, "state"),
    root: path.join(absolute, "root"),
    log: path.join(absolute, "log"),
  };
}

export function dataPath(module: Name): string {
  return `data/${module}`;
}

export function settingsPath(module: Name): string {
  return `etc/${module}`;
}

/** Where an artifact's files are: named by content, so that what runs is never written over (R45). */
export function artifactPath(module: Name, digest: Digest): string {
  return `modules/${module}/${shortDigest(digest)}`;
}

/** The first 12 hex digits: enough to tell a module's artifacts apart in a folder. */
export function shortDigest(digest: Digest): string {
  return digest.slice("sha256:".length, "sha256:".length + 12);
}
