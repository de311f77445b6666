import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** On a thread of its own: the rounds of thousands of consumers must not hold up what else the host does. */
const deriveKey = promisify(pbkdf2);

const iterations = 4096;

/**
 * What PostgreSQL keeps instead of a password (SCRAM-SHA-256). Made here, so that the password itself is in no
 * statement and in no log of the server. Minted passwords are plain ASCII: they need no normalising.
 */
export async function makeScramVerifier(
  password: string,
  salt: Buffer = randomBytes(16),
  rounds: number = iterations,
): Promise<string> {
  const salted = await deriveKey(password, salt, rounds, 32, "sha256");
  const stored = createHash("sha256").update(hmac(salted, "Client Key")).digest("base64");
  const server = hmac(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${rounds}:${salt.toString("base64")}$${stored}:${server}`;
}

/** Whether a verifier that was read back is this password's. */
export async function isScramVerifierOf(verifier: string, password: string): Promise<boolean> {
  const [, rounds, salt] = /^SCRAM-SHA-256\$([1-9][0-9]{0,6}):([A-Za-z0-9+/=]+)\$/.exec(verifier) ?? [];
  if (rounds === undefined || salt === undefined) return false;
  const expected = Buffer.from(await makeScramVerifier(password, Buffer.from(salt, "base64"), Number(rounds)));
  const found = Buffer.from(verifier);
  return expected.length === found.length && timingSafeEqual(expected, found);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
