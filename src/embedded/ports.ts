import { connect, createServer } from "node:net";

/** A port that nobody listens on now. Somebody may take it before it is used: whoever uses it must say so clearly. */
export async function chooseFreePort(host = "127.0.0.1"): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      const port = address !== null && typeof address === "object" ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** As many that differ from each other. */
export async function chooseFreePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await chooseFreePort());
  return [...ports];
}

export async function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/** Whether something accepts connections there. */
export async function answersOnPort(host: string, port: number, timeoutMs = 2_000): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
