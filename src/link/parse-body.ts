import type { z } from "zod";
import type { EnvelopeRefusal } from "./envelope.ts";
import type { LinkLimits } from "./limits.ts";
import { parseSignedJson } from "./parse-signed-json.ts";

/** The body of an opened envelope by its schema. The finding names the member, never its value. */
export function parseBody<T>(
  body: Uint8Array,
  schema: z.ZodType<T>,
  limits: LinkLimits,
): { readonly ok: true; readonly value: T } | EnvelopeRefusal {
  const json = parseSignedJson(body, { bytes: limits.envelopeBytes, depth: limits.depth });
  if (!json.ok) return { ok: false, check: json.check, message: `the body is ${json.message}` };
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const issue = parsed.error.issues[0];
  const where =
    issue === undefined ? "" : ` (${issue.path.map(String).join(".").slice(0, 100) || "top"}: ${issue.code})`;
  return { ok: false, check: "schema", message: `the body does not fit its schema${where}` };
}
