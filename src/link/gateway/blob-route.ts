import { digestSchema } from "../../core/names.ts";
import { refuse, type AddRoute } from "./add-route.ts";
import { readParam } from "./identify.ts";

/** First and last byte, both included. */
type Span = { readonly start: number; readonly end: number };

/** `GET /v1/blobs/:digest`: the bytes of an artifact, from any byte on. A blob that a host may not have is not there. */
export function addBlobRoute(addRoute: AddRoute): void {
  addRoute("GET /v1/blobs/:digest", 0, async ({ request, reply, records, node, protocol }) => {
    const digest = digestSchema.safeParse(readParam(request, "digest"));
    if (!digest.success) return refuse(reply, { status: 400, reason: "not a digest" });
    await records.recordContact(node, protocol);
    const allowed = records.mayFetchBlob === undefined || (await records.mayFetchBlob(node, digest.data));
    const found = allowed ? await records.statBlob(digest.data) : null;
    if (found === null) return refuse(reply, { status: 404, reason: "no such blob" });
    reply.header("accept-ranges", "bytes").type("application/octet-stream");
    const { range } = request.headers;
    if (range === undefined && found.bytes === 0) return reply.header("content-length", 0).send(Buffer.alloc(0));
    const span = readSpan(range, found.bytes);
    if (span === null) {
      reply.header("content-range", `bytes */${found.bytes}`).type("application/json");
      return refuse(reply, { status: 416, reason: "no such range" });
    }
    if (range !== undefined) reply.code(206).header("content-range", `bytes ${span.start}-${span.end}/${found.bytes}`);
    reply.header("content-length", span.end - span.start + 1);
    return reply.send(await records.openBlob(digest.data, span));
  });
}

/** One range, `bytes=<start>-` or `bytes=<start>-<end>`; null: not that, or outside. */
function readSpan(range: string | undefined, bytes: number): Span | null {
  if (range === undefined) return { start: 0, end: bytes - 1 };
  const [, startText, endText] = /^bytes=([0-9]{1,15})-([0-9]{0,15})$/.exec(range) ?? [];
  if (startText === undefined) return null;
  const start = Number(startText);
  const end = Math.min(endText === undefined || endText === "" ? bytes - 1 : Number(endText), bytes - 1);
  return start <= end ? { start, end } : null;
}
