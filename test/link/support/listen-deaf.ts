import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

const program = `
const server = require("node:net").createServer();
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => process.stdout.write(String(server.address().port)));
`;
/** More than a backlog of 1 holds. */
const fillers = 4;

/** A port that answers nothing, as one behind a firewall: its process stands still, and its backlog is full. Linux only. */
export async function listenDeaf(): Promise<{ readonly port: number; close(): void }> {
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(said.toString("utf8"));
  child.kill("SIGSTOP");
  const filling: Socket[] = Array.from({ length: fillers }, () =>
    connect(port, "127.0.0.1").on("error", () => undefined),
  );
  const [first] = filling;
  if (first !== undefined) await once(first, "connect");
  return {
    port,
    close() {
      for (const socket of filling) socket.destroy();
      child.kill("SIGKILL");
    },
  };
}
