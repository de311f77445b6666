import pg from "pg";
import { createBoard, prepareTable } from "./board.ts";
import { readDatabaseUrl } from "./provisions.ts";
import { createBoardServer } from "./server.ts";

const provisionsFile = process.env["MESH_PROVISIONS"];
if (provisionsFile === undefined) throw new Error("MESH_PROVISIONS is not set: this service is started by a mesh host");
const port = Number(process.env["PORT"]);
const listen = process.env["LISTEN"] ?? "127.0.0.1";

const pool = new pg.Pool({
  connectionString: await readDatabaseUrl(provisionsFile),
  max: 5,
  connectionTimeoutMillis: 5000,
});
// An idle connection that breaks is replaced at the next query; without a listener it would end the process.
pool.on("error", (error) => console.error(`a connection to the database broke: ${error.message}`));

const server = createBoardServer(createBoard(pool), () => new Date());
server.listen(port, listen, () => console.log(`listening on http://${listen}:${port}`));

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    server.close(() => void pool.end().then(() => process.exit(0)));
    server.closeIdleConnections();
    setTimeout(() => process.exit(0), 3000).unref();
  });
}

await prepareTable(pool, (line) => console.log(line));
console.log("the database is ready");
