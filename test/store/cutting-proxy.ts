import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface CuttingProxy {
  readonly url: string;
  /** The next request that holds this text is passed on, and its answer is not: both ends are cut. */
  cutAfter(text: string): void;
  close(): Promise<void>;
}

/** A road to PostgreSQL on which an answer can be lost. */
export async function openCuttingProxy(target: string): Promise<CuttingProxy> {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  let cutText: string | null = null;
  const server = createServer((client) => {
    const upstream = connect({ host: to.hostname, port: Number(to.port) });
    let deaf = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("data", (bytes) => {
      if (cutText !== null && bytes.includes(cutText)) {
        cutText = null;
        deaf = true;
      }
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      if (!deaf) client.write(bytes);
      else {
        // The server has answered, so it has done it: now the road breaks.
        client.destroy();
        upstream.destroy();
      }
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutAfter: (text) => {
      cutText = text;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
