import { randomBytes } from "node:crypto";
import { createConnection, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  askSocketName,
  dryRunQuestion,
  parseAnswerHead,
  type Question,
  questionBytesLimit,
} from "../../src/core/asking.ts";
import { listenInFolder } from "../../src/disk/socket-folder.ts";
import { type Answer, type AskBounds, askBounds, createAskServer } from "../../src/worker/answer-asks.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const own = { code: "c", document: "mesh.build.v1", mesh: "home", state: "1:2", setup: "s" };
const question: Question = { schema: "mesh.ask.v1", question: dryRunQuestion, ...own, names: [] };
const line = `${JSON.stringify(question)}\n`;
const answer: Answer = { code: 1, document: `{"said":"${"x".repeat(100_000)}"}` };

/** Answers when a test lets it. */
interface Work {
  readonly names: readonly string[];
  readonly signal: AbortSignal;
  end(): void;
  fail(error: Error): void;
}

let folder: string;
let works: Work[];
let address: string;

beforeEach(async () => {
  folder = await createTemporaryFolder();
  works = [];
});

let listening: Server;

async function start(bounds: Partial<AskBounds> = {}): Promise<void> {
  const server = createAskServer({
    own,
    log: pino({ level: "silent" }),
    bounds: { ...askBounds, ...bounds },
    answer: ({ names }, signal) =>
      new Promise((resolve, reject) => {
        works.push({ names, signal, end: () => resolve(answer), fail: reject });
        signal.addEventListener("abort", () => reject(new Error("cut off")));
      }),
  });
  const placed = await listenInFolder(server.server, join(folder, "ask"), askSocketName);
  listening = server.server;
  address = join(folder, "ask", askSocketName);
  onTestFinished(async () => {
    server.close();
    await placed.remove();
  });
}

interface Asker {
  readonly socket: Socket;
  text(): string;
  /** All that came, once the other side ended or cut it off. */
  readonly ended: Promise<string>;
}

function ask(said: string | Buffer | null): Asker {
  const socket = createConnection(address);
  const parts: Buffer[] = [];
  const text = (): string => Buffer.concat(parts).toString("utf8");
  onTestFinished(() => void socket.destroy());
  socket.on("data", (part) => parts.push(part));
  socket.on("error", () => undefined);
  const ended = new Promise<string>((resolve) => socket.on("close", () => resolve(text())));
  if (said !== null) socket.write(said);
  return { socket, text, ended };
}

function lastHead(text: string): unknown {
  return parseAnswerHead(text.trimEnd().split("\n").at(-1) ?? "");
}

async function waitForWork(count: number): Promise<Work> {
  await vi.waitFor(() => expect(works.length).toBeGreaterThanOrEqual(count), 20_000);
  const work = works[count - 1];
  if (work === undefined) throw new Error("unreachable");
  return work;
}

/** It still answers whoever asks as they should. */
async function expectLives(): Promise<void> {
  const count = works.length;
  const asker = ask(line);
  (await waitForWork(count + 1)).end();
  const text = await asker.ended;
  const heads = text.split("\n").slice(0, -1);
  expect(heads.map((head) => parseAnswerHead(head).state)).toEqual([
    ...heads.slice(1).map(() => "working"),
    "answered",
  ]);
  expect(text.endsWith(`\n${answer.document}`)).toBe(true);
}

