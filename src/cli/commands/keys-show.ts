import { join } from "node:path";
import type { CommandDefinition } from "../command.ts";
import { findPrivateHalves, type LookedForHalves, namesOf, type PrivateHalf } from "../keys/find-private-halves.ts";
import { findPaths, pathOption, readNewestRoot } from "../keys/root-files.ts";
import { findExpiring, warnDays } from "../../link/find-expiring.ts";
import { keyIdOf } from "../../link/keys.ts";
import { rootKeysOf, type RootKey } from "../../link/root.ts";
import { alignColumns } from "../text/columns.ts";

const help = `
Reads files only: it works with the controller and the database away. A private half is looked for in the state folder (secrets,
root-keys) and in --keys, in the clear (.pem) and encrypted (.age). Which files of which key were not found is said: root keys
belong elsewhere.

Exit code: 0, or 2 where a role has no good key any more.

Examples:
  mesh keys show
  mesh keys show --keys /media/stick --json`;

const dayMs = 86_400_000;

export const keysShowCommand: CommandDefinition = {
  configure: (command) => {
    command.option("--keys <dir>", "also look for private halves here").addHelpText("after", help);
  },
  run: async (call) => {
    const paths = findPaths(call);
    const { root } = await readNewestRoot(paths.rootDocument);
    const more = pathOption(call, "keys");
    const looked = await findPrivateHalves([
      paths.secrets,
      join(paths.root, "root-keys"),
      ...(more === null ? [] : [more]),
    ]);
    const { halves } = looked;
    const nowMs = call.context.now().getTime();
    const keys = root.keys.map((key) => describeKey(key, halves, nowMs));
    const warnings = findExpiring(root, nowMs);
    const { mesh, version, threshold, expiresAt = null } = root;
    const rows = keys.map((key) => [
      key.id,
      key.roles.join(", "),
      key.state,
      `until ${key.notAfter.slice(0, 10)}`,
      key.daysLeft < 0 ? "-" : `${key.daysLeft} d`,
      key.privateHalf === null ? "not found" : `${key.privateHalf}${key.encrypted ? " (encrypted)" : ""}`,
    ]);
    const text = [
      `root ${version} of mesh ${mesh}: ${threshold} of ${rootKeysOf(root).length} root keys sign the next one`,
      ...(expiresAt === null ? [] : [`it expires at ${expiresAt}`]),
      alignColumns([["KEY", "ROLES", "NOW", "ENDS", "LEFT", "PRIVATE HALF"], ...rows], "  "),
      ...sayNotFound(keys, looked),
      ...warnings.map(({ message, remedy }) => `  ! ${message}\n    next: ${remedy}`),
    ].join("\n");
    return {
      code: warnings.some(({ daysLeft }) => daysLeft < 0) ? 2 : 0,
      document: { mesh, version, threshold, expiresAt, keys, lookedIn: looked.folders, warnings, warnDays },
      text,
    };
  },
};

/** Which file it would be, where it was looked for, and what lies there that may be it: nothing is known of other places. */
function sayNotFound(
  keys: readonly ReturnType<typeof describeKey>[],
  { folders, absent, unnamed }: LookedForHalves,
): readonly string[] {
  const missing = keys.filter((key) => key.privateHalf === null);
  if (missing.length === 0) return [];
  return [
    "  private halves that were not found, by the names of their files:",
    ...missing.map((key) => `    ${key.lookedFor.join(" or ")}`),
    `  looked for in ${[...folders, ...absent.map((folder) => `${folder} (not there)`)].join(", ")}; elsewhere: mesh keys show --keys DIR`,
    ...(unnamed.length === 0
      ? []
      : [`  encrypted, and not named after a key, so that it may be one of them: ${unnamed.join(", ")}`]),
  ];
}

function describeKey(key: RootKey, halves: ReadonlyMap<string, PrivateHalf>, nowMs: number) {
  const id = keyIdOf(key.publicKey);
  const half = halves.get(id);
  const endMs = Date.parse(key.notAfter);
  const state = nowMs > endMs ? "expired" : nowMs < Date.parse(key.notBefore) ? "not valid yet" : "good";
  return {
    id,
    ...key,
    state,
    daysLeft: Math.floor((endMs - nowMs) / dayMs),
    privateHalf: half?.file ?? null,
    lookedFor: namesOf(id, key.roles),
    encrypted: half?.encrypted ?? false,
  };
}
