import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { hasErrorCode, InputError } from "../core/errors.ts";
import { nameSchema } from "../core/names.ts";
import { generateSigningKey, incarnationOf, loadSigningKey, saveSigningKey, type SigningKey } from "../link/keys.ts";
import { readPrivateFile, writePrivateFile } from "../disk/private-file.ts";
import { type Root, verifyRoot } from "../link/root.ts";
import { generateSealIdentity, recipientOf } from "../link/sealing.ts";
import type { HostFolders } from "./folders.ts";
import type { HostIdentity } from "./host-identity.ts";
import { readStateFile, writeStateFile } from "./state/state-file.ts";
import { writeDurably } from "../disk/write-durably.ts";

const enrolmentSchema = z.object({
  schema: z.literal(1),
  mesh: nameSchema,
  node: nameSchema,
  incarnation: z.string(),
  url: z.string(),
  ca: z.string(),
});
export type Enrolment = Omit<z.infer<typeof enrolmentSchema>, "schema">;

export interface OwnKeys {
  readonly signKey: SigningKey;
  readonly sealIdentity: string;
  readonly recipient: string;
}

/** The host's keys, made at the first call: they are on disk before anybody hears of them. */
export async function makeKeys(folders: HostFolders): Promise<OwnKeys> {
  // Services of another user go through the host's folder to theirs; what is secret has a closed folder of its own.
  await mkdir(folders.dir, { recursive: true, mode: 0o755 });
  await mkdir(folders.keys, { recursive: true, mode: 0o700 });
  if (!(await isThere(signKeyFile(folders)))) await saveSigningKey(signKeyFile(folders), generateSigningKey());
  if (!(await isThere(sealKeyFile(folders)))) {
    await writePrivateFile(sealKeyFile(folders), `${(await generateSealIdentity()).identity}\n`);
  }
  const signKey = await loadSigningKey(signKeyFile(folders));
  const sealIdentity = (await readPrivateFile(sealKeyFile(folders))).trim();
  return { signKey, sealIdentity, recipient: await recipientOf(sealIdentity) };
}

/** Of those that it enrolled with, which are gone. Names of files in its folder. */
export async function listLostKeys(folders: HostFolders): Promise<readonly string[]> {
  const files = [signKeyFile(folders), sealKeyFile(folders)];
  const there = await Promise.all(files.map(isThere));
  return files.filter((_, at) => there[at] !== true).map((file) => path.relative(folders.dir, file));
}

/** What its keys open and prove nobody else can: it is another host from then on. */
export const hostAnew =
  "Put them back from a copy; where there is none it is another host now: docs/operating.md, *A host anew*.";

/** Null: not enrolled yet. */
export async function readEnrolment(folders: HostFolders): Promise<Enrolment | null> {
  return readStateFile(enrolmentFile(folders), enrolmentSchema);
}

/** After the root is pinned: with the enrolment there, everything is. */
export async function writeEnrolment(folders: HostFolders, enrolment: Enrolment): Promise<void> {
  await writeStateFile(enrolmentFile(folders), { schema: 1, ...enrolment });
}

/** Replaces the pinned root. Whole and durable, or it throws and the old one is still there. */
export async function writeRoot(folders: HostFolders, root: Uint8Array): Promise<void> {
  await writeDurably(rootFile(folders), root, { mode: 0o600, writers: "one" });
}

/** Throws InputError when the host is not enrolled, or what it kept is damaged or of another host. */
export async function readIdentityFiles(folders: HostFolders): Promise<HostIdentity> {
  const enrolment = await readEnrolment(folders);
  if (enrolment === null) {
    throw new InputError(
      `the host in ${folders.dir} is not enrolled`,
      "Run mesh-host enrol --dir DIR --token-file FILE; `mesh host token NODE` makes the token, where the controller is.",
    );
  }
  const { mesh, node, incarnation, url, ca } = enrolment;
  const lost = await listLostKeys(folders);
  if (lost.length > 0)
    throw new InputError(
      `the host in ${folders.dir} enrolled as ${node}, and has lost ${lost.join(" and ")}`,
      hostAnew,
    );
  const signKey = await loadSigningKey(signKeyFile(folders));
  if (incarnationOf(signKey.publicKey) !== incarnation) {
    throw new InputError(`the key in ${folders.keys} is not the one that ${node} enrolled with`, hostAnew);
  }
  const sealIdentity = (await readPrivateFile(sealKeyFile(folders))).trim();
  const { root } = await readPinnedRoot(folders, mesh);
  return { mesh, node, incarnation, url, caPem: ca, signKey, sealIdentity, root };
}

/** Of a host that has enrolled. Throws InputError where it is damaged or of another mesh. */
export async function readPinnedRoot(
  folders: HostFolders,
  mesh: string,
): Promise<{ readonly bytes: Buffer; readonly root: Root }> {
  const bytes = await readFile(rootFile(folders));
  const root = verifyRoot(bytes, { mesh });
  if (!root.ok) throw new InputError(`the pinned root in ${folders.keys} cannot be used: ${root.message}`, hostAnew);
  return { bytes, root: root.root };
}

function signKeyFile(folders: HostFolders): string {
  return path.join(folders.keys, "sign.pem");
}

function sealKeyFile(folders: HostFolders): string {
  return path.join(folders.keys, "seal.key");
}

function rootFile(folders: HostFolders): string {
  return path.join(folders.keys, "root.dsse");
}

function enrolmentFile(folders: HostFolders): string {
  return path.join(folders.keys, "enrolment.json");
}

async function isThere(file: string): Promise<boolean> {
  try {
    await readFile(file);
    return true;
  } catch (error) {
    // absence is the answer: whether it is there is the question.
    if (hasErrorCode(error, "ENOENT")) return false;
    throw error;
  }
}
