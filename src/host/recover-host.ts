import { createHash } from "node:crypto";
import { open, stat } from "node:fs/promises";
import type { Order } from "../core/declaration.ts";
import { InputError } from "../core/errors.ts";
import type { Digest, Name } from "../core/names.ts";
import type { Recovery } from "../core/recovery.ts";
import type { Mark } from "../decide/accept-declaration.ts";
import { whyNoReset } from "../decide/judge-reset.ts";
import { describeOrder } from "../decide/order.ts";
import { rootBytesLimit } from "../link/limits.ts";
import { openRecovery } from "../link/recovery-envelope.ts";
import { hostFolders, type HostFolders } from "./folders.ts";
import type { HostIdentity } from "./host-identity.ts";
import { readIdentityFiles } from "./identity-files.ts";
import { setKeptAside } from "./state/kept-declaration.ts";
import { takeLock } from "./state/lock.ts";
import { readMark, writeMark } from "./state/mark.ts";

export interface Recovered {
  readonly dir: string;
  readonly mesh: Name;
  readonly node: Name;
  readonly incarnation: string;
  /** Version of the root that this host goes by. */
  readonly root: number;
  /** The mark before; null: there is none yet. */
  readonly was: Order | null;
  /** The mark now. */
  readonly is: Order | null;
  /** Ids of the root keys that signed; empty where no document was given, and nothing was changed. */
  readonly signedBy: readonly string[];
}

/**
 * Puts the mark of the host in `dir` back by a document that root keys have signed; without one only says what it is.
 * Throws InputError, with the disk as it was, where the document is refused, or a host runs there.
 */
export async function recoverHost(dir: string, documentFile: string | null, now: Date): Promise<Recovered> {
  const folders = hostFolders(dir);
  const identity = await readIdentityFiles(folders);
  const { mesh, node, incarnation } = identity;
  const mark = await readOwnMark(folders, identity);
  const about = { dir: folders.dir, mesh, node, incarnation, root: identity.root.version, was: mark?.order ?? null };
  if (documentFile === null) return { ...about, is: about.was, signedBy: [] };
  const bytes = await readDocument(documentFile);
  const { signedBy } = judge(bytes, identity, mark, now);
  await expectOwner(folders);
  const unlock = await takeLock(folders.state);
  try {
    // Again, now that nobody else writes: the mark may have moved meanwhile.
    const { to } = judge(bytes, identity, await readOwnMark(folders, identity), now).recovery;
    // The mark last: cut short before it, the document is still good.
    await setKeptAside(folders.state);
    // By the document's own digest no declaration is the one of this order: what the host takes next is above it.
    await writeMark(folders.state, { order: to, digest: digestOf(bytes), incarnation });
    return { ...about, is: to, signedBy };
  } finally {
    await unlock();
  }
}

/** For a person, or one line of JSON. */
export function sayRecovered(recovered: Recovered, asJson: boolean): string {
  if (asJson) return JSON.stringify({ schema: "mesh.host-recover.v1", ...recovered });
  const { node, mesh, incarnation, root, was, is, signedBy } = recovered;
  const lines = [`${node} of mesh ${mesh}, host ${incarnation}, goes by root ${root}`];
  if (was === null || is === null) return [...lines, "it has no mark: it takes whatever comes first"].join("\n");
  if (signedBy.length > 0)
    return [
      ...lines,
      `mark: was ${describeOrder(was)}, is ${describeOrder(is)}; signed by ${signedBy.join(", ")}`,
      "  next: start the host; it takes what is above its mark: mesh push --behind, where the controller is",
    ].join("\n");
  const words = `--node ${node} --incarnation ${incarnation} --replaces ${describeOrder(was)} --to EPOCH.NUMBER`;
  return [
    ...lines,
    `mark: ${describeOrder(was)}; nothing was changed`,
    `  next: where the root keys are: mesh keys recovery recovery-${node}.dsse --current root.dsse ${words} --key FILE`,
  ].join("\n");
}

function judge(
  bytes: Uint8Array,
  { root, mesh, node, incarnation }: HostIdentity,
  have: Mark | null,
  now: Date,
): { readonly recovery: Recovery; readonly signedBy: readonly string[] } {
  const nowMs = now.getTime();
  const opened = openRecovery(bytes, { root, nowMs });
  if (!opened.ok) throw refused(opened);
  const { recovery, keyIds } = opened;
  const why = whyNoReset({ have, mesh, node, incarnation, offered: recovery, nowMs });
  if (why !== null) throw refused(why);
  return { recovery, signedBy: keyIds };
}

/** A mark of another incarnation does not count: this host has none. */
async function readOwnMark({ state }: HostFolders, { incarnation }: HostIdentity): Promise<Mark | null> {
  const mark = await readMark(state);
  return mark?.incarnation === incarnation ? mark : null;
}

/** No more of it than a document has. */
async function readDocument(file: string): Promise<Buffer> {
  let bytes: Buffer;
  try {
    const handle = await open(file, "r");
    try {
      bytes = Buffer.alloc(rootBytesLimit + 1);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
      bytes = bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw new InputError(`the document ${file} cannot be read`, "Is the path right?", { cause });
  }
  if (bytes.length <= rootBytesLimit) return bytes;
  throw new InputError(`the document ${file} has more than ${rootBytesLimit} bytes, none has so many`);
}

/** What another user writes here the host could not read: it would not come up. */
async function expectOwner({ dir, state }: HostFolders): Promise<void> {
  const { uid } = await stat(state);
  const mine = process.getuid?.() ?? uid;
  if (mine !== uid) throw new InputError(`the host in ${dir} is of user ${uid}, this is user ${mine}`, "Be that user.");
}

function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function refused({ check, message }: { readonly check: string; readonly message: string }): InputError {
  return new InputError(
    `the document is refused (${check}): ${message}`,
    "Nothing was changed. What the host has, and the words for another document: mesh-host recover --dir DIR",
  );
}
