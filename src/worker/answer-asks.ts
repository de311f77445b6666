import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Logger } from "pino";
import {
  type AnswerHead,
  answerBytesLimit,
  type Answering,
  type DeclinedWhy,
  judgeQuestion,
  parseQuestion,
  type Question,
  questionBytesLimit,
  workingEveryMs,
} from "../core/asking.ts";
import { InputError } from "../core/errors.ts";
import type { ExitCode } from "../decide/exit-code.ts";

export interface Answer {
  readonly code: ExitCode;
  /** As the command prints it. */
  readonly document: string;
}

export interface AnswerAsks {
  readonly own: Answering;
  /** `signal`: the asker went away, or it took too long. */
  readonly answer: (question: Question, signal: AbortSignal) => Promise<Answer>;
  readonly log: Logger;
  readonly bounds?: AskBounds;
}

export interface AskBounds {
  /** One is answered at a time; so many wait. The next ones are told that this controller is busy. */
  readonly waiting: number;
  /** Those of people who say nothing, or do not read, among them. */
  readonly connections: number;
  /** Until the whole question is here. */
  readonly questionMs: number;
  /** One answer, from the question on. */
  readonly answerMs: number;
  /** Until the answer was taken. */
  readonly takeMs: number;
}

export const askBounds: AskBounds = {
  waiting: 8,
  connections: 32,
  questionMs: 2_000,
  answerMs: 120_000,
  takeMs: 30_000,
};

export interface AskServer {
  /** Does not listen by itself. */
  readonly server: Server;
  /** Cuts off whoever still asks. */
  close(): void;
}

/** Answers questions on a socket: one line each, one answer each. */
export function createAskServer({ own, answer, log, bounds = askBounds }: AnswerAsks): AskServer {
  const queue = createQueue(bounds.waiting);
  const asking = new Set<Socket>();
  const server = createServer((socket) => {
    const gone = new AbortController();
    asking.add(socket);
    socket.on("close", () => {
      asking.delete(socket);
      gone.abort();
    });
    // A close follows.
    socket.on("error", (error) => log.debug({ err: error }, "who asked went away"));
    void serveOne(socket, gone.signal).catch((error: unknown) => {
      socket.destroy();
      if (!gone.signal.aborted) log.warn({ err: error }, "a question on the socket could not be answered");
    });
  });
  server.maxConnections = bounds.connections;
  // One that could not be taken, for want of file descriptors: it must not end this process.
  server.on("error", (error) => log.warn({ err: error }, "a connection to the socket could not be taken"));

  async function serveOne(socket: Socket, gone: AbortSignal): Promise<void> {
    const line = await readLine(socket, bounds.questionMs);
    if (line === null) return decline(socket, "not-understood", "this is not one line of a question");
    const question = understand(line);
    if (question === null) return decline(socket, "not-understood", "this is no question that this controller knows");
    const other = judgeQuestion(question, own);
    if (other !== null) return decline(socket, other.why, other.said);
    const over = AbortSignal.any([gone, AbortSignal.timeout(bounds.answerMs)]);
    const working = sayWorking(socket, over);
    const turn = queue.enter(() => answer(question, over), over);
    if (turn === null) return decline(socket, "busy", `${bounds.waiting} others wait for this controller's answer`);
    try {
      const { code, document } = await turn;
      const bytes = Buffer.from(document);
      if (bytes.length > answerBytesLimit) return decline(socket, "failed", "the answer is too long for this socket");
      say(socket, { schema: "mesh.answer.v1", state: "answered", code, bytes: bytes.length });
      take(socket, bytes, bounds.takeMs);
    } catch (error) {
      // absence is the answer: nobody is there to hear it
      if (gone.aborted) return;
      if (!(error instanceof InputError)) log.warn({ err: error }, "a dry run could not be answered");
      decline(socket, "failed", error instanceof Error ? error.message : String(error));
    } finally {
      working.stop();
    }
  }
  return {
    server,
    close() {
      server.close();
      for (const socket of asking) socket.destroy();
    },
  };
}

/** Null: too long, more than a line, too late, or gone. */
function readLine(socket: Socket, waitMs: number): Promise<string | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => end(null), waitMs);
    const end = (line: string | null): void => {
      clearTimeout(timer);
      socket.off("data", onData);
      resolve(line);
    };
    const onData = (part: Buffer): void => {
      parts.push(part);
      bytes += part.length;
      if (bytes > questionBytesLimit) return end(null);
      const at = part.indexOf(0x0a);
      if (at >= 0) end(at === part.length - 1 ? Buffer.concat(parts).toString("utf8", 0, bytes - 1) : null);
    };
    socket.on("data", onData);
    socket.once("close", () => end(null));
  });
}

function understand(line: string): Question | null {
  try {
    return parseQuestion(line);
  } catch {
    // absence is the answer: whoever asked is told so
    return null;
  }
}

function decline(socket: Socket, why: DeclinedWhy, said: string): void {
  if (!socket.writable) return;
  say(socket, { schema: "mesh.answer.v1", state: "declined", why, said: said.slice(0, 1_000) });
  take(socket, Buffer.alloc(0), 1_000);
}

function say(socket: Socket, head: AnswerHead): void {
  if (socket.writable) socket.write(`${JSON.stringify(head)}\n`);
}

/** Ends with these bytes; who does not take them in time is cut off. */
function take(socket: Socket, bytes: Buffer, waitMs: number): void {
  const timer = setTimeout(() => socket.destroy(), waitMs);
  socket.once("close", () => clearTimeout(timer));
  // What else comes is not read into memory: it is dropped.
  socket.resume();
  socket.end(bytes);
}

/** Says at once, and again and again, that this process lives and works. */
function sayWorking(socket: Socket, over: AbortSignal): { stop(): void } {
  const stopped = new AbortController();
  const signal = AbortSignal.any([stopped.signal, over]);
  const beat = async (): Promise<void> => {
    while (!signal.aborted) {
      say(socket, { schema: "mesh.answer.v1", state: "working" });
      await wait(workingEveryMs, undefined, { signal });
    }
  };
  // absence is the answer: it ends by being stopped
  beat().catch(() => undefined);
  return { stop: () => stopped.abort() };
}

/** One at a time: what they read and plan with is one memory, and the process has other work. */
function createQueue(limit: number): {
  /** Null: too many wait already. */
  enter<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> | null;
} {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    enter(work, signal) {
      if (waiting > limit) return null;
      waiting += 1;
      const turn = last.then(async () => {
        try {
          signal.throwIfAborted();
          return await work();
        } finally {
          waiting -= 1;
        }
      });
      // absence is the answer: how it ended is its own asker's affair
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
