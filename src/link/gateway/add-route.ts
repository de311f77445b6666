import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { protocolHeader, readProtocol } from "../../core/protocol.ts";
import { findSender, readBodyBytes } from "./body-budget.ts";
import type { GatewayContext } from "./gateway-context.ts";
import { createIdentify, type Refusal } from "./identify.ts";
import { allowWrites, findWriter, writers, type AllowedRecords, type Writer } from "./writers.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    writer?: Writer;
  }
}

/** What a handler gets: the request, and of the records only what its row lets it write. */
export type RouteCall = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly records: AllowedRecords;
  /** The host that proved itself; empty for other identities. */
  readonly node: string;
  /** What it says that it speaks. */
  readonly protocol: number;
};

export type AddRoute = (route: string, bodyBytes: number, handle: (call: RouteCall) => Promise<unknown>) => void;

/** The only way to add a route: identity first, then the handler. Anything added by another way stops the start. */
export function guardRoutes(app: FastifyInstance, context: GatewayContext): AddRoute {
  const identify = createIdentify(context);
  app.decorateRequest("signKey", "");
  app.decorateRequest("node", "");
  app.decorateRequest("bodyDigest", "");
  app.addHook("onRoute", (route) => {
    const writer = findWriter(`${String(route.method)} ${route.url}`);
    if (route.config?.writer !== writer) throw new Error(`route ${writer.route} was not added by addRoute (R41)`);
  });
  return (route, bodyBytes, handle) => {
    const writer = findWriter(route);
    const { before, withBody } = identify[writer.identity];
    const records = allowWrites(context.records, context.wakes.wake, writer);
    const [method, url] = splitRoute(route);
    app.route({
      method,
      url,
      // 0 would be Fastify's default of a megabyte.
      bodyLimit: Math.max(1, bodyBytes),
      config: { writer },
      onRequest: async (request, reply) => {
        const refusal = (await before(request, writer)) ?? reserveBody(context, { request, reply, writer, bodyBytes });
        // The body is unread: the connection ends with the answer, or we would have to read it all after all.
        return refusal === null ? undefined : refuse(reply.header("connection", "close"), refusal);
      },
      preHandler: async (request, reply) => {
        const refusal = await withBody(request);
        return refusal === null ? undefined : refuse(reply, refusal);
      },
      handler: (request, reply) => {
        const header = request.headers[protocolHeader];
        const protocol = Array.isArray(header) ? null : readProtocol(header);
        if (protocol === null) return refuse(reply, { status: 400, reason: `${protocolHeader} is no protocol` });
        return handle({ request, reply, records, node: request.node, protocol });
      },
    });
  };
}

/** Until it is answered, or whoever sends it is gone. */
function reserveBody(
  { bodies }: GatewayContext,
  {
    request,
    reply,
    writer,
    bodyBytes,
  }: Pick<RouteCall, "request" | "reply"> & { readonly writer: Writer; readonly bodyBytes: number },
): Refusal | null {
  const bytes = readBodyBytes(request, bodyBytes);
  if (bytes === 0) return null;
  const release = bodies.reserve(findSender(request, writer), bytes);
  if (release === null) {
    reply.header("retry-after", "1");
    return { status: 503, reason: "too much is being sent at once: send it again a little later" };
  }
  reply.raw.once("close", release);
  // It may have gone while its identity was looked at: then no close comes any more.
  if (request.raw.socket.destroyed) release();
  return null;
}

/** Rows without a route: the table would say something that is not so. */
export function checkEveryRowHasRoute(app: FastifyInstance): void {
  for (const { route } of writers) {
    const [method, url] = splitRoute(route);
    if (!app.hasRoute({ method, url })) throw new Error(`the writers table has a row for ${route}, which is no route`);
  }
}

export function refuse(reply: FastifyReply, { status, reason }: Refusal, more: object = {}): FastifyReply {
  return reply.code(status).send({ refused: reason, ...more });
}

function splitRoute(route: string): readonly [HTTPMethods, string] {
  const [method = "", url = ""] = route.split(" ");
  if (method !== "GET" && method !== "POST") throw new Error(`route ${route} is neither GET nor POST`);
  return [method, url];
}
