import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, basename, join } from "node:path";
import { createCertificateAuthority, issueServerCertificate } from "../../src/link/certificate-authority.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** What a server does with a request instead of answering as git does; a promise: git answers when it is kept. */
export type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<void>;

/** A real git server over https on this machine: git's own `http-backend` behind a server of Node's. */
export interface GitServer {
  /** `https://127.0.0.1:<port>` */
  readonly origin: string;
  readonly host: string;
  readonly url: string;
  /** `Authorization` of every request, in order. */
  readonly authorizations: (string | undefined)[];
  readonly paths: string[];
  /** True: it dealt with the request itself. */
  misbehave(how: Misbehaviour | null): void;
  close(): Promise<void>;
}

/** Certificates of one authority; git is told to believe it by GIT_SSL_CAINFO. */
export interface GitServers {
  readonly caFile: string;
  serve(repositoryDir: string): Promise<GitServer>;
}

export async function createGitServers(): Promise<GitServers> {
  const folder = await createTemporaryFolder();
  const nowMs = Date.now();
  const authority = await createCertificateAuthority({ mesh: "git-servers", nowMs });
  const caFile = join(folder, "ca.pem");
  await writeFile(caFile, authority.certPem);
  return {
    caFile,
    async serve(repositoryDir) {
      const issued = await issueServerCertificate(authority, { names: [], addresses: ["127.0.0.1"], nowMs });
      return startServer(repositoryDir, { cert: issued.certPem, key: issued.keyPem });
    },
  };
}

async function startServer(repositoryDir: string, tls: { cert: string; key: string }): Promise<GitServer> {
  const authorizations: (string | undefined)[] = [];
  const paths: string[] = [];
  let misbehaviour: Misbehaviour | null = null;
  const server = createServer(tls, (request, response) => {
    authorizations.push(request.headers.authorization);
    paths.push(request.url ?? "");
    const instead = misbehaviour?.(request, response) ?? false;
    if (instead === true) return;
    void Promise.resolve(instead).then(() => answerByGit(repositoryDir, request, response));
  });
  const port = await listen(server);
  const host = `127.0.0.1:${port}`;
  return {
    origin: `https://${host}`,
    host,
    url: `https://${host}/${basename(repositoryDir)}/.git`,
    authorizations,
    paths,
    misbehave(how) {
      misbehaviour = how;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** CGI: the request goes in by environment and stdin, the answer comes out as header and body. */
function answerByGit(repositoryDir: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "https://localhost");
  const child = spawn("git", ["-c", "safe.directory=*", "http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: dirname(repositoryDir),
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REQUEST_METHOD: request.method ?? "GET",
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      REMOTE_USER: "",
      REMOTE_ADDR: "127.0.0.1",
    },
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf("\r\n\r\n");
    for (const line of all.subarray(0, Math.max(end, 0)).toString("latin1").split("\r\n")) {
      const colon = line.indexOf(":");
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
      if (name.toLowerCase() === "status") response.statusCode = Number(value.slice(0, 3));
      else if (colon > 0) response.setHeader(name, value);
    }
    response.end(all.subarray(end + 4));
  });
}
