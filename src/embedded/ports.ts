import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";
import { InputError } from "../core/errors.ts";
import { waitUntil } from "./wait-until.ts";

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

const keptPorts = { first: 20_000, last: 29_999 } as const;

/**
 * A free port to be kept for the next starts. Below those that the system gives to outgoing connections: one of these
 * would be taken by chance at some later start.
 */
export async function chooseKeptPort(taken: readonly number[]): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = randomInt(keptPorts.first, keptPorts.last + 1);
    if (!taken.includes(port) && (await isPortFree(port))) return port;
  }
  throw new Error(`no free port between ${keptPorts.first} and ${keptPorts.last}`);
}

export async function isPortFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else if (error.code === "EADDRNOTAVAIL")
        reject(new InputError(`${host} is not an address of this machine`, "Correct `listen` in settings.json."));
      else reject(error);
    });
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

const leavesWithinMs = 3_000;

export interface PortUse {
  /** Who needs it, as a sentence begins. */
  readonly who: string;
  readonly host?: string;
  /** What may be done where that program has to stay. Nothing outside this machine may hold on to the port. */
  readonly otherwise?: string;
}

/**
 * Throws InputError unless the port gets free within 3 s: a process that was killed holds its own a little longer than
 * it lives.
 */
export async function requireFreePort(port: number, { who, host, otherwise }: PortUse): Promise<void> {
  if (await waitUntil(() => isPortFree(port, host), leavesWithinMs, 50)) return;
  throw new InputError(
    `${who} needs port ${port}, which another program on this machine has taken`,
    `End that program (ss -ltnp "sport = :${port}" names it) and start again. ${otherwise ?? otherPort}`,
  );
}

const otherPort = "Or remove the port from ports.json in the state folder: another one is chosen at the next start.";

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
