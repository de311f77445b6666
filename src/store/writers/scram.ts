import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

const iterations = 4096;

/**
 * What PostgreSQL keeps in place of a password (SCRAM-SHA-256). Given to it instead of the password, which then is in no
 * statement and in no log of the server. For ASCII: other text would have to be normalised first.
 */
export function makeVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const hmac = (word: string): Buffer => createHmac("sha256", salted).update(word).digest();
  const storedKey = createHash("sha256").update(hmac("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${hmac("Server Key").toString("base64")}`;
}
