import { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import { createReadingThread, type ReadingThread } from "../source/imports/reading-thread.ts";

/** Of the built code: run from sources, as tests do, nothing is there to be started, and this thread reads everything. */
const entry = new URL("../source/imports/reading-thread-main.js", import.meta.url);

/** It begins when it is needed. */
export function startReadingThread(log: Logger): ReadingThread {
  return createReadingThread({
    start: () => new Worker(entry),
    onFailed: (error) => log.warn({ err: error }, "the thread that reads imports ended; they are read without it"),
  });
}
