import { z } from "zod";
import { type Content, contentSchema } from "../core/declaration.ts";
import type { Name } from "../core/names.ts";
import type { Queryable } from "../store/database.ts";
import { newestDeclaration } from "../store/declarations.ts";

const envelopeSchema = z.object({ payload: z.base64() });
const declarationSchema = z.object({ content: contentSchema });

/**
 * What a node was last sent, out of the bytes in its mailbox; null: it was never told. Our own record, shown to a
 * person: the signature is for hosts to check.
 */
export async function readLastContent(db: Queryable, mesh: Name, node: Name): Promise<Content | null> {
  const mail = await newestDeclaration(db, mesh, node);
  if (mail === null) return null;
  const envelope = envelopeSchema.parse(JSON.parse(Buffer.from(mail.envelope).toString("utf8")));
  const payload: unknown = JSON.parse(Buffer.from(envelope.payload, "base64").toString("utf8"));
  return declarationSchema.parse(payload).content;
}
