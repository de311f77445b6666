import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { parseRowText } from "@example/core";
import type { Board } from "./board.ts";
import { renderPage } from "./page.ts";

const bodyLimitBytes = 4096;

export function createBoardServer(board: Board, now: () => Date): Server {
  return createServer((request, response) => {
    answer(board, now, request, response).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      console.error(`${request.method} ${request.url}: ${why}`);
      if (!response.headersSent) send(response, 503, "text/plain", "The database does not answer.\n");
      else response.destroy();
    });
  });
}

async function answer(
  board: Board,
  now: () => Date,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const route = `${request.method} ${request.url?.split("?")[0]}`;
  if (route === "GET /") {
    send(response, 200, "text/html", renderPage(await board.listRows(100), now()));
  } else if (route === "GET /healthz") {
    await board.ping();
    send(response, 200, "text/plain", "ok\n");
  } else if (route === "POST /rows") {
    const body = await readBody(request);
    if (body === null) return send(response, 413, "text/plain", "too long\n");
    const row = parseRowText(new URLSearchParams(body).get("text") ?? "");
    if (!row.ok) return send(response, 400, "text/plain", `${row.why}\n`);
    await board.addRow(row.text);
    response.writeHead(303, { location: "/" }).end();
  } else {
    send(response, 404, "text/plain", "not found\n");
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": `${type}; charset=utf-8` }).end(body);
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyLimitBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
