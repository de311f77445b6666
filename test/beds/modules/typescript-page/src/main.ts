import { createServer } from "node:http";
import { greet } from "@bed/typescript-core";

createServer((request, response) => {
  response.end(request.url === "/healthz" ? "ok" : greet(process.env["NAME"] ?? "nobody"));
}).listen(Number(process.env["PORT"]), "127.0.0.1");
