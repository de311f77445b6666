import { once } from "node:events";
import http2 from "node:http2";
import { pipeline } from "node:stream";
import type { Pair } from "../../support/certificates.ts";

export interface FrontOptions {
  /** `host:port` of the server behind it, which speaks plain. */
  readonly behind: string;
  readonly server: Pair;
  /** PEM: whoever shows no certificate of this authority is let in no further than the handshake. */
  readonly clientAuthority?: string;
  /** Who brings no such key is answered *unauthenticated*. */
  readonly apiKey?: () => string;
}

export interface TemporalFront {
  /** `localhost:port`. */
  readonly address: string;
  /** How many calls were passed on. */
  calls(): number;
  close(): Promise<void>;
}

/** TLS in front of a real Temporal server, as a load balancer or Temporal Cloud has it: ends TLS, passes HTTP/2 on. */
export async function openTemporalFront(options: FrontOptions): Promise<TemporalFront> {
  const { server, clientAuthority, apiKey } = options;
  const asks =
    clientAuthority === undefined ? {} : { ca: clientAuthority, requestCert: true, rejectUnauthorized: true };
  const front = http2.createSecureServer({ cert: server.certificate, key: server.key, ...asks });
  const sessions = new Set<http2.Http2Session>();
  const keep = <T extends http2.Http2Session>(session: T): T => {
    sessions.add(session);
    session.on("error", () => session.destroy());
    session.on("close", () => sessions.delete(session));
    return session;
  };
  let calls = 0;
  front.on("session", (session) => {
    const behind = keep(http2.connect(`http://${options.behind}`));
    keep(session).on("close", () => behind.destroy());
    session.on("stream", (stream, headers) => {
      if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey()}`) {
        refuse(stream);
        return;
      }
      calls += 1;
      passOn(stream, headers, behind);
    });
  });
  front.on("tlsClientError", () => undefined);
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  const listening = front.address();
  return {
    address: `localhost:${typeof listening === "object" && listening !== null ? listening.port : 0}`,
    calls: () => calls,
    async close() {
      const closed = once(front, "close");
      front.close();
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

/** As Temporal Cloud answers one. */
function refuse(stream: http2.ServerHttp2Stream): void {
  const status = { ":status": 200, "content-type": "application/grpc", "grpc-status": "16" };
  stream.respond({ ...status, "grpc-message": "Request unauthorized." }, { endStream: true });
}

function passOn(
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  to: http2.ClientHttp2Session,
): void {
  const call = to.request({ ...headers, ":scheme": "http" });
  // Whoever goes away takes the other end along.
  pipeline(stream, call, () => undefined);
  stream.on("close", () => call.close(http2.constants.NGHTTP2_CANCEL));
  stream.on("error", () => call.destroy());
  call.on("error", () => stream.destroy());
  call.on("response", (answer, flags) => {
    if (stream.destroyed) return;
    const isAll = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(answer, { endStream: isAll, waitForTrailers: !isAll });
    if (isAll) return;
    let trailers: http2.IncomingHttpHeaders = {};
    call.on("trailers", (last) => (trailers = last));
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    call.on("data", (bytes) => stream.write(bytes));
    call.on("end", () => stream.end());
  });
}
