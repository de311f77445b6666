import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { withConnection } from "../../../src/host/providers/postgresql-connection.ts";

const servers: Server[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

interface FakeServer {
  readonly port: number;
  /** Everything that was sent to it. */
  heard(): string;
}

/** Answers each message of a client's with the next of these. */
async function raiseServer(answers: readonly Buffer[]): Promise<FakeServer> {
  let heard = "";
  // It never hangs up of itself.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.on("error", () => undefined));
    let at = 0;
    socket.on("data", (chunk: Buffer) => {
      heard += chunk.toString("latin1");
      const answer = answers[at];
      at += 1;
      if (answer !== undefined) socket.write(answer);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server listens on no port");
  return { port: bound.port, heard: () => heard };
}

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type, "latin1");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const authentication = (kind: number): Buffer => message("R", Buffer.from([0, 0, 0, kind]));
const wantsClear = authentication(3);
const ready = Buffer.concat([authentication(0), message("Z", Buffer.from("I"))]);
const done = Buffer.concat([message("C", Buffer.from("SET\0")), message("Z", Buffer.from("I"))]);
const { signal } = new AbortController();
const login = { user: "postgres", password: "only-for-this-machine", database: "postgres" };

describe("a PostgreSQL server that wants the password in clear (R46)", () => {
  it("is not told it where others are on the way, and that is said", async () => {
    const server = await raiseServer([wantsClear, ready, done]);
    // This machine, by an address that is no loopback address.
    const connected = withConnection({ admin: `0.0.0.0:${server.port}`, signal }, login, async () => undefined);
    await expect(connected).rejects.toMatchObject({
      name: "InputError",
      message: expect.stringContaining("wants the password in clear"),
    });
    expect(server.heard()).toContain("postgres");
    expect(server.heard()).not.toContain(login.password);
  });

  it("is told it on this machine itself", async () => {
    const server = await raiseServer([wantsClear, ready, done]);
    await withConnection({ admin: `127.0.0.1:${server.port}`, signal }, login, async () => undefined);
    expect(server.heard()).toContain(login.password);
  });
});

describe("a PostgreSQL server that freezes after its last answer", () => {
  it("holds nobody up who is done with it: it is left without its good-bye (R44)", async () => {
    const server = await raiseServer([ready, done]);
    const access = { admin: `127.0.0.1:${server.port}`, signal };
    expect(await withConnection(access, login, async () => "done")).toBe("done");
  });
});
