import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";

const iterations = 4096;

/**
 * What PostgreSQL keeps instead of a password (SCRAM-SHA-256). Made here, so that the password itself is in no
 * statement and in no log of the server. Minted passwords are plain ASCII: they need no normalising.
 */
export function makeScramVerifier(
  password: string,
  salt: Buffer = randomBytes(16),
  rounds: number = iterations,
): string {
  const salted = pbkdf2Sync(password, salt, rounds, 32, "sha256");
  const stored = createHash("sha256").update(hmac(salted, "Client Key")).digest("base64");
  const server = hmac(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${rounds}:${salt.toString("base64")}$${stored}:${server}`;
}

/** Whether a verifier that was read back is this password's. */
export function isScramVerifierOf(verifier: string, password: string): boolean {
  const [, rounds, salt] = /^SCRAM-SHA-256\$([1-9][0-9]{0,6}):([A-Za-z0-9+/=]+)\$/.exec(verifier) ?? [];
  if (rounds === undefined || salt === undefined) return false;
  const expected = Buffer.from(makeScramVerifier(password, Buffer.from(salt, "base64"), Number(rounds)));
  const found = Buffer.from(verifier);
  return expected.length === found.length && timingSafeEqual(expected, found);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
