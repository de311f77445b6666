import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { InputError } from "../core/errors.ts";
import { nameSchema } from "../core/names.ts";
import { decodeBase64 } from "./base64.ts";
import { parseSignedJson } from "./parse-signed-json.ts";

export const enrolmentSecretSchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const enrolmentTokenSchema = z.strictObject({
  /** Of the gateway: https, no path. */
  url: z
    .string()
    .max(300)
    .regex(/^https:\/\/[A-Za-z0-9.:[\]-]+$/, "https://host:port"),
  /** PEM of the mesh's certificate authority: the only one the host will believe. */
  ca: z
    .string()
    .max(8192)
    .regex(/^-----BEGIN CERTIFICATE-----\n/),
  mesh: nameSchema,
  node: nameSchema,
  /** 32 random bytes in base64url. Sent to the gateway as `token`; the store keeps only its hash. */
  secret: enrolmentSecretSchema,
});
export type EnrolmentToken = z.infer<typeof enrolmentTokenSchema>;

/** Long enough to walk over to the machine, short enough that a forgotten one is worth nothing. */
export const tokenLivesMs = 3_600_000;

const prefix = "mesh1.";
const longestToken = 16_384;

export function newEnrolmentSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** What the store keeps: hex sha256 of the secret. It has 256 random bits, so nothing slower is needed. */
export function hashEnrolmentSecret(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

/** `mesh1.` and base64url: one word to paste. Throws InputError when hosts would refuse it. */
export function formatEnrolmentToken(token: EnrolmentToken): string {
  const { url, ca, mesh, node, secret } = token;
  const text = prefix + Buffer.from(JSON.stringify({ url, ca, mesh, node, secret }), "utf8").toString("base64url");
  parseEnrolmentToken(text);
  return text;
}

/** Throws InputError; no message holds the secret. */
export function parseEnrolmentToken(text: string): EnrolmentToken {
  const word = text.trim();
  if (!word.startsWith(prefix)) throw bad("it does not start with mesh1.");
  if (word.length > longestToken) throw bad(`it is longer than ${longestToken} characters`);
  const bytes = decodeBase64(word.slice(prefix.length), "base64url");
  if (bytes === null) throw bad("it is cut off or has characters that do not belong there");
  const json = parseSignedJson(bytes, { bytes: longestToken, depth: 1 });
  if (!json.ok) throw bad(`what is in it is ${json.message}`);
  const parsed = enrolmentTokenSchema.safeParse(json.value);
  if (!parsed.success) throw bad(`its part "${String(parsed.error.issues[0]?.path[0] ?? "")}" is not right`);
  return parsed.data;
}

function bad(why: string): InputError {
  return new InputError(
    `this is no enrolment token: ${why}`,
    "Copy all of the word that begins with mesh1., as `mesh host token NODE` or `mesh node add` printed it; a token works once.",
  );
}
