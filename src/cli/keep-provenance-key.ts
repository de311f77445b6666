import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { InputError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import { writeDurably } from "../disk/write-durably.ts";
import { generateSigningKey, loadSigningKey, saveSigningKey, type SigningKey } from "../link/keys.ts";
import { chooseKey, loadRoleKeys } from "../link/role-keys.ts";
import { createRoot, verifyRoot, type Root, type RootKey, type RootRole } from "../link/root.ts";
import { listRootFiles, readRootFiles, rootFolderOf, saveRootFile } from "../worker/root-folder.ts";
import { listKey } from "./keys/plan-rotation.ts";
import type { MeshPaths } from "./mesh-setup.ts";

/** Of the keys that `mesh up` makes by itself. */
const tenYears = 3_650;

export interface KeepProvenanceKey {
  readonly mesh: Name;
  readonly paths: Pick<MeshPaths, "provenanceKey" | "rootKey" | "rootDocument">;
  readonly nowMs: number;
  readonly say: (line: string) => void;
}

/**
 * The key that says how artifacts were built, and its place in the root document: a mesh from before there was one gets
 * both at its next start, by a new version of the root. Hosts do not need it: what they were enrolled with stays.
 */
export async function keepProvenanceKey(parts: KeepProvenanceKey): Promise<void> {
  const { paths, mesh, nowMs, say } = parts;
  const before = await readFile(paths.rootDocument);
  const verified = verifyRoot(before, { mesh });
  if (!verified.ok) throw new InputError(`${paths.rootDocument}: ${verified.message}`, "restore it from a copy");
  const { root } = verified;
  const here = (await loadRoleKeys(paths.provenanceKey)).map((one) => one.key);
  if (chooseKey(root, "provenance", here, nowMs) !== null) return;
  const key = await keepSigningKey(paths.provenanceKey);
  const published = await readPublished(parts);
  // One that any root has listed was ended or taken out on purpose: only its holders bring it back.
  if ([root, ...published].some(({ keys }) => keys.some((one) => one.publicKey === key.publicKey))) return;
  const newest = Math.max(root.version, ...published.map(({ version }) => version));
  if (newest > root.version) {
    say(
      `keys: the builder's key ${key.keyId} is in no root document, and ${paths.rootDocument} is root ${root.version}, ` +
        `where root ${newest} is published: restore the newest one there, then start again`,
    );
    return;
  }
  const rootKey = existsSync(paths.rootKey) ? await loadSigningKey(paths.rootKey) : null;
  if (rootKey === null || !canSignRoot(root, rootKey)) {
    say(
      `keys: the builder's key ${key.keyId} is not in the root document, and its root key is not here: ` +
        `mesh artifact verify refuses what it signs until a root names it with the role provenance`,
    );
    return;
  }
  const next: Root = {
    ...root,
    version: root.version + 1,
    keys: [...root.keys, listLongKey(key, "provenance", nowMs)],
  };
  // A host may have the one before, and the records need not: the controller puts it into them from here.
  await saveRootFile(rootFolderOf(paths.rootDocument), { version: root.version, envelope: before });
  await writeDurably(paths.rootDocument, createRoot(next, [rootKey]), { mode: 0o644 });
  say(`keys: the builder's key ${key.keyId} is in root ${next.version} now, with the role provenance`);
}

/** Every root that lies beside the present one; what is no root of this mesh says nothing here. */
async function readPublished({ paths, mesh }: KeepProvenanceKey): Promise<Root[]> {
  const folder = rootFolderOf(paths.rootDocument);
  const files = await readRootFiles(folder, await listRootFiles(folder));
  return [...files.values()].flatMap((envelope) => {
    const verified = verifyRoot(envelope, { mesh });
    return verified.ok ? [verified.root] : [];
  });
}

/** Made once; whoever asks again gets the same. */
export async function keepSigningKey(file: string): Promise<SigningKey> {
  if (existsSync(file)) return await loadSigningKey(file);
  const key = generateSigningKey();
  await saveSigningKey(file, key);
  return key;
}

export function listLongKey({ publicKey }: SigningKey, role: RootRole, nowMs: number): RootKey {
  return listKey({ publicKey, role, nowMs, days: tenYears });
}

function canSignRoot(root: Root, key: SigningKey): boolean {
  return root.threshold === 1 && root.keys.some((one) => one.publicKey === key.publicKey && one.roles.includes("root"));
}
