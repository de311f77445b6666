import { join } from "node:path";
import { InputError } from "../../core/errors.ts";
import { writeDurably } from "../../disk/write-durably.ts";
import { renewRoot } from "../../link/find-expiring.ts";
import { describeRootChange } from "../../link/describe-root.ts";
import { generateSigningKey, keyIdOf, saveSigningKey, type SigningKey } from "../../link/keys.ts";
import { loadRoleKeys, rotatedKeyFile } from "../../link/role-keys.ts";
import { readDraft, writeDraft } from "../../link/root-draft.ts";
import { rootKeysOf, rootRoleSchema, type Root, type RootRole } from "../../link/root.ts";
import { takeStateLock } from "../../embedded/state-lock.ts";
import { parseArgument, parseCount } from "../arguments.ts";
import type { CommandCall, CommandDefinition, CommandResult } from "../command.ts";
import { makeRootKeys } from "../keys/make-root-keys.ts";
import { expectNoDraft } from "../keys/expect-no-draft.ts";
import { expectListed, sayReplaced } from "../keys/expect-listed.ts";
import { planRotation } from "../keys/plan-rotation.ts";
import { findPaths, pathOption, readNewestRoot } from "../keys/root-files.ts";
import { sayCopy } from "../keys/say-copy.ts";
import { sayMissing } from "../keys/say-missing.ts";
import type { MeshPaths } from "../mesh-setup.ts";

const help = `
Nothing changes before the root that is written is signed and published. The key that is replaced stays good for the
overlap; with --revoke it is not listed any more, and what it signs is refused as soon as a host has the new root. root
replaces every root key but those named by --keep. When the root itself expires stays as it is but by --expires-days; the third
example changes nothing else. A draft that is there and was not published is never written over.

Examples:
  mesh keys rotate declaration
  mesh keys rotate declaration --revoke 0123456789abcdef
  mesh keys rotate root --root-keys 3 --threshold 2 --keys-out /media/stick --passphrase-file pass.txt
  ${renewRoot}`;

export const keysRotateCommand: CommandDefinition = {
  configure: (command) => {
    command
      .argument("<role>", "declaration, provenance or root")
      .option("--days <days>", "how long the new key is good (365; of root 3650)")
      .option("--overlap-days <days>", "how long the key that is replaced stays good", "30")
      .option("--revoke <id...>", "keys that the new root lists no more")
      .option("--keep <id...>", "root keys that stay; all: every one that is listed")
      .option("--root-keys <count>", "how many new root keys are made", "1")
      .option("--threshold <count>", "how many root keys must sign together (else as it is)")
      .option("--keys-out <dir>", "where new root keys are written (else root-keys in the state folder)")
      .option("--passphrase-file <file>", "encrypt new root keys by the first line of this file (mode 600)")
      .option("--expires-days <days>", "when the root itself expires (else as it is)")
      .option("--out <file>", "where the root is written (else keys/root-<version>.draft in the state folder)")
      .addHelpText("after", help);
  },
  run: async (call) => {
    const role = parseArgument(rootRoleSchema, "role", call.args[0]);
    expectOfRole(call, role);
    const paths = findPaths(call);
    // Before anything is made: of two at once the other one leaves no key that nobody lists.
    const lock = await takeStateLock(join(paths.root, "keys", "rotate.lock"), rotates);
    try {
      return await rotate(call, paths, role);
    } finally {
      await lock.release();
    }
  },
};

/** What would say nothing of this role is refused: a key is not encrypted, kept or counted by it, and somebody meant that. */
function expectOfRole({ typed }: CommandCall, role: RootRole): void {
  const others = role === "root" ? ["overlapDays"] : ["keep", "rootKeys", "keysOut", "passphraseFile"];
  const other = others.find((key) => typed.has(key));
  if (other === undefined) return;
  const whose = role === "root" ? "of declaration and provenance keys" : "of root keys";
  throw new InputError(
    `${typed.get(other)} is ${whose}, and says nothing of mesh keys rotate ${role}`,
    role === "root"
      ? "name the root keys that stay by --keep"
      : `leave it out: the new ${role} key is kept in the state folder`,
  );
}

const rotates = {
  does: "rotates keys of this mesh in this moment",
  next: () => "When it has ended: mesh keys root sign FILE says what its root changes. Nothing was made by this one.",
};

