import { symlinkSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { askDryRun, type Asked } from "../../src/cli/ask-controller.ts";
import { askFolderName, askSocketName, headBytesLimit, parseQuestion } from "../../src/core/asking.ts";
import { listenInFolder } from "../../src/disk/socket-folder.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

let state: string;

beforeEach(async () => {
  state = await createTemporaryFolder();
  writeFileSync(join(state, "mesh.json"), `{"mesh":"home"}`);
});

async function listen(onQuestion: (socket: Socket, line: string) => void, folder = state): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", (line) => onQuestion(socket, line.toString("utf8")));
  });
  await listenInFolder(server, join(folder, askFolderName), askSocketName);
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return server;
}

function askIt(folder = state): Promise<Asked> {
  const bounds = { firstMs: 500, silentMs: 500 };
  return askDryRun(folder, { names: ["core"], document: "mesh.build.v1" }, bounds);
}

const answered = (bytes: number): string =>
  `{"schema":"mesh.answer.v1","state":"answered","code":1,"bytes":${bytes}}\n`;

it("asks for this mesh, folder and code, and takes the answer in whatever pieces it comes", async () => {
  const asked: string[] = [];
  await listen((socket, line) => {
    asked.push(line);
    const document = `{"a":"ü"}`;
    const bytes = Buffer.from(answered(Buffer.byteLength(document)) + document);
    let at = 0;
    const next = (): void => {
      if (at < bytes.length) socket.write(bytes.subarray(at, (at += 1)), () => setImmediate(next));
    };
    next();
  });
  expect(await askIt()).toEqual({ by: "controller", code: 1, document: `{"a":"ü"}` });
  expect(parseQuestion(asked[0] ?? "")).toMatchObject({ mesh: "home", names: ["core"], document: "mesh.build.v1" });
});

it.each([
  ["says nothing", (): void => undefined, /said nothing for 0.5 s/],
  ["begins and goes silent", (socket: Socket): unknown => socket.write(answered(100)), /said nothing for 0.5 s/],
  ["breaks off", (socket: Socket): unknown => socket.end(`${answered(100)}{"half":`), /broke off/],
  [
    "says garbage",
    (socket: Socket): unknown => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
    /no controller of this/,
  ],
  [
    "says one endless line",
    (socket: Socket): unknown => socket.write("x".repeat(2 * headBytesLimit)),
    /no controller of/,
  ],
  [
    "says more than it announced",
    (socket: Socket): unknown => socket.write(`${answered(2)}{"a":1}`),
    /no controller of/,
  ],
  ["announces too much", (socket: Socket): unknown => socket.write(answered(2 ** 40)), /no controller of this code/],
  [
    "declines, with a text for a terminal",
    (socket: Socket): unknown =>
      socket.write(`{"schema":"mesh.answer.v1","state":"declined","why":"busy","said":"\\u001b[31mbusy"}\n`),
    /^·\[31mbusy$/,
  ],
])("goes on alone where what listens %s", async (_what, answer, why) => {
  await listen(answer);
  expect(await askIt()).toEqual({ by: "nobody", why: expect.stringMatching(why) });
});

it("goes on alone where it is cut off at once, in whatever moment", async () => {
  const server = createServer((socket) => socket.destroy());
  await listenInFolder(server, join(state, askFolderName), askSocketName);
  onTestFinished(() => void server.close());
  for (let at = 0; at < 30; at += 1) expect(await askIt()).toMatchObject({ by: "nobody" });
});

it("goes on alone where there is no folder, no socket, no socket but a file, or nobody behind it", async () => {
  const nobody = { by: "nobody", why: "no controller listens here" };
  expect(await askIt()).toEqual(nobody);
  await mkdir(join(state, askFolderName), { mode: 0o700 });
  expect(await askIt()).toEqual(nobody);
  writeFileSync(join(state, askFolderName, askSocketName), "");
  expect(await askIt()).toEqual(nobody);
});

it("does not follow a link to a folder of somebody's", async () => {
  const other = await createTemporaryFolder();
  await listen((socket) => void socket.write(answered(2) + "{}"), other);
  symlinkSync(join(other, askFolderName), join(state, askFolderName));
  expect(await askIt()).toMatchObject({ by: "nobody" });
});

it("is asked where the state folder's path is longer than a socket's address may be", async () => {
  const long = join(state, "x".repeat(120));
  await mkdir(long);
  writeFileSync(join(long, "mesh.json"), `{"mesh":"home"}`);
  await listen((socket) => void socket.write(`${answered(2)}{}`), long);
  expect(await askIt(long)).toEqual({ by: "controller", code: 1, document: "{}" });
});

it("goes on alone where mesh.json names no mesh: who reads it then says what is wrong there", async () => {
  await listen((socket) => void socket.write(`${answered(2)}{}`));
  for (const text of ["{", "[]", "{}"]) {
    writeFileSync(join(state, "mesh.json"), text);
    expect(await askIt()).toEqual({ by: "nobody", why: "mesh.json names no mesh" });
  }
});
