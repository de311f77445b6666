import rateLimit from "@fastify/rate-limit";
import fastify, { type FastifyError, type FastifyInstance } from "fastify";
import { Server } from "node:https";
import type { AddressInfo } from "node:net";
import { errorCode, InputError, RecordsRefusedError, UnavailableError } from "../../core/errors.ts";
import type { Certificate } from "../certificate-authority.ts";
import { proofWindowMs } from "../proof.ts";
import { createReplayGuard } from "../replay-guard.ts";
import { addBlobRoute } from "./blob-route.ts";
import { checkEveryRowHasRoute, guardRoutes, refuse } from "./add-route.ts";
import { createBodyBudget } from "./body-budget.ts";
import { createCoalescer } from "./coalesce.ts";
import { addDeclarationRoute } from "./declaration-route.ts";
import { addEnrolRoute } from "./enrol-route.ts";
import type { GatewayContext, RecordsAnswer, Stranger } from "./gateway-context.ts";
import { defaultGatewayLimits, type GatewayLimits } from "./gateway-limits.ts";
import type { GatewayLog } from "./gateway-log.ts";
import type { GatewayRecords } from "./gateway-records.ts";
import { addReportRoute } from "./report-route.ts";
import { addRootRoute } from "./root-route.ts";
import { createWaiters } from "./waiters.ts";
import { addWebhookRoute } from "./webhook-route.ts";

export type GatewayOptions = {
  readonly mesh: string;
  readonly records: GatewayRecords;
  readonly tls: Certificate;
  readonly limits?: Partial<GatewayLimits>;
  readonly log: GatewayLog;
  /** Webhook source → its secrets; several while one is being rotated. */
  readonly webhookSecrets: Readonly<Record<string, readonly string[]>>;
  /** Go and look at this source (R7). Called at most once a second per source. */
  readonly wake: (source: string) => Promise<void>;
  /** Left out: nobody is told. */
  readonly onStranger?: (stranger: Stranger) => void;
  /** Told how each call went that asked the records something: see `RecordsAnswer`. Left out: nobody is told. */
  readonly onRecords?: (answer: RecordsAnswer) => void;
  readonly nowMs?: () => number;
};

export type Gateway = {
  /** Port 0: one chosen by the system. */
  listen(address: {
    readonly host: string;
    readonly port: number;
  }): Promise<{ readonly host: string; readonly port: number }>;
  /** For connections made from now on. */
  useCertificate(tls: Certificate): void;
  /** How many long polls wait now. */
  countWaiters(): number;
  /** Answers every long poll with 204, waits for requests under way, then ends. */
  close(): Promise<void>;
};

export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const context = createContext(options);
  const { limits, waiters, wakes } = context;
  const server = createServer(options.tls, limits);
  const app = fastify({
    serverFactory: (handler) => server.on("request", handler),
    exposeHeadRoutes: false,
    logger: false,
    routerOptions: { maxParamLength: 100 },
  });
  await setLimits(app, context);
  const addRoute = guardRoutes(app, context);
  addRoute("GET /v1/health", 0, async ({ reply }) => reply.send({ ok: true }));
  addEnrolRoute(addRoute, context);
  addDeclarationRoute(addRoute, context);
  addReportRoute(addRoute, context);
  addRootRoute(addRoute);
  addBlobRoute(addRoute);
  addWebhookRoute(addRoute, context);
  checkEveryRowHasRoute(app);
  return {
    async listen(address) {
      try {
        await app.listen(address);
      } catch (cause) {
        throw whyNotListening(cause, address);
      }
      const bound = server.address();
      if (!isBound(bound)) throw new Error("the gateway listens on no port");
      return { host: bound.address, port: bound.port };
    },
    useCertificate: (tls) => {
      server.setSecureContext({ key: tls.keyPem, cert: tls.certPem, minVersion: "TLSv1.2" });
    },
    countWaiters: waiters.count,
    async close() {
      waiters.releaseAll();
      wakes.close();
      const timer = setTimeout(() => {
        server.closeAllConnections();
      }, limits.closeMs);
      await app.close();
      clearTimeout(timer);
    },
  };
}

