import { type KeyObject, X509Certificate } from "node:crypto";
import { InputError } from "../core/errors.ts";
import { parseEnrolmentToken, type EnrolmentToken } from "../link/enrolment-token.ts";
import { createHostClient, type HostClient } from "../link/host-client.ts";
import { incarnationOf } from "../link/keys.ts";
import { verifyRoot } from "../link/root.ts";
import { hostFolders, type HostFolders } from "./folders.ts";
import {
  hostAnew,
  listLostKeys,
  makeKeys,
  readEnrolment,
  readPinnedRoot,
  writeEnrolment,
  writeRoot,
  type Enrolment,
} from "./identity-files.ts";

/**
 * Joins a mesh: shows this host's public keys once, against the token, and pins the root that comes back. A second run
 * shows the same keys again: after an answer that was lost, or one that its caller did not live to hear of. It keeps the
 * root that is pinned already. Another authority of the same mesh is taken where that root is its own too: its key was lost,
 * and another one was made. Throws InputError, UnavailableError or RefusedError.
 */
export async function enrolHost(dir: string, tokenText: string): Promise<Enrolment> {
  const folders = hostFolders(dir);
  const token = parseEnrolmentToken(tokenText);
  const before = await readEnrolment(folders);
  if (before !== null && !isSamePlace(before, token)) throw alreadyEnrolled(folders, before);
  const lost = before === null ? [] : await listLostKeys(folders);
  // Another key to sign with is another host's; and with another one to be sealed to it could open nothing that it was ever given.
  if (lost.length > 0)
    throw new InputError(
      `the host in ${dir} enrolled as ${token.node} of mesh ${token.mesh}, and has lost ${lost.join(" and ")}`,
      hostAnew,
    );
  const keys = await makeKeys(folders);
  const incarnation = incarnationOf(keys.signKey.publicKey);
  // One that was put there by hand.
  if (before !== null && before.incarnation !== incarnation) throw alreadyEnrolled(folders, before);
  const client = createHostClient({ url: token.url, caPem: token.ca, node: token.node, signKey: keys.signKey });
  try {
    const enrolled = await client.enrol({
      secret: token.secret,
      keys: { sign: keys.signKey.publicKey, seal: keys.recipient },
    });
    if (enrolled.mesh !== token.mesh || enrolled.node !== token.node || enrolled.incarnation !== incarnation) {
      throw new InputError(
        `the controller enrolled ${enrolled.node} of ${enrolled.mesh}, the token is for ${token.node} of ${token.mesh}`,
        "Ask for a new token.",
      );
    }
    const root = verifyRoot(enrolled.root, { mesh: token.mesh });
    if (!root.ok)
      throw new InputError(`the controller's root cannot be believed: ${root.message}`, "Is the token's URL right?");
    if (before !== null && !isSameAuthority(before.ca, token.ca)) await expectOwnMesh(client, folders, token);
    const enrolment = { mesh: token.mesh, node: token.node, incarnation, url: token.url, ca: token.ca };
    // A pinned one is replaced by what its own keys vouch for, and by nothing else.
    if (before === null) await writeRoot(folders, enrolled.root);
    await writeEnrolment(folders, enrolment);
    return enrolment;
  } finally {
    client.close();
  }
}

function isSamePlace(before: Enrolment, { mesh, node }: EnrolmentToken): boolean {
  return before.mesh === mesh && before.node === node;
}

/** By the root that is pinned here: another mesh of that name has another one, and this host would obey none of its declarations. */
async function expectOwnMesh(client: HostClient, folders: HostFolders, token: EnrolmentToken): Promise<void> {
  const { bytes, root } = await readPinnedRoot(folders, token.mesh);
  if ((await client.fetchRoot(root.version))?.equals(bytes) === true) return;
  throw new InputError(
    `${token.url} has another certificate authority than ${token.node} knows, and not the root ${root.version} that is pinned in ${folders.keys}: it is another mesh called ${token.mesh}, or its records lost that root`,
    "Where it is another mesh, give this host another --dir. Where the root is lost: docs/keys.md, *A root that the records lack*.",
  );
}

/** One whose end was put off has another certificate for the same key, and that is what is trusted. */
function isSameAuthority(pinned: string, given: string): boolean {
  if (pinned === given) return true;
  const [one, other] = [readPublicKey(pinned), readPublicKey(given)];
  return one !== null && other !== null && one.equals(other);
}

function readPublicKey(certificate: string): KeyObject | null {
  try {
    return new X509Certificate(certificate).publicKey;
  } catch {
    // absence is the answer: what is no certificate has no key, and so is another authority's, which is refused.
    return null;
  }
}

function alreadyEnrolled({ dir }: HostFolders, { node, mesh }: Enrolment): InputError {
  return new InputError(
    `the host in ${dir} is already enrolled as ${node} of mesh ${mesh}`,
    "A host that begins anew gets another --dir, for its old folder keeps its old credentials: docs/operating.md, *A host anew*.",
  );
}
