import { spawn } from "node:child_process";
import { join } from "node:path";
import { prepareCluster } from "./cluster.ts";
import { clusterFolder, readSettings, serverArguments } from "./settings.ts";
import { runTool, tryTool } from "./tools.ts";

const say = (line: string) => console.log(line);
const settings = readSettings(process.env);

await prepareCluster(settings, say);

// A server left over from a start of this service that was killed: two must never share one cluster.
const left = await tryTool(settings, "pg_ctl", ["status", "-D", clusterFolder(settings)]);
if (left.code === 0) {
  say("stopping a server left over from an earlier start");
  await runTool(settings, "pg_ctl", ["stop", "-D", clusterFolder(settings), "-m", "fast", "-w"]);
}

const server = spawn(join(settings.binDir, "postgres"), serverArguments(settings), {
  stdio: ["ignore", "inherit", "inherit"],
  env: { PATH: process.env["PATH"], LC_ALL: "C" },
});
server.once("error", (error) => {
  console.error(`postgres in ${settings.binDir} could not be started: ${error.message}`);
  process.exit(1);
});

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.on(signal, () => {
    stopping = true;
    // To PostgreSQL SIGINT is the fast shutdown: sessions are ended, everything is written. SIGTERM waits for clients.
    server.kill("SIGINT");
  });
}
process.on("SIGHUP", () => server.kill("SIGHUP"));

server.once("exit", (code, signal) => {
  if (!stopping) console.error(`postgres ended by itself with ${signal ?? code}`);
  process.exit(stopping && code === 0 ? 0 : (code ?? 1) || 1);
});