describe("a controller that is asked on its socket", () => {
  it("says that it works on it, and then the answer, whole", async () => {
    await start();
    await expectLives();
  });

  it.each([
    ["garbage", randomBytes(2_000)],
    ["no JSON", "hello\n"],
    ["HTTP", "GET / HTTP/1.1\r\nhost: x\r\n\r\n"],
    ["nothing", "\n"],
    ["another question", `${JSON.stringify({ ...question, question: "push" })}\n`],
    ["a member too many", `${JSON.stringify({ ...question, more: 1 })}\n`],
    ["a name that is none", `${JSON.stringify({ ...question, names: ["../../etc"] })}\n`],
    ["too many names", `${JSON.stringify({ ...question, names: Array.from({ length: 1_001 }, () => "a") })}\n`],
    ["JSON that is too deep", `${"[".repeat(10_000)}${"]".repeat(10_000)}\n`],
    ["a prototype", `{"__proto__":{"schema":"mesh.ask.v1"}}\n`],
    ["two questions", `${line}${line}`],
    ["half a question", line.slice(0, 20)],
    ["no word", null],
  ])("refuses %s, works on nothing for it, and goes on (R42)", async (_what, said) => {
    await start({ questionMs: 300 });
    const { ended } = ask(said);
    expect(lastHead(await ended)).toMatchObject({ state: "declined", why: "not-understood" });
    expect(works).toEqual([]);
    await expectLives();
  });

  it.each([
    ["more than a question may have", questionBytesLimit + 1],
    ["megabytes", 8 * 1024 * 1024],
  ])("refuses a line of %s without waiting for its end (R42)", async (_what, bytes) => {
    await start({ questionMs: 600_000 });
    expect(lastHead(await ask(Buffer.alloc(bytes, "x")).ended)).toMatchObject({ why: "not-understood" });
    await expectLives();
  });

  it.each([
    ["mesh", "away", "other-mesh"],
    ["state", "1:3", "other-state"],
    ["code", "d", "other-code"],
    ["document", "mesh.build.v2", "other-document"],
    ["setup", "t", "other-setup"],
  ])("does not answer for another %s", async (member, value, why) => {
    await start();
    expect(lastHead(await ask(`${JSON.stringify({ ...question, [member]: value })}\n`).ended)).toMatchObject({ why });
    expect(works).toEqual([]);
  });

  it("takes one at a time, lets a bounded number wait, and says to the next that it is busy", async () => {
    await start({ waiting: 1 });
    const first = ask(line);
    await waitForWork(1);
    const second = ask(line);
    await vi.waitFor(() => expect(second.text()).toMatch(/working/), 20_000);
    expect(lastHead(await ask(line).ended)).toMatchObject({ state: "declined", why: "busy" });
    expect(works).toHaveLength(1);
    works[0]?.end();
    expect(await first.ended).toMatch(/answered/);
    (await waitForWork(2)).end();
    expect(await second.ended).toMatch(/answered/);
    await expectLives();
  });

  it("stops the work when the asker goes away, and never begins it where it only waited", async () => {
    await start();
    const first = ask(line);
    const work = await waitForWork(1);
    const second = ask(line);
    await vi.waitFor(() => expect(second.text()).toMatch(/working/), 20_000);
    second.socket.destroy();
    await second.ended;
    first.socket.destroy();
    await vi.waitFor(() => expect(work.signal.aborted).toBe(true), 20_000);
    await expectLives();
    expect(works).toHaveLength(2);
  });

  it("says why where it fails, and gives up what takes too long", async () => {
    await start({ answerMs: 200 });
    const failing = ask(line);
    (await waitForWork(1)).fail(new Error("the records do not answer"));
    expect(lastHead(await failing.ended)).toMatchObject({ why: "failed", said: "the records do not answer" });
    const endless = ask(line);
    const work = await waitForWork(2);
    expect(lastHead(await endless.ended)).toMatchObject({ why: "failed" });
    expect(work.signal.aborted).toBe(true);
  });

  it("goes on where the machine had no room for a connection", async () => {
    await start();
    listening.emit("error", Object.assign(new Error("accept EMFILE"), { code: "EMFILE" }));
    await expectLives();
  });

  it("takes a bounded number of connections, and cuts off who says nothing or does not read", async () => {
    await start({ connections: 3, questionMs: 500, takeMs: 300 });
    const silent = Array.from({ length: 10 }, () => ask(null));
    const said = await Promise.all(silent.map(({ ended }) => ended));
    expect(said.filter((text) => text === "").length).toBeGreaterThanOrEqual(7);
    const deaf = createConnection(address).pause();
    onTestFinished(() => void deaf.destroy());
    deaf.on("error", () => undefined);
    deaf.write(line);
    const work = await waitForWork(1);
    work.end();
    await vi.waitFor(() => expect(work.signal.aborted).toBe(true), 20_000);
    await expectLives();
  });
});
