import { keyIdOf } from "./keys.ts";
import { keysAt, rootKeysOf, type Root, type RootKey } from "./root.ts";

/** What a root changes against the one before, a line each, for the person who is to sign it. */
export function describeRootChange(have: Root, next: Root, nowMs: number): string[] {
  return [
    `root ${next.version} of mesh ${next.mesh}, after root ${have.version}`,
    ...next.keys.flatMap((key) => describeKey(have.keys.find(isSame(key)), key)),
    ...have.keys
      .filter((key) => !next.keys.some(isSame(key)))
      .map((key) => `- ${nameKey(key)} is taken out: nothing that it signs is accepted any more`),
    ...describeThreshold(have, next),
    ...describeEnd(have, next),
    ...findGaps(next, nowMs),
  ];
}

/** `key 0123456789abcdef (declaration)`. */
export function nameKey({ publicKey, roles }: Pick<RootKey, "publicKey" | "roles">): string {
  return `key ${keyIdOf(publicKey)} (${roles.join(", ")})`;
}

function describeKey(before: RootKey | undefined, key: RootKey): string[] {
  if (before === undefined) return [`+ ${nameKey(key)} is new: good from ${key.notBefore} until ${key.notAfter}`];
  const changes: string[] = [];
  if (before.notAfter !== key.notAfter) changes.push(`ends at ${key.notAfter}, before it was ${before.notAfter}`);
  if (before.notBefore !== key.notBefore) changes.push(`begins at ${key.notBefore}, before it was ${before.notBefore}`);
  const roles = before.roles.join(", ");
  if (roles !== key.roles.join(", ")) changes.push(`has other roles, before they were ${roles}`);
  return changes.map((change) => `~ ${nameKey(key)} ${change}`);
}

function describeThreshold(have: Root, next: Root): string[] {
  const [before, after] = [have, next].map((root) => `${root.threshold} of ${rootKeysOf(root).length}`);
  if (before === after) return [`  ${after} root keys sign for it, as before`];
  return [`~ ${after} root keys sign for it, before it was ${before}`];
}

function describeEnd(have: Root, next: Root): string[] {
  if (have.expiresAt === next.expiresAt) return [];
  return [`~ it expires ${next.expiresAt ?? "never"}, before it was ${have.expiresAt ?? "never"}`];
}

/** What a person who signs it would regret. */
function findGaps(next: Root, nowMs: number): string[] {
  const gaps: string[] = [];
  if (keysAt(next, "declaration", nowMs).valid.length === 0)
    gaps.push("! no key in it may sign declarations now: hosts accept nothing new by it");
  if (next.expiresAt !== undefined && Date.parse(next.expiresAt) <= nowMs) gaps.push("! it has expired already");
  return gaps;
}

function isSame({ publicKey }: RootKey): (key: RootKey) => boolean {
  return (key) => key.publicKey === publicKey;
}
