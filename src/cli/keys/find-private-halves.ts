import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../../core/errors.ts";
import { loadSigningKey } from "../../link/keys.ts";
import type { RootRole } from "../../link/root.ts";

export interface PrivateHalf {
  readonly file: string;
  readonly encrypted: boolean;
}

export interface LookedForHalves {
  /** By key id. */
  readonly halves: ReadonlyMap<string, PrivateHalf>;
  /** Those that were looked through, and those that are not there. */
  readonly folders: readonly string[];
  readonly absent: readonly string[];
  /** Encrypted files that are not named after a key: which one is in them only their passphrase says. */
  readonly unnamed: readonly string[];
}

/** The files that hold a key of these roles, by the names that this program gives them. */
export function namesOf(id: string, roles: readonly RootRole[]): readonly string[] {
  return roles.flatMap((role) => [
    `${role}-key-${id}.pem`,
    ...(role === "root" ? [`${role}-key-${id}.age`] : []),
    // Of the first key that `mesh up` makes: it may be that one.
    `${role}-key.pem`,
  ]);
}

/** Every file in these folders that holds a private half. Of an encrypted one its name says which it is. */
export async function findPrivateHalves(given: readonly string[]): Promise<LookedForHalves> {
  const halves = new Map<string, PrivateHalf>();
  const [folders, absent, unnamed]: [string[], string[], string[]] = [[], [], []];
  for (const folder of new Set(given)) {
    const names = await whenThere(readdir(folder));
    (names === null ? absent : folders).push(folder);
    for (const name of (names ?? []).toSorted()) {
      const file = join(folder, name);
      const [, id] = /^root-key-([0-9a-f]{16})\.age$/.exec(name) ?? [];
      if (id !== undefined) halves.set(id, { file, encrypted: true });
      else if (name.endsWith(".age")) unnamed.push(file);
      if (!/^(root|declaration|provenance)-key(-[0-9a-f]{16})?\.pem$/.test(name)) continue;
      halves.set((await loadSigningKey(file)).keyId, { file, encrypted: false });
    }
  }
  return { halves, folders, absent, unnamed };
}
