import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** What RabbitMQ keeps instead of a password: base64 of a 4-byte salt and sha256(salt, password). */
export function hashRabbitmqPassword(password: string, salt: Buffer = randomBytes(4)): string {
  const hash = createHash("sha256").update(salt).update(password, "utf8").digest();
  return Buffer.concat([salt, hash]).toString("base64");
}

export function isRabbitmqHashOf(hash: string, password: string): boolean {
  const found = Buffer.from(hash, "base64");
  if (found.length !== 36) return false;
  return timingSafeEqual(found, Buffer.from(hashRabbitmqPassword(password, found.subarray(0, 4)), "base64"));
}
