import { createServer } from "node:http";
import { makeRoundTrip } from "./round-trip.ts";
import { readBrokerUrl } from "./provisions.ts";

/** Healthy only when a message really went through its own vhost and back. */
const server = createServer((_request, response) => {
  makeRoundTrip(readBrokerUrl(process.env["MESH_PROVISIONS"]), `from ${process.env["MESH_MODULE"] ?? "?"}`).then(
    (text) => response.writeHead(200).end(text),
    (error: unknown) => response.writeHead(503).end(error instanceof Error ? error.name : "failed"),
  );
});
server.listen(Number(process.env["PORT"]), "127.0.0.1");
process.on("SIGTERM", () => server.close(() => process.exit(0)));
