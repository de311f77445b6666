import { InputError } from "../../core/errors.ts";
import { keyIdOf } from "../../link/keys.ts";
import { verifyRoot, type Root, type RootRole } from "../../link/root.ts";
import { listRootFiles, readRootFiles, rootFolderOf } from "../../worker/root-folder.ts";

/** Throws InputError that says of a key which the present root does not list whether an earlier one did. */
export async function expectListed(have: Root, ids: readonly string[], rootFile: string): Promise<void> {
  const unknown = ids.find((id) => !isListed(have, id));
  if (unknown === undefined) return;
  const last = await findLastListing(have, unknown, rootFile);
  if (last === null) throw new InputError(`root ${have.version} lists no key ${unknown}`, "mesh keys show names them");
  throw new InputError(
    `key ${unknown} was taken out already: root ${last} was the last to list it, the present one is ${have.version}`,
    "nothing is left to do about it; mesh keys show names the keys that are listed",
  );
}

/** A sentence for each key that a rotation before this one has replaced: this one makes another new key besides. */
export function sayReplaced(have: Root, role: RootRole, ids: readonly string[]): string[] {
  const ofRole = have.keys.filter(({ roles }) => roles.includes(role));
  return ids.flatMap((id) => {
    const key = ofRole.find(({ publicKey }) => keyIdOf(publicKey) === id);
    const newer = ofRole.find((one) => key !== undefined && one.notBefore > key.notBefore);
    if (key === undefined || newer === undefined) return [];
    return [
      `${id} was replaced before, by ${keyIdOf(newer.publicKey)}, and would have been good until ${key.notAfter}; this rotation replaces that one too`,
    ];
  });
}

function isListed({ keys }: Root, id: string): boolean {
  return keys.some(({ publicKey }) => keyIdOf(publicKey) === id);
}

/** Of the roots that this machine keeps; null: none of them lists it. */
async function findLastListing(have: Root, id: string, rootFile: string): Promise<number | null> {
  const folder = rootFolderOf(rootFile);
  const versions = (await listRootFiles(folder)).filter((version) => version < have.version).toSorted((a, b) => b - a);
  for (const [version, bytes] of await readRootFiles(folder, versions)) {
    const read = verifyRoot(bytes, {});
    if (read.ok && isListed(read.root, id)) return version;
  }
  return null;
}