/** InputError: the address is wrong, or taken, until a person changes that. Anything else as it is. */
function whyNotListening(cause: unknown, { host, port }: { readonly host: string; readonly port: number }): unknown {
  const why = {
    EADDRNOTAVAIL: "no network interface of this machine has that address",
    EADDRINUSE: "another program listens there",
    EACCES: "this user may not listen on that port",
    ENOTFOUND: "that name is no address here",
    EINVAL: "that is no address to listen on",
  }[errorCode(cause) ?? ""];
  if (why === undefined) return cause;
  const place =
    "The address is `gateway` in mesh.json of the state folder, where `mesh up` writes what `listen` in settings.json says.";
  const next =
    errorCode(cause) === "EADDRINUSE"
      ? `\`ss -ltnp 'sport = :${port}'\` says which program. A controller of this mesh that hangs keeps its port: end it with \`kill -9\`. ${place}`
      : place;
  return new InputError(`the gateway cannot listen on ${host}, port ${port}: ${why}`, next, { cause });
}

function createContext(options: GatewayOptions): GatewayContext {
  const limits = { ...defaultGatewayLimits, ...options.limits };
  const { mesh, records, log, webhookSecrets, onStranger = () => undefined, onRecords = () => undefined } = options;
  const { nowMs = Date.now } = options;
  const wakes = createCoalescer({
    everyMs: limits.wakeEveryMs,
    run: options.wake,
    onError: (source, error) => {
      log.error({ source, err: error }, "a webhook could not wake the comparison; the poll will find the change");
    },
  });
  const guard = createReplayGuard({ keepMs: 2 * proofWindowMs, noncesPerNode: 2_000 });
  const waiters = createWaiters(limits.maxWaiters);
  const bodies = createBodyBudget({ shares: limits.bodyShares, perNode: limits.bodyBytesPerNode, log, nowMs });
  return { mesh, records, limits, log, guard, waiters, wakes, bodies, webhookSecrets, onStranger, onRecords, nowMs };
}

/** Node's own defaults are a minute for headers, five for a request, and connections without end. */
function createServer(tls: Certificate, limits: GatewayLimits): Server {
  const server = new Server({
    key: tls.keyPem,
    cert: tls.certPem,
    // Forges call too, and some of them speak no 1.3; hosts ask for 1.3.
    minVersion: "TLSv1.2",
    handshakeTimeout: limits.headersTimeoutMs,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(2_000, limits.headersTimeoutMs),
    maxHeaderSize: 16 * 1024,
  });
  server.maxConnections = limits.maxConnections;
  // Silence in both directions for longer than any long poll: nobody is there.
  server.timeout = limits.longestWaitMs + 35_000;
  return server;
}

const noSuchRoute = { status: 404, reason: "no such route" } as const;

async function setLimits(app: FastifyInstance, { limits, log, onRecords }: GatewayContext): Promise<void> {
  // Bodies stay the bytes that came: signatures are over those.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    done(null, body);
  });
  await app.register(rateLimit, { global: false, cache: 10_000 });
  const countRequest = app.createRateLimit({ max: limits.requestsPerAddress, timeWindow: 1_000 });
  // A hook of the whole server: it comes before a route's identity, and so before the first question to the records.
  app.addHook("onRequest", async (request, reply) => {
    const counted = await countRequest(request);
    if (!counted.isAllowed && counted.isExceeded)
      return refuse(reply.header("connection", "close").header("retry-after", "1"), {
        status: 429,
        reason: "too many",
      });
    // Else the body would be read for it.
    return request.is404 ? refuse(reply.header("connection", "close"), noSuchRoute) : undefined;
  });
  app.addHook("onResponse", async (request, reply) => {
    const { writer } = request.routeOptions.config;
    if (writer !== undefined && reply.statusCode < 300) onRecords({ route: writer.route, refused: null });
  });
  app.setNotFoundHandler((_request, reply) => refuse(reply, noSuchRoute));
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status === 413) return refuse(reply, { status, reason: "size" });
    if (status >= 400 && status < 500) return refuse(reply, { status, reason: "not a request for this route" });
    const route = `${request.method} ${request.routeOptions.url ?? "?"}`;
    log.error({ route, node: request.node, err: error }, "a request failed");
    if (error instanceof RecordsRefusedError) {
      onRecords({ route, refused: error });
      // Which role, table or user it is, is for the log and the condition.
      return refuse(reply.header("retry-after", "60"), { status: 503, reason: "the records refuse it" });
    }
    if (error instanceof UnavailableError) return refuse(reply, { status: 503, reason: "the records do not answer" });
    return refuse(reply, { status: 500, reason: "internal" });
  });
}

function isBound(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
