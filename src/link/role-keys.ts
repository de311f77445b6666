import { readdir } from "node:fs/promises";
import path from "node:path";
import { whenThere } from "../core/errors.ts";
import { loadSigningKey, type SigningKey } from "./keys.ts";
import { keysAt, type Root, type RootKey, type RootRole } from "./root.ts";

/** `declaration-key.pem` and, of later rotations, `declaration-key-<key id>.pem` beside it. */
export function rotatedKeyFile(firstFile: string, keyId: string): string {
  return firstFile.replace(/\.pem$/, `-${keyId}.pem`);
}

/** Every key of one role that is in this folder, by the name of its first file. Empty where there is none. */
export async function loadRoleKeys(
  firstFile: string,
): Promise<readonly { readonly file: string; readonly key: SigningKey }[]> {
  const folder = path.dirname(firstFile);
  const stem = path.basename(firstFile, ".pem");
  const names = (await whenThere(readdir(folder))) ?? [];
  const mine = names.filter((name) => name.startsWith(stem) && /^(-[0-9a-f]{16})?\.pem$/.test(name.slice(stem.length)));
  const files = mine.toSorted().map((name) => path.join(folder, name));
  return Promise.all(files.map(async (file) => ({ file, key: await loadSigningKey(file) })));
}

/** Of the keys that are here the one that the root lists for the role now, the newest first; null: none of them. */
export function chooseKey(root: Root, role: RootRole, keys: readonly SigningKey[], nowMs: number): SigningKey | null {
  const { valid } = keysAt(root, role, nowMs);
  const beginOf = ({ publicKey }: SigningKey): number =>
    Date.parse(root.keys.find((key) => key.publicKey === publicKey)?.notBefore ?? "");
  const [newest] = keys
    .filter(({ publicKey }) => valid.includes(publicKey))
    .toSorted((a, b) => beginOf(b) - beginOf(a) || (a.keyId < b.keyId ? -1 : 1));
  return newest ?? null;
}

/**
 * The newest key that the root lists for the role and that is good now, where it is not among these: who signs with an older one
 * stops when that ends. Null: it is here, or none is good.
 */
export function findNewestMissing(
  root: Root,
  role: RootRole,
  keys: readonly SigningKey[],
  nowMs: number,
): RootKey | null {
  const { valid } = keysAt(root, role, nowMs);
  const good = root.keys.filter(({ publicKey }) => valid.includes(publicKey));
  const newestMs = Math.max(...good.map(({ notBefore }) => Date.parse(notBefore)));
  const newest = good.filter(({ notBefore }) => Date.parse(notBefore) === newestMs);
  const isHere = newest.some(({ publicKey }) => keys.some((key) => key.publicKey === publicKey));
  return isHere ? null : (newest[0] ?? null);
}
