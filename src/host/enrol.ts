import { InputError } from "../core/errors.ts";
import { parseEnrolmentToken } from "../link/enrolment-token.ts";
import { createHostClient } from "../link/host-client.ts";
import { incarnationOf } from "../link/keys.ts";
import { verifyRoot } from "../link/root.ts";
import { hostFolders } from "./folders.ts";
import { makeKeys, readEnrolment, writeEnrolment, type Enrolment } from "./identity-files.ts";

/**
 * Joins a mesh: shows this host's public keys once, against the token, and pins the root that comes back. A second run
 * after an answer that was lost shows the same keys again. Throws InputError, UnavailableError or RefusedError.
 */
export async function enrolHost(dir: string, tokenText: string): Promise<Enrolment> {
  const folders = hostFolders(dir);
  const token = parseEnrolmentToken(tokenText);
  const before = await readEnrolment(folders);
  if (before !== null) {
    throw new InputError(
      `the host in ${folders.dir} is already enrolled as ${before.node} of mesh ${before.mesh}`,
      "To enrol it anew, give it another --dir: a node's old folder keeps its old credentials.",
    );
  }
  const keys = await makeKeys(folders);
  const client = createHostClient({ url: token.url, caPem: token.ca, node: token.node, signKey: keys.signKey });
  try {
    const enrolled = await client.enrol({
      secret: token.secret,
      keys: { sign: keys.signKey.publicKey, seal: keys.recipient },
    });
    const incarnation = incarnationOf(keys.signKey.publicKey);
    if (enrolled.mesh !== token.mesh || enrolled.node !== token.node || enrolled.incarnation !== incarnation) {
      throw new InputError(
        `the controller enrolled ${enrolled.node} of ${enrolled.mesh}, the token is for ${token.node} of ${token.mesh}`,
        "Ask for a new token.",
      );
    }
    const root = verifyRoot(enrolled.root, { mesh: token.mesh });
    if (!root.ok)
      throw new InputError(`the controller's root cannot be believed: ${root.message}`, "Is the token's URL right?");
    const enrolment = { mesh: token.mesh, node: token.node, incarnation, url: token.url, ca: token.ca };
    await writeEnrolment(folders, enrolment, enrolled.root);
    return enrolment;
  } finally {
    client.close();
  }
}