async function rotate(call: CommandCall, paths: MeshPaths, role: RootRole): Promise<CommandResult> {
  const { root: have, file: current } = await readNewestRoot(paths.rootDocument);
  const nowMs = call.context.now().getTime();
  const out = pathOption(call, "out") ?? join(paths.root, "keys", `root-${have.version + 1}.draft`);
  await expectNoDraft(out, have);
  const limits = readLimits(call, { have, role, nowMs });
  await expectListed(have, [...limits.revoke, ...limits.keep], paths.rootDocument);
  const made = await makeKeys(call, paths, role);
  const next = planRotation({
    have,
    role,
    nowMs,
    newKeys: made.keys.map(({ publicKey }) => publicKey),
    ...limits,
  });
  const draft = writeDraft(next, await signersHere(have, next, paths, made.keys));
  const missing = sayMissing(have, readDraft(draft, rootKeysOf(have)));
  const changes = describeRootChange(have, next, nowMs);
  // On disk before they are listed anywhere, and after all that may refuse them.
  await made.save();
  await writeDurably(out, draft, { mode: 0o644 });
  return {
    code: missing.isComplete ? 0 : 1,
    document: {
      role,
      version: next.version,
      draft: out,
      changes,
      missing,
      keys: made.keys.map(({ keyId }) => keyId),
    },
    text: [
      ...changes,
      ...sayReplaced(have, role, limits.revoke),
      ...made.words,
      `written to ${out}`,
      ...missing.words,
      ...sayNext(out, missing.isComplete, current),
    ].join("\n"),
  };
}

function readLimits(
  { options }: CommandCall,
  { have, role, nowMs }: { readonly have: Root; readonly role: RootRole; readonly nowMs: number },
) {
  const days = options["days"] ?? (role === "root" ? "3650" : "365");
  const expires = options["expiresDays"];
  const threshold = options["threshold"];
  const keepsAll = Array.isArray(options["keep"]) && options["keep"].length === 1 && options["keep"][0] === "all";
  return {
    lives: { days: parseCount("--days", days, { min: 1, max: 36_500 }) },
    overlapDays: parseCount("--overlap-days", options["overlapDays"], { min: 0, max: 3_650 }),
    revoke: readIds(options["revoke"]),
    keep: keepsAll ? rootKeysOf(have).map(keyIdOf) : readIds(options["keep"]),
    threshold: threshold === undefined ? null : parseCount("--threshold", threshold, { min: 1, max: 64 }),
    expiresAt:
      expires === undefined
        ? null
        : new Date(nowMs + parseCount("--expires-days", expires, { min: 1, max: 36_500 }) * 86_400_000).toISOString(),
  };
}

function readIds(value: unknown): string[] {
  const ids = Array.isArray(value) ? value.map(String) : [];
  const bad = ids.find((id) => !/^[0-9a-f]{16}$/.test(id));
  if (bad !== undefined) throw new InputError("a key id is 16 hex digits", "mesh keys show names them");
  return ids;
}

interface MadeKeys {
  readonly keys: readonly SigningKey[];
  readonly words: readonly string[];
  save(): Promise<void>;
}

async function makeKeys(call: CommandCall, paths: MeshPaths, role: RootRole): Promise<MadeKeys> {
  if (role === "root") {
    const count = parseCount("--root-keys", call.options["rootKeys"], { min: 0, max: 32 });
    const folder = pathOption(call, "keysOut") ?? join(paths.root, "root-keys");
    const made = await makeRootKeys({ count, folder, passphraseFile: pathOption(call, "passphraseFile") });
    return count === 0 ? { keys: [], words: [], save: async () => undefined } : made;
  }
  const key = generateSigningKey();
  const first = role === "declaration" ? paths.declarationKey : paths.provenanceKey;
  const file = rotatedKeyFile(first, key.keyId);
  return {
    keys: [key],
    words: [`the new ${role} key is in ${file}`, sayCopy(file)],
    save: () => saveSigningKey(file, key),
  };
}

/** The root key of a mesh that keeps one beside the others, and new root keys while they are in this process anyway. */
async function signersHere(
  have: Root,
  next: Root,
  paths: MeshPaths,
  made: readonly SigningKey[],
): Promise<readonly SigningKey[]> {
  const here = (await loadRoleKeys(paths.rootKey)).map(({ key }) => key);
  const may = new Set([...rootKeysOf(have), ...rootKeysOf(next)]);
  return [...here, ...made].filter(({ publicKey }) => may.has(publicKey));
}

function sayNext(file: string, isComplete: boolean, current: string): string[] {
  if (isComplete) return [`  next: mesh keys root publish ${file}`];
  return [
    `  next: take ${file} and ${current} to who has a root key; there:`,
    `        mesh keys root sign ${file} --current ${current} --key FILE`,
  ];
}
