import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** One process's road to PostgreSQL, on which things go wrong. */
export interface Road {
  readonly port: number;
  /**
   * The next COMMIT on a connection on which this text has passed is carried out, and its answer is lost: both ends are
   * cut. Resolves when that has happened.
   */
  cutCommitAfter(text: string): Promise<void>;
  /** Nothing passes any more, in this direction or both, and nobody is told. */
  block(way: "to" | "from" | "both"): void;
  heal(): void;
  close(): Promise<void>;
}

interface Passing {
  readonly client: Socket;
  readonly upstream: Socket;
  marked: boolean;
  deaf: boolean;
}

interface Cut {
  readonly text: string;
  readonly done: () => void;
}

export async function openRoad(targetPort: () => number): Promise<Road> {
  const passing = new Set<Passing>();
  let cut: Cut | null = null;
  let blocked: "none" | "to" | "from" | "both" = "none";

  function pass(road: Passing, bytes: Buffer): void {
    if (cut !== null && bytes.includes(cut.text)) road.marked = true;
    if (cut !== null && road.marked && isCommit(bytes)) {
      road.deaf = true;
      road.marked = false;
    }
    road.upstream.write(bytes);
  }

  function answer(road: Passing, bytes: Buffer): void {
    if (!road.deaf) {
      road.client.write(bytes);
      return;
    }
    // The server has answered, so it has done it: now the road breaks.
    road.client.destroy();
    road.upstream.destroy();
    cut?.done();
    cut = null;
  }

  const server = createServer((client) => {
    const upstream = connect({ host: "127.0.0.1", port: targetPort() });
    const road: Passing = { client, upstream, marked: false, deaf: false };
    passing.add(road);
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    client.on("data", (bytes) => pass(road, bytes));
    upstream.on("data", (bytes) => answer(road, bytes));
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.once("close", () => passing.delete(road));
    apply(road);
  });

  /** A socket that is not read lets its peer's bytes pile up in the kernel, as behind a broken switch. */
  function apply({ client, upstream }: Passing): void {
    if (blocked === "to" || blocked === "both") client.pause();
    else client.resume();
    if (blocked === "from" || blocked === "both") upstream.pause();
    else upstream.resume();
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cutCommitAfter: (text) =>
      new Promise((resolve) => {
        cut = { text, done: resolve };
      }),
    block(way) {
      blocked = way;
      for (const road of passing) apply(road);
    },
    heal() {
      blocked = "none";
      for (const road of passing) apply(road);
    },
    close() {
      for (const { client, upstream } of passing) {
        client.destroy();
        upstream.destroy();
      }
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The simple query `commit`, as pg writes it. */
function isCommit(bytes: Buffer): boolean {
  return bytes.includes("Q\0\0\0\u000bcommit\0");
}
