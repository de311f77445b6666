import { z } from "zod";
import { nameSchema } from "../core/names.ts";

export const enrolmentTokenSchema = z.strictObject({
  /** Of the gateway: https, no path. */
  url: z.url({ protocol: /^https$/ }).max(300),
  /** PEM of the mesh's certificate authority: the only one the host will believe. */
  ca: z.string().max(8192),
  mesh: nameSchema,
  node: nameSchema,
  /** 32 random bytes in base64url. Sent to the gateway as `token`; the store keeps only its hash. */
  secret: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});
export type EnrolmentToken = z.infer<typeof enrolmentTokenSchema>;

export function newEnrolmentSecret(): string {
  throw new Error("not written yet");
}

/** What the store keeps: hex sha256 of the secret. */
export function hashEnrolmentSecret(_secret: string): string {
  throw new Error("not written yet");
}

/** `mesh1.` and base64url: one word to paste. */
export function formatEnrolmentToken(_token: EnrolmentToken): string {
  throw new Error("not written yet");
}

/** Throws InputError; no message holds the secret. */
export function parseEnrolmentToken(_text: string): EnrolmentToken {
  throw new Error("not written yet");
}
