import { z } from "zod";
import { type Content, contentSchema } from "../core/declaration.ts";
import { UnavailableError } from "../core/errors.ts";
import type { Name } from "../core/names.ts";
import type { Queryable } from "../store/database.ts";
import { listEnvelopes, type SentPlace } from "../store/declarations.ts";

const envelopeSchema = z.object({ payload: z.base64() });
const declarationSchema = z.object({ content: contentSchema });

/** Of what is read in one statement: most declarations have some kilobytes; one may have 8 MiB, and travels as twice that. */
const placesAtOnce = 16;

/**
 * What nodes were sent, out of the bytes in their mailboxes. Our own record, shown to a person: the signature is for hosts to
 * check. Throws UnavailableError where one was pruned since its place was read.
 */
export async function readSentContents(
  db: Queryable,
  mesh: Name,
  places: readonly SentPlace[],
): Promise<ReadonlyMap<Name, Content>> {
  const contents = new Map<Name, Content>();
  for (let from = 0; from < places.length; from += placesAtOnce)
    for (const { node, envelope } of await listEnvelopes(db, mesh, places.slice(from, from + placesAtOnce)))
      contents.set(node, readContent(envelope));
  const [gone] = places.filter(({ node }) => !contents.has(node));
  if (gone !== undefined)
    throw new UnavailableError(`what ${gone.node} was last sent was pruned while it was looked at`, "type it again");
  return contents;
}

function readContent(bytes: Uint8Array): Content {
  const envelope = envelopeSchema.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  const payload: unknown = JSON.parse(Buffer.from(envelope.payload, "base64").toString("utf8"));
  return declarationSchema.parse(payload).content;
}
