import { connect, createServer, type Socket } from "node:net";

export interface Freezer {
  /** `host:port`. */
  readonly admin: string;
  /** Resolves when it freezes. */
  readonly frozen: Promise<void>;
  /** How many connections were made to it. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * Passes everything on to a server until a client says this, from then on nothing, on old connections and new ones alike: as a
 * machine does that hangs. It still accepts connections, and never hangs up.
 */
export async function raiseFreezer(to: URL, freezesAt: string): Promise<Freezer> {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let onFrozen = (): void => undefined;
  const frozen = new Promise<void>((resolve) => {
    onFrozen = resolve;
  });
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    connections += 1;
    const far = connect({ host: to.hostname, port: Number(to.port) });
    for (const socket of [near, far]) sockets.add(socket.on("error", () => undefined));
    near.on("data", (chunk: Buffer) => {
      isFrozen ||= chunk.includes(freezesAt);
      if (isFrozen) onFrozen();
      else far.write(chunk);
    });
    far.on("data", (chunk: Buffer) => {
      if (!isFrozen) near.write(chunk);
    });
    near.on("close", () => far.destroy());
    far.on("close", () => {
      if (!isFrozen) near.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("it listens on no port");
  return {
    admin: `127.0.0.1:${bound.port}`,
    frozen,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
