import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { whenThere } from "../../core/errors.ts";
import { loadSigningKey } from "../../link/keys.ts";

export interface PrivateHalf {
  readonly file: string;
  readonly encrypted: boolean;
}

/** Every file of the mesh's that holds a private half, by key id. Of an encrypted one its name says which it is. */
export async function findPrivateHalves(folders: readonly string[]): Promise<ReadonlyMap<string, PrivateHalf>> {
  const found = new Map<string, PrivateHalf>();
  for (const folder of folders) {
    for (const name of ((await whenThere(readdir(folder))) ?? []).toSorted()) {
      const file = join(folder, name);
      const [, id] = /^root-key-([0-9a-f]{16})\.age$/.exec(name) ?? [];
      if (id !== undefined) found.set(id, { file, encrypted: true });
      if (!/^(root|declaration|provenance)-key(-[0-9a-f]{16})?\.pem$/.test(name)) continue;
      found.set((await loadSigningKey(file)).keyId, { file, encrypted: false });
    }
  }
  return found;
}
