import { InputError } from "../../core/errors.ts";
import { keyIdOf } from "../../link/keys.ts";
import { rootKeysOf, type Root, type RootKey, type RootRole } from "../../link/root.ts";

const dayMs = 86_400_000;
/** Machines' clocks differ: keys are good from a little earlier. */
const backdateMs = dayMs;

export interface Rotation {
  readonly have: Root;
  readonly role: RootRole;
  readonly nowMs: number;
  /** Raw, in base64. */
  readonly newKeys: readonly string[];
  readonly lives: { readonly days: number };
  /** How long the keys that are replaced are still good; of root keys none is kept but by name. */
  readonly overlapDays: number;
  /** Key ids that the next root does not list: nothing they sign is accepted any more. */
  readonly revoke: readonly string[];
  /** Ids of root keys that stay. */
  readonly keep: readonly string[];
  /** Null: as it is. */
  readonly threshold: number | null;
  /** ISO; null: as it is. */
  readonly expiresAt: string | null;
}

/** The next root, to be signed. Throws InputError where it would be none, or names a key that is not there. */
export function planRotation(rotation: Rotation): Root {
  const { have, role, newKeys, nowMs, lives, revoke, keep } = rotation;
  const known = new Set(have.keys.map(({ publicKey }) => keyIdOf(publicKey)));
  const unknown = [...revoke, ...keep].find((id) => !known.has(id));
  if (unknown !== undefined)
    throw new InputError(`root ${have.version} lists no key ${unknown}`, "mesh keys show names them");
  const kept = have.keys
    .filter(({ publicKey }) => !revoke.includes(keyIdOf(publicKey)))
    .filter(({ publicKey, roles }) => role !== "root" || !roles.includes("root") || keep.includes(keyIdOf(publicKey)))
    .map((key) => (role !== "root" && key.roles.includes(role) ? endSooner(key, rotation) : key));
  const keys = [...kept, ...newKeys.map((publicKey) => listKey({ publicKey, role, nowMs, days: lives.days }))];
  const next: Root = { ...have, version: have.version + 1, keys, threshold: rotation.threshold ?? have.threshold };
  if (rotation.expiresAt !== null) next.expiresAt = rotation.expiresAt;
  if (next.expiresAt !== undefined && Date.parse(next.expiresAt) <= nowMs)
    throw new InputError(
      `root ${next.version} would have expired already, as root ${have.version} did at ${next.expiresAt}: hosts accept nothing by it`,
      "give --expires-days, from now: 365 is a year",
    );
  const rootKeys = rootKeysOf(next).length;
  if (next.threshold > rootKeys)
    throw new InputError(
      `${next.threshold} root keys would have to sign, and there would be ${rootKeys}`,
      "give a lower --threshold, or more keys by --root-keys or --keep",
    );
  if (keys.length > 64) throw new InputError("a root lists at most 64 keys", "give --revoke for some that have ended");
  return next;
}

/** As the root lists a new key. */
export function listKey(key: {
  readonly publicKey: string;
  readonly role: RootRole;
  readonly nowMs: number;
  readonly days: number;
}): RootKey {
  return {
    publicKey: key.publicKey,
    roles: [key.role],
    notBefore: new Date(key.nowMs - backdateMs).toISOString(),
    notAfter: new Date(key.nowMs + key.days * dayMs).toISOString(),
  };
}

function endSooner(key: RootKey, { nowMs, overlapDays }: Rotation): RootKey {
  const endMs = nowMs + overlapDays * dayMs;
  return Date.parse(key.notAfter) <= endMs ? key : { ...key, notAfter: new Date(endMs).toISOString() };
}
