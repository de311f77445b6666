import { connect, createServer, type Socket } from "node:net";

/** Hangs up on whoever begins with this; all else goes to the server. */
export async function raiseProxy(to: URL, refused: string) {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: to.hostname, port: Number(to.port) });
    for (const socket of [near, far]) sockets.add(socket.on("error", () => undefined));
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.once("data", (first: Buffer) => {
      if (first.includes(refused)) return near.destroy();
      far.write(first);
      near.pipe(far);
      return far.pipe(near);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the proxy listens on no port");
  return {
    port: bound.port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
